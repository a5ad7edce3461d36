import { groupBy } from '../collections.js';
import { listed } from '../display/words.js';
import { InputError } from '../errors.js';
import { isHigherBetter } from '../results/main-score.js';
import type { RunScore } from '../results/run-score.js';
import { shortfalls } from './shortfalls.js';
import { isMissing } from './summary.js';

/**
 * Scores of models on datasets, several runs each: what the functions of this folder work on.
 *
 * The rule for what is not as it should be; whatever it touches is named in `warnings`.
 * - **Failed run** (null, NaN, ±Infinity): left out of every number, never 0. `RUN_FAILED`
 * - **Missing run** (a cell has fewer runs than its dataset's fullest; than the fullest of all, where that has every seed
 *   there is): the runs that exist count. `RUN_MISSING`
 * - **Missing cell** (a model has no run on a dataset): the model is left out on that dataset, and has no
 *   aggregate (null) over datasets that it lacks, unless the caller asks for the rest. `CELL_MISSING`
 * - **Repeated seed**: equal scores are one run, `REPEAT_MERGED`; of different scores the first counts, `SEED_CONFLICT`.
 *   Runs without a seed are runs of their own and are never paired.
 * - **One run**: the score stands alone, without deviation, interval or test. `ONE_RUN`
 * - **Ties**: equal values share their rank, and count half as a win, unless a function says otherwise.
 * - **Constant dataset** (every model the same): left out of normalised scores. `DATASET_CONSTANT`
 */
export interface ScoreMatrix {
  readonly models: readonly string[];
  readonly datasets: readonly string[];
  /** [model][dataset] */
  readonly cells: readonly (readonly ScoreCell[])[];
  /** By dataset. */
  readonly higherIsBetter: readonly boolean[];
  readonly warnings: readonly ScoreWarning[];
}

/** Finite scores of a model's runs on a dataset, in the order in which they came. */
export interface ScoreCell {
  readonly values: readonly number[];
  /** Of each value; null where it is not known. */
  readonly seeds: readonly (string | null)[];
}

export interface ScoreWarning {
  readonly code:
    | 'RUN_FAILED'
    | 'RUN_MISSING'
    | 'CELL_MISSING'
    | 'REPEAT_MERGED'
    | 'SEED_CONFLICT'
    | 'ONE_RUN'
    | 'DATASET_CONSTANT';
  readonly text: string;
  /** null where it is about all. */
  readonly model: string | null;
  readonly dataset: string | null;
  /** Seeds that it is about, where they are known. */
  readonly seeds: readonly string[];
}

export interface ScoreMatrixOptions {
  /** Datasets whose lower scores are better. Default: those whose metric is known to be an error. */
  readonly lowerIsBetter?: readonly string[];
  /** Which models, in which order; default: all, in the order in which they come. */
  readonly models?: readonly string[];
  /** Which datasets, in which order; default: all, in the order in which they come. */
  readonly datasets?: readonly string[];
}

/**
 * Sorts runs into a matrix.
 * @throws InputError METRICS_MIXED: runs of one dataset are scored by different metrics
 */
export function scoreMatrix(runs: readonly RunScore[], options: ScoreMatrixOptions = {}): ScoreMatrix {
  const byDataset = groupBy(runs, (run) => run.dataset);
  const byModel = groupBy(runs, (run) => run.model);
  const { models = [...byModel.keys()], datasets = [...byDataset.keys()] } = options;
  const warnings: ScoreWarning[] = [];
  const higherIsBetter = datasets.map((dataset) => {
    const metric = metricOf(dataset, byDataset.get(dataset) ?? []);
    return options.lowerIsBetter ? !options.lowerIsBetter.includes(dataset) : isHigherBetter(metric ?? '');
  });
  const cells = models.map((model) => {
    const ofModel = groupBy(byModel.get(model) ?? [], (run) => run.dataset);
    return datasets.map((dataset) => cellOf(model, dataset, ofModel.get(dataset) ?? [], warnings));
  });
  const matrix = { models, datasets, cells, higherIsBetter };
  return { ...matrix, warnings: [...warnings, ...shortfalls(matrix)] };
}

