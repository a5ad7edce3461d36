import { groupBy } from '../../collections.js';
import { readSearchManifest } from '../../manifests/search-manifest.js';
import { trialKey, type LeaderboardRun, type RunSource } from './leaderboard-run.js';

/** What a model of a source lacks for a place on a leaderboard. */
export interface Shortfall {
  /**
   * `RUNS_MISSING`: no run at all that can be ranked. `DATASET_MISSING`: no run on one of the datasets. `SEEDS_MISSING`: fewer than five repeats.
   * `REPEATS`: more than five, of which the best could be chosen, or a seed twice. `RUN_FAILED`: a run without a score.
   * `TRIALS_MISSING`: no search for the settings is there, `TRIALS_UNKNOWN`: the table does not say it. Others are
   * those of `submissionFaults`.
   */
  readonly code: string;
  /** null where it is about all. */
  readonly model: string | null;
  readonly dataset: string | null;
  readonly text: string;
  /** How many are there, and how many are due; null where nothing is counted. */
  readonly have: number | null;
  readonly due: number | null;
}

export interface SourceCheck {
  readonly source: string;
  readonly datasets: readonly string[];
  readonly models: number;
  readonly isComplete: boolean;
  readonly shortfalls: readonly Shortfall[];
}

/** Repeats of each model on each dataset (GEO-Bench-2, section 3.1). */
const REPEATS = 5;

/** What the runs of a source lack on these datasets: datasets, seeds, trials, and rules of the submission form. */
export function checkRuns(source: RunSource, datasets: readonly string[]): SourceCheck {
  const byModel = groupBy(source.runs, ({ model }) => model);
  const { models } = source;
  const lacking = models.flatMap((model) => {
    const byDataset = groupBy(byModel.get(model) ?? [], ({ dataset }) => dataset);
    return datasets.flatMap((dataset) =>
      cellShortfalls(source, model, dataset, byDataset.get(dataset) ?? []),
    );
  });
  const isShort = (model: string | null, dataset: string | null): boolean =>
    lacking.some((one) => SHORT.has(one.code) && one.model === model && one.dataset === dataset);
  const rules = source.faults
    .filter(({ code }) => code !== 'FAILED') // counted cell by cell
    .filter(({ code, model, dataset }) => code !== 'REPEATS' || !isShort(model, dataset))
    .filter(({ dataset }) => dataset === null || datasets.includes(dataset))
    .map((fault): Shortfall => ({ ...fault, have: null, due: null }));
  const isEmpty = source.runs.length === 0 || datasets.length === 0;
  const shortfalls = [...(isEmpty ? [NOTHING] : []), ...lacking, ...rules];
  return {
    source: source.name,
    datasets,
    models: models.length,
    isComplete: shortfalls.length === 0,
    shortfalls,
  };
}

const NOTHING: Shortfall = {
  code: 'RUNS_MISSING',
  model: null,
  dataset: null,
  text: 'No run is left that can be ranked.',
  have: 0,
  due: null,
};

/** Too few repeats, as `cellShortfalls` tells it. */
const SHORT: ReadonlySet<string> = new Set(['SEEDS_MISSING', 'DATASET_MISSING', 'RUN_FAILED']);

function cellShortfalls(
  { trials, kind }: RunSource,
  model: string,
  dataset: string,
  runs: readonly LeaderboardRun[],
): Shortfall[] {
  const of = (code: string, text: string, have: number | null, due: number | null): Shortfall => ({
    code,
    model,
    dataset,
    text: `${model} on ${dataset}: ${text}`,
    have,
    due,
  });
  if (runs.length === 0) return [of('DATASET_MISSING', 'no run.', 0, 1)];
  const found: Shortfall[] = [];
  const scored = runs.filter(({ score }) => score !== null);
  const unnamed = scored.filter(({ seed }) => seed === null).length;
  const seeds = new Set(scored.flatMap(({ seed }) => seed ?? [])).size + unnamed;
  if (seeds < REPEATS) found.push(of('SEEDS_MISSING', `${seeds} of ${REPEATS} seeds.`, seeds, REPEATS));
  // those of submissions are among its faults
  if (scored.length > REPEATS && kind !== 'submission')
    found.push(of('REPEATS', `${scored.length} runs, ${REPEATS} are due.`, scored.length, REPEATS));
  const failed = runs.length - scored.length;
  if (failed > 0) found.push(of('RUN_FAILED', `${failed} of ${runs.length} runs have no score.`, failed, 0));
  const limit = readSearchManifest('geobench2').trialCount;
  const count = trials.get(trialKey(model, dataset));
  if (count === undefined)
    found.push(of('TRIALS_UNKNOWN', 'the table does not say how many trials its search had.', null, limit));
  else if (count === 0)
    found.push(of('TRIALS_MISSING', `no trial of a search, up to ${limit} are due.`, 0, limit));
  else if (count > limit && kind !== 'submission')
    found.push(of('TRIALS', `${count} trials, at most ${limit} are allowed.`, count, limit));
  return found;
}
