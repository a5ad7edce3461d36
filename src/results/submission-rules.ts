import { groupBy } from '../collections.js';
import { listed } from '../display/words.js';
import { readSearchManifest } from '../manifests/search-manifest.js';
import type { SubmissionRun } from './submission.js';

/** A rule of GEO-Bench-2's leaderboard that runs break. */
export interface SubmissionFault {
  /**
   * `TRIALS`: more than 16 of a search. `REPEATS`: not five runs with seeds of their own. `FAILED`: a run without a
   * score. `SETTINGS_DIFFER`: repeats of one cell with several settings. `SEARCH_SPACE`: a value outside the space that
   * all share, or a fixed setting that differs between models. `SUBSET`: less than the whole training set.
   */
  readonly code: 'TRIALS' | 'REPEATS' | 'FAILED' | 'SETTINGS_DIFFER' | 'SEARCH_SPACE' | 'SUBSET';
  readonly text: string;
  /** null where it is about all. */
  readonly model: string | null;
  readonly dataset: string | null;
}

/** Repeats of each cell with the chosen settings (GEO-Bench-2, section 3.1). */
const REPEATS = 5;

/**
 * What breaks the rules of GEO-Bench-2 (sections 3.1 and 6.2): at most 16 trials, five repeats, and one search space for
 * all models. A table of runs shows the chosen settings alone, so that of the space only this can be seen: each
 * value lies in it, and what is not searched is the same for all. The published runs themselves break it in places
 * (batches of 4 for detectors of two large models).
 */
export function submissionFaults(runs: readonly SubmissionRun[]): SubmissionFault[] {
  const cells = groupBy(runs, ({ model, dataset }) => JSON.stringify([model, dataset]));
  return [...[...cells.values()].flatMap(cellFaults), ...fixedFaults(runs)];
}

function cellFaults(runs: readonly SubmissionRun[]): SubmissionFault[] {
  const { model, dataset } = runs[0]!;
  const faults: SubmissionFault[] = [];
  const fault = (code: SubmissionFault['code'], text: string): void =>
    void faults.push({ code, text: `${model} on ${dataset}: ${text}`, model, dataset });
  const search = readSearchManifest('geobench2');
  const trials = runs.reduce((most, run) => Math.max(most, run.trialCount), 0);
  if (!(trials >= 1 && trials <= search.trialCount))
    fault('TRIALS', `${trials} trials, 1 to ${search.trialCount} are allowed.`);
  const seeds = new Set(runs.map((run) => run.seed));
  if (runs.length !== REPEATS || seeds.size !== REPEATS)
    fault('REPEATS', `${runs.length} runs with ${seeds.size} seeds, ${REPEATS} of each are due.`);
  const failed = runs.filter((run) => run.score === null).map((run) => run.seed);
  if (failed.length > 0) fault('FAILED', `no score with seed ${listed(failed)}.`);
  for (const [name, of] of Object.entries(SETTINGS)) {
    const values = [...new Set(runs.map(of))];
    if (values.length > 1)
      fault('SETTINGS_DIFFER', `its repeats have the ${name} ${listed(values.map(String))}.`);
  }
  const { learningRate, batchSize } = search.space;
  const rates = learningRate?.kind === 'float' ? learningRate : undefined;
  const rate = runs.find(
    (run) => rates && !(run.learningRate >= rates.low && run.learningRate <= rates.high),
  );
  if (rate)
    fault('SEARCH_SPACE', `the learning rate ${rate.learningRate} is not in ${rates!.low} … ${rates!.high}.`);
  const batches = batchSize?.kind === 'categorical' ? batchSize.choices : undefined;
  const batch = runs.find((run) => batches && !batches.includes(run.batchSize));
  if (batch)
    fault('SEARCH_SPACE', `the batch size ${batch.batchSize} is none of ${listed(batches!.map(String))}.`);
  const subset = runs.find((run) => run.dataPercent !== 100);
  if (subset) fault('SUBSET', `${subset.dataPercent} % of the training set, all of it is due.`);
  return faults;
}

/** What the repeats of a cell share. */
const SETTINGS: Readonly<Record<string, (run: SubmissionRun) => string | number | null>> = {
  decoder: (run) => run.decoder,
  'learning rate': (run) => run.learningRate,
  'batch size': (run) => run.batchSize,
  'weight decay': (run) => run.weightDecay,
  patience: (run) => run.earlyStopPatience,
  'number of trials': (run) => run.trialCount,
};

/** What is not searched must be one value: weight decay over all runs, patience over the models of a dataset. */
function fixedFaults(runs: readonly SubmissionRun[]): SubmissionFault[] {
  const decays = [...new Set(runs.map((run) => run.weightDecay))];
  const faults: SubmissionFault[] = [];
  const fault = (text: string, dataset: string | null): void =>
    void faults.push({ code: 'SEARCH_SPACE', text, model: null, dataset });
  if (decays.length > 1) fault(`Weight decay is not searched, and is ${listed(decays.map(String))}.`, null);
  for (const [dataset, own] of groupBy(runs, (run) => run.dataset)) {
    const waits = [...new Set(own.map((run) => run.earlyStopPatience))];
    if (waits.length < 2) continue;
    const named = listed(waits.map((wait) => (wait === null ? 'none' : String(wait))));
    fault(`Models on ${dataset} differ in their patience: ${named}.`, dataset);
  }
  return faults;
}