function metricOf(dataset: string, runs: readonly RunScore[]): string | null {
  const metrics = [...new Set(runs.map((run) => run.metric))];
  if (metrics.length < 2) return metrics[0] ?? null;
  const names = listed(metrics.map((metric) => (metric === null ? 'no name' : `"${metric}"`)));
  throw new InputError('METRICS_MIXED', `Runs of "${dataset}" are scored by ${names}.`, {
    where: dataset,
    hint: 'Keep the runs of one metric a dataset.',
  });
}

function cellOf(
  model: string,
  dataset: string,
  runs: readonly RunScore[],
  warnings: ScoreWarning[],
): ScoreCell {
  const values: number[] = [];
  const seeds: (string | null)[] = [];
  const failed: (string | null)[] = [];
  const merged: string[] = [];
  const warn = (code: ScoreWarning['code'], text: string, about: readonly string[]): void =>
    void warnings.push({ code, text: `${model} on ${dataset}: ${text}`, model, dataset, seeds: about });
  for (const { seed, score } of runs) {
    if (isMissing(score)) {
      failed.push(seed);
      continue;
    }
    const first = seed === null ? -1 : seeds.indexOf(seed);
    if (first < 0) {
      values.push(score);
      seeds.push(seed);
    } else if (values[first] === score) {
      merged.push(seed!);
    } else {
      const text = `seed ${seed!} has the scores ${values[first]} and ${score}; the first counts.`;
      warn('SEED_CONFLICT', text, [seed!]);
    }
  }
  const named = failed.filter((seed) => seed !== null);
  if (failed.length > 0)
    warn('RUN_FAILED', `${counted(failed.length, 'run')} failed${seedList(named)}.`, named);
  if (merged.length > 0)
    warn('REPEAT_MERGED', `${counted(merged.length, 'equal repeat')} merged${seedList(merged)}.`, merged);
  return { values, seeds };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const seedList = (seeds: readonly string[]): string =>
  seeds.length === 0 ? '' : `, seed${seeds.length === 1 ? '' : 's'} ${listed(seeds)}`;

/** The matrix of these datasets alone, in this order; what is not there is an empty cell. Warnings about others go. */
export function selectDatasets(matrix: ScoreMatrix, datasets: readonly string[]): ScoreMatrix {
  const from = datasets.map((dataset) => matrix.datasets.indexOf(dataset));
  const selected = {
    models: matrix.models,
    datasets,
    cells: matrix.cells.map((row) => from.map((at) => row[at] ?? EMPTY)),
    higherIsBetter: from.map((at) => matrix.higherIsBetter[at] ?? true),
  };
  const kept = matrix.warnings.filter(({ dataset }) => dataset === null || datasets.includes(dataset));
  const absent = selectUnknown(matrix, datasets);
  return { ...selected, warnings: [...kept, ...absent] };
}

const EMPTY: ScoreCell = { values: [], seeds: [] };

function selectUnknown(matrix: ScoreMatrix, datasets: readonly string[]): ScoreWarning[] {
  return datasets
    .filter((dataset) => !matrix.datasets.includes(dataset))
    .map((dataset) => ({
      code: 'CELL_MISSING',
      text: `No model has a run on ${dataset}.`,
      model: null,
      dataset,
      seeds: [],
    }));
}

/** The matrix of these models alone, in this order. Warnings about others go. */
export function selectModels(matrix: ScoreMatrix, models: readonly string[]): ScoreMatrix {
  return {
    ...matrix,
    models,
    cells: models.map(
      (model) => matrix.cells[matrix.models.indexOf(model)] ?? matrix.datasets.map(() => EMPTY),
    ),
    warnings: matrix.warnings.filter(({ model }) => model === null || models.includes(model)),
  };
}

/** [model][dataset]: one number a cell, null for an empty one. */
export function cellStatistics(
  matrix: ScoreMatrix,
  statistic: (values: readonly number[]) => number | null,
): (number | null)[][] {
  return matrix.cells.map((row) => row.map(({ values }) => (values.length === 0 ? null : statistic(values))));
}
