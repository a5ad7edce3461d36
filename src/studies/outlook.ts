import path from 'node:path';
import { groupBy } from '../collections.js';
import { canonicalJson } from '../results/canonical-json.js';
import { isTrial, type JsonValue, type RunDefinition, type RunRecord } from '../results/run-record.js';
import { openStore } from '../results/store.js';
import { totalSeconds } from '../results/total-seconds.js';
import { validationCount } from '../training/validation-count.js';
import { outcomesIn } from './replay-search.js';
import type { GrowingPlan } from './growing-plan.js';
import { runSettingsOf } from './run-settings.js';
import type { PlannedRun, StudyOutlook, StudyPlan } from './study.js';

/** The plan as the store leaves it: what is done, what is missing, and how long that takes by what was measured. */
export function planWithOutlook(growing: GrowingPlan, folder?: string): StudyPlan {
  const store = openStore(folder ?? path.join('results', growing.plan.study.name));
  const outcomes = outcomesIn(store);
  growing.refresh(outcomes);
  const { records } = store.readAll();
  const finished = new Set(records.map(({ id }) => id));
  // a trial that failed is made up for by another
  const isDone = ({ id, definition }: PlannedRun): boolean =>
    finished.has(id) || (definition.trial !== undefined && outcomes(id) !== undefined);
  return growing.planWith(outlookOf(growing.plan, records, { isDone, store: store.folder }));
}

/**
 * The expected time of a run is told from runs that do the same work an input: the same dataset, encoder, decoder and
 * settings but for those of the optimisation, for as many epochs, labels and validations as it has. Runs side by side
 * share the time.
 */
export function outlookOf(
  { runs, toCome = 0 }: StudyPlan,
  records: readonly RunRecord[],
  { isDone, store }: { readonly isDone: (run: PlannedRun) => boolean; readonly store: string },
): StudyOutlook {
  const missing = runs.filter((run) => !isDone(run));
  const alike = groupBy(records, ({ definition }) => workOf(definition));
  const secondsOf = new Map(missing.map((run) => [run.id, expected(run, alike)]));
  const left = [...secondsOf.values()];
  // what is not known yet of a search takes what its other runs take
  const searched = records.filter(isTrial);
  const later = searched.length > 0 ? (toCome * sum(searched.map(totalSeconds))) / searched.length : null;
  const unknown = left.filter((seconds) => seconds === null).length + (later === null ? toCome : 0);
  const processes = Math.max(1, ...records.map(({ cost }) => cost.processes));
  const total = sum(left.map((seconds) => seconds ?? 0)) + (later ?? 0);
  return {
    store,
    done: runs.length - left.length,
    missing: left.length + toCome,
    unknown,
    expectedSeconds: unknown > 0 ? null : total / Math.min(processes, Math.max(1, left.length + toCome)),
    secondsOf,
  };
}

/** Settings that do not change the work for an input. */
const FREE: ReadonlySet<string> = new Set([
  ...['epochs', 'labelFraction', 'validateEvery', 'validationsPerEpoch', 'validateUntrained'],
  ...['learningRate', 'encoderLearningRate', 'weightDecay', 'spareNorms', 'momentum', 'optimizer'],
  ...['schedule', 'milestones', 'gamma', 'warmUp', 'gradientClip', 'loss', 'classWeights', 'batchSize'],
  ...['accumulate', 'dropLast', 'selectBy', 'smoothing', 'patience', 'smallestGain', 'stopBy'],
  ...['normalization', 'encoderWeights', 'targetNormalization', 'newBands', 'flipProbability', 'flips'],
]);

function workOf({ dataset, encoder, decoder, settings, mode }: RunDefinition): string {
  // a trivial predictor only counts labels
  if (encoder === 'none') return JSON.stringify([dataset, encoder]);
  const own = Object.entries(settings).filter(([name]) => !FREE.has(name));
  return canonicalJson([dataset, encoder, decoder, mode, Object.fromEntries(own)] as JsonValue);
}

/** More runs of one kind tell no more than the last of them. */
const MEASURED = 50;

/** Seconds; null where no run like it was measured. */
function expected({ definition }: PlannedRun, byWork: ReadonlyMap<string, RunRecord[]>): number | null {
  const alike = (byWork.get(workOf(definition)) ?? []).slice(-MEASURED);
  if (definition.encoder === 'none')
    return alike.length > 0 ? sum(alike.map(totalSeconds)) / alike.length : 0;
  // trials score no test split
  const kin = alike.filter((record) => isTrial(record) === isTrial({ definition }));
  const measured = kin.length > 0 ? kin : alike;
  return measured.length > 0
    ? sum(measured.map((record) => scaled(record, definition))) / measured.length
    : null;
}

/** What a run of this definition would have taken where the record's took what it says. */
function scaled({ definition, counts, cost: { seconds } }: RunRecord, asked: RunDefinition): number {
  const [before, after] = [runSettingsOf(definition), runSettingsOf(asked)];
  const labels = after.labelFraction / before.labelFraction;
  const inputs = (labels * after.epochs) / before.epochs;
  // windows of which an epoch draws one a sample are all counted: a close guess
  const counted = counts['train']?.samples ?? before.batchSize;
  const validations =
    validationCount(after, Math.max(1, Math.round(counted * labels))) / validationCount(before, counted);
  const factors: Readonly<Record<string, number>> = { train: inputs, validate: validations };
  return sum(Object.entries(seconds).map(([phase, value]) => value * (factors[phase] ?? 1)));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
