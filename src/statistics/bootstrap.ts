import {
  aggregate,
  aggregateOf,
  countedCells,
  type Aggregate,
  type AggregateName,
  type AggregateOptions,
} from './aggregate.js';
import { checkResamples } from './check-options.js';
import type { Draws, DrawnCell } from './draws.js';
import type { ScoreMatrix } from './score-matrix.js';

export interface BootstrapOptions extends AggregateOptions {
  /** How many times the scores are drawn anew. */
  readonly resamples: number;
  readonly draws: Draws;
}

/** Aggregates of resampled scores. */
export interface Resamples {
  readonly models: readonly string[];
  readonly count: number;
  /** Of the aggregates; null where some of the datasets' scores are better high and some low, so that neither is. */
  readonly higherIsBetter: boolean | null;
  /** Of the scores themselves; null for a model without an aggregate. */
  readonly estimates: readonly (number | null)[];
  /** [model], of each resample; null for a model without an aggregate, or whose cells have one run each. */
  readonly values: readonly (Float64Array | null)[];
}

/**
 * Stratified bootstrap: each resample draws, in every cell of model and dataset, as many runs as it has, with
 * replacement, and aggregates anew (Efron 1979; Agarwal et al. 2021, section 4.1; GEO-Bench, section 4). What varies is
 * the seed; the datasets are taken as given (`bootstrapDatasets` draws those). Limits of normalised scores stay
 * fixed. One run cannot be drawn anew: a model with one run on every dataset has no resamples.
 * @throws UsageError STATISTIC_OPTION
 */
export function bootstrap(
  matrix: ScoreMatrix,
  by: AggregateName | Aggregate,
  options: BootstrapOptions,
): Resamples {
  const { resamples, draws } = options;
  checkResamples(resamples);
  const cells = drawnCells(matrix);
  const picks = new Int32Array(cells.reduce((sum, { count }) => sum + count, 0));
  const hasAggregate = countedCells(matrix, options);
  const counted = cells.filter(({ row }) => hasAggregate[row]);
  const { of, ofPool } = aggregateOf(by);
  const evaluate = ofPool ? pooledResample(matrix, counted, ofPool) : plainResample(matrix, counted, of);
  const hasSpread = new Set(counted.flatMap(({ row, count }) => (count > 1 ? [row] : [])));
  const values = matrix.models.map((_, row) => (hasSpread.has(row) ? new Float64Array(resamples) : null));
  for (let i = 0; i < resamples; i++) {
    draws(i, cells, picks);
    evaluate(picks, values, i);
  }
  const estimates = aggregate(matrix, by, options);
  return {
    models: matrix.models,
    count: resamples,
    higherIsBetter: directionOf(matrix, by),
    estimates,
    values,
  };
}

/** Whether a higher aggregate is better; null where datasets that have runs differ in it. */
export function directionOf(matrix: ScoreMatrix, by: AggregateName | Aggregate): boolean | null {
  const scored = matrix.datasets.flatMap((_, column) =>
    matrix.cells.some((row) => row[column]!.values.length > 0) ? [matrix.higherIsBetter[column]!] : [],
  );
  if (new Set(scored).size > 1) return null;
  return (scored[0] ?? true) !== (aggregateOf(by).isGap ?? false);
}

/** Every cell with a run, models one after another; draws of models without an aggregate are made and not used. */
export function drawnCells(matrix: ScoreMatrix): DrawnCell[] {
  let start = 0;
  return matrix.cells.flatMap((line, row) =>
    line.flatMap(({ values: { length: count } }, column) => {
      if (count === 0) return [];
      start += count;
      const [model, dataset] = [matrix.models[row]!, matrix.datasets[column]!];
      return [{ row, column, model, dataset, start: start - count, count }];
    }),
  );
}

/** Writes the aggregates of one resample. */
type Evaluate = (picks: Int32Array, values: readonly (Float64Array | null)[], resample: number) => void;

/** Aggregates the drawn scores of each model, cell by cell. */
function plainResample(matrix: ScoreMatrix, cells: readonly DrawnCell[], of: Aggregate['of']): Evaluate {
  const models = byRow(cells).map(({ row, own }) => ({
    row,
    drawn: own.map(({ column, start, count }) => ({
      scores: matrix.cells[row]![column]!.values,
      start,
      into: new Float64Array(count),
    })),
  }));
  return (picks, values, resample) => {
    for (const { row, drawn } of models) {
      const target = values[row];
      if (!target) continue;
      for (const { scores, start, into } of drawn)
        for (let i = 0; i < into.length; i++) into[i] = scores[picks[start + i]!]!;
      target[resample] = of(drawn.map(({ into }) => into));
    }
  };
}

/** Counts how often each score of a model's pool was drawn: the pool is sorted once, not once a resample. */
function pooledResample(
  matrix: ScoreMatrix,
  cells: readonly DrawnCell[],
  ofPool: NonNullable<Aggregate['ofPool']>,
): Evaluate {
  const models = byRow(cells).map(({ row, own }) => {
    const scores = own.flatMap(({ column }) => matrix.cells[row]![column]!.values);
    const order = scores.map((_, run) => run).sort((a, b) => scores[a]! - scores[b]!);
    const place = new Int32Array(scores.length); // of each run among the sorted runs
    for (const [at, run] of order.entries()) place[run] = at;
    const sorted = Float64Array.from(order, (run) => scores[run]!);
    return { row, own, sorted, place, counts: new Uint32Array(scores.length) };
  });
  return (picks, values, resample) => {
    for (const { row, own, sorted, place, counts } of models) {
      const target = values[row];
      if (!target) continue;
      counts.fill(0);
      let before = 0; // runs of the cells so far
      for (const { start, count } of own) {
        for (let i = start; i < start + count; i++) counts[place[before + picks[i]!]!]!++;
        before += count;
      }
      target[resample] = ofPool(sorted, counts, sorted.length);
    }
  };
}

function byRow(cells: readonly DrawnCell[]): { row: number; own: DrawnCell[] }[] {
  return [...new Set(cells.map(({ row }) => row))].map((row) => ({
    row,
    own: cells.filter((cell) => cell.row === row),
  }));
}
