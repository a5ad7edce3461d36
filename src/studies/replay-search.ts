import type { ErrorData } from '../errors.js';
import { createRandom } from '../random.js';
import type { RunRecord } from '../results/run-record.js';
import type { ResultStore } from '../results/store.js';
import { samplers } from '../training/search/registry.js';
import type { TrialParameters } from '../training/search/search-space.js';
import { bestTrial, type Trial } from '../training/search/trial.js';
import type { SearchSpec } from './study-search.js';
import type { FailedRun, PlannedRun, StudyEvent } from './study.js';

/** The search of one arm: trials, then repeats of the best setting. */
export interface PlannedSearch {
  readonly spec: SearchSpec;
  /** Name of the arm. */
  readonly arm: string;
  readonly dataset: string;
  readonly trialRun: (number: number, parameters: TrialParameters) => Omit<PlannedRun, 'trial'>;
  readonly repeats: (parameters: TrialParameters) => readonly PlannedRun[];
  readonly repeatCount: number;
}

/** How a trial ended. */
export type TrialOutcome = Pick<Trial, 'state' | 'value' | 'reports' | 'error'>;

export type OutcomeOf = (id: string) => TrialOutcome | undefined;

/** How far a search is. */
export interface SearchState {
  /** Trials that have ended. */
  readonly trials: readonly Trial[];
  /** Trials that are known by now, ended or not, then the repeats, once they are known. */
  readonly runs: readonly PlannedRun[];
  /** Once all trials have ended; undefined too where none has a value. */
  readonly best: Trial | undefined;
  /** Runs that are not known yet. */
  readonly toCome: number;
  /** All trials have ended and none has a value: there is nothing to repeat. */
  readonly isHopeless: boolean;
}

/**
 * A search is its definition and what came of its trials: from both follows the next one, so that a search goes on after
 * a stop with what it would have tried.
 */
export function replaySearch(search: PlannedSearch, outcomeOf: OutcomeOf): SearchState {
  const { spec } = search;
  const sampler = samplers[spec.sampler]();
  const random = createRandom(spec.seed);
  const isGrid = spec.sampler === 'grid';
  // what is tried next does not hang on what came before: all trials can run side by side
  const isBlind = spec.sampler !== 'tpe' && spec.pruner === null;
  const trials: Trial[] = [];
  /** As the sampler is told, with trials that have not ended yet. */
  const told: Trial[] = [];
  const runs: PlannedRun[] = [];
  const counted = (): number => told.filter(({ state }) => state !== 'failed').length;
  let [open, failuresInARow] = [0, 0];
  while (counted() < spec.trialCount && failuresInARow < spec.trialCount) {
    const number = told.length;
    const asked = { trials: told, direction: spec.direction, random: random.split(`trial/${number}`) };
    const parameters = sampler(spec.space, asked);
    const run = search.trialRun(number, parameters);
    const { pruner, direction } = spec;
    runs.push(pruner === null ? run : { ...run, trial: { pruner, direction, earlier: [...trials] } });
    const outcome = outcomeOf(run.id);
    if (!outcome) {
      open++;
      if (!isBlind) break;
      told.push({ number, parameters, state: 'complete', value: null, reports: [] });
      continue;
    }
    const trial: Trial = { number, parameters, ...outcome };
    trials.push(trial);
    // the place of a grid that failed would fail again
    told.push(isGrid && trial.state === 'failed' ? { ...trial, state: 'complete' } : trial);
    failuresInARow = trial.state === 'failed' ? failuresInARow + 1 : 0;
  }
  const isOver = open === 0;
  const best = isOver ? bestTrial(trials, spec.direction) : undefined;
  const left = isBlind || isOver ? 0 : spec.trialCount - counted() - open;
  return {
    ...{ trials, best },
    runs: [...runs, ...(best ? search.repeats(best.parameters) : [])],
    toCome: isOver ? 0 : left + search.repeatCount,
    isHopeless: isOver && !best,
  };
}

/** Errors after which a search goes on: the setting that was tried does not work here. */
const TRIAL_FAILURES: ReadonlySet<string> = new Set([
  ...['ENGINE_MEMORY', 'OUT_OF_MEMORY', 'LOSS_NOT_FINITE', 'OUTPUT_NOT_FINITE'],
]);

/** undefined: the trial is to be tried again. */
export const outcomeOfFailure = ({ code, message }: ErrorData): TrialOutcome | undefined =>
  TRIAL_FAILURES.has(code)
    ? { state: 'failed', value: null, reports: [], error: `${code}: ${message}` }
    : undefined;

/**
 * Failed trials of which their search has gone on: another was made up for each, and none is tried again.
 * @param unitOf what the runs of one search have in common
 */
export function madeUpFor(
  runs: readonly Pick<PlannedRun, 'id' | 'definition'>[],
  failures: ReadonlyMap<string, ErrorData>,
  unitOf: (id: string) => string | undefined,
): ReadonlySet<string> {
  const last = new Map(runs.map(({ id }) => [unitOf(id), id])); // in the order of the plan
  const isMadeUp = ({ id, definition }: Pick<PlannedRun, 'id' | 'definition'>): boolean => {
    const failure = failures.get(id);
    return (
      definition.trial !== undefined &&
      failure !== undefined &&
      outcomeOfFailure(failure) !== undefined &&
      last.get(unitOf(id)) !== id
    );
  };
  return new Set(runs.filter(isMadeUp).map(({ id }) => id));
}

export const outcomeOfRecord = ({ trial }: RunRecord): TrialOutcome | undefined => trial;

/** What an event says of a trial; undefined for other runs, and for trials that are to be tried again. */
export function outcomeOfEvent(event: StudyEvent): TrialOutcome | undefined {
  if (event.type === 'run-finished') return outcomeOfRecord(event.record);
  return event.type === 'run-failed' && event.run.definition.trial
    ? outcomeOfFailure(event.error)
    : undefined;
}

/** Runs of a search that are known once this event has come, and were not before. */
export function followingRuns(
  growing: { after(id: string, outcome: TrialOutcome): readonly PlannedRun[] },
  event: StudyEvent,
): readonly PlannedRun[] {
  const outcome = outcomeOfEvent(event);
  if (!outcome) return [];
  return growing.after(
    event.type === 'run-finished' ? event.record.id : (event as FailedRun).run.id,
    outcome,
  );
}

/** What the records and failures of a store say. A damaged record counts as none. */
export function outcomesIn(store: Pick<ResultStore, 'read' | 'failures'>): OutcomeOf {
  let failures: ReturnType<ResultStore['failures']> | undefined;
  return (id) => {
    const record = readOrNot(store, id);
    if (record) return outcomeOfRecord(record);
    failures ??= store.failures();
    const failure = failures.get(id);
    return failure && outcomeOfFailure(failure);
  };
}

function readOrNot(store: Pick<ResultStore, 'read'>, id: string): RunRecord | undefined {
  try {
    return store.read(id);
  } catch {
    return undefined;
  }
}
