import { checkChoice, wrongOption } from './check-options.js';
import type { ScoreMatrix } from './score-matrix.js';
import { mean } from './summary.js';

/**
 * Mean of what is left when the lowest and the highest `share` are cut: ⌊share · n⌋ values at each end, by count,
 * whatever their weight would be. As SciPy's `trim_mean`.
 * @returns null for no values
 * @throws UsageError STATISTIC_OPTION for a share outside 0 … ½, which is excluded
 */
export function trimmedMean(values: ArrayLike<number>, share: number): number | null {
  checkCut(share);
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const cut = Math.floor(share * sorted.length);
  const kept = sorted.subarray(cut, sorted.length - cut);
  // from the first on, so that equal values have exactly their own mean
  return kept[0]! + kept.reduce((sum, value) => sum + (value - kept[0]!), 0) / kept.length;
}

function checkCut(share: number): void {
  if (!(share >= 0 && share < 0.5)) throw wrongOption('share', share, 'from 0 to below 0.5');
}

/** Interquartile mean: a quarter is cut at each end; one to three values are all kept. */
export const interquartileMean = (values: ArrayLike<number>): number | null => trimmedMean(values, 0.25);

/** Middle value, or the mean of the two in the middle; null for none. */
export const median = (values: ArrayLike<number>): number | null => {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
};

/** A way to one number a model. */
export interface Aggregate {
  /** @param cells scores of each dataset, none empty */
  readonly of: (cells: readonly ArrayLike<number>[]) => number;
  /**
   * The same where only the pool of all scores counts: rising scores and how often each was drawn, `total` draws
   * in all. Resampling counts draws and need not sort.
   */
  readonly ofPool?: (sorted: Float64Array, counts: Uint32Array, total: number) => number;
  /** Of what is lacking: the better the scores, the lower it is. Default false. */
  readonly isGap?: boolean;
}

/**
 * Trimmed mean of the pool of all datasets' runs.
 * @throws UsageError STATISTIC_OPTION for a share outside 0 … ½, which is excluded
 */
export function pooledTrimmedMean(share: number): Aggregate {
  checkCut(share);
  return {
    of: (cells) => trimmedMean(pool(cells), share)!,
    ofPool(sorted, counts, total) {
      let skip = Math.floor(share * total);
      const kept = total - 2 * skip;
      let left = kept;
      let sum = 0;
      let first = Number.NaN;
      for (let i = 0; left > 0; i++) {
        const drawn = counts[i]!;
        if (drawn <= skip) {
          skip -= drawn;
          continue;
        }
        const taken = Math.min(drawn - skip, left);
        skip = 0;
        left -= taken;
        if (Number.isNaN(first)) first = sorted[i]!;
        sum += taken * (sorted[i]! - first);
      }
      return first + sum / kept;
    },
  };
}

/**
 * γ less the mean of scores cut at γ: what is lacking, over all datasets' runs (Agarwal et al. 2021, section 4.3).
 * @throws UsageError STATISTIC_OPTION for a γ that is not finite
 */
export function optimalityGap(gamma: number): Aggregate {
  if (!Number.isFinite(gamma)) throw wrongOption('gamma', gamma, 'a number, 1 for normalised scores');
  return {
    of: (cells) => gamma - meanOf(Array.from(pool(cells), (score) => Math.min(score, gamma))),
    isGap: true,
  };
}

/**
 * Ways to one number a model.
 * - `pooled-iqm`: interquartile mean of all datasets' runs in one pool. GEO-Bench (section 4), GEO-Bench-2's
 *   leaderboard and rliable compute this. A hard dataset can lie in the cut quarter as a whole.
 * - `mean-of-dataset-iqms`: interquartile mean of each dataset's runs, then the mean: every dataset counts alike.
 *   So reads the text of GEO-Bench-2, section 3.7.
 * - `pooled-mean`, `pooled-median`: of all datasets' runs in one pool.
 * - `mean-of-dataset-means`, `median-of-dataset-means`, `iqm-of-dataset-means`: of the datasets' means over runs.
 */
export const aggregates = {
  'pooled-iqm': pooledTrimmedMean(0.25),
  'mean-of-dataset-iqms': { of: (cells) => meanOf(cells.map((cell) => interquartileMean(cell)!)) },
  'pooled-mean': pooledTrimmedMean(0),
  'pooled-median': { of: (cells) => median(pool(cells))! },
  'mean-of-dataset-means': { of: (cells) => meanOf(cells.map(meanOf)) },
  'median-of-dataset-means': { of: (cells) => median(cells.map(meanOf))! },
  'iqm-of-dataset-means': { of: (cells) => interquartileMean(cells.map(meanOf))! },
} as const satisfies Record<string, Aggregate>;

export type AggregateName = keyof typeof aggregates;

const meanOf = (values: ArrayLike<number>): number => mean(Array.from(values))!;

function pool(cells: readonly ArrayLike<number>[]): Float64Array {
  const all = new Float64Array(cells.reduce((sum, cell) => sum + cell.length, 0));
  let at = 0;
  for (const cell of cells) {
    all.set(cell, at);
    at += cell.length;
  }
  return all;
}

export interface AggregateOptions {
  /** Models that lack a dataset: `null` (default) gives them no number, `rest` one of the datasets they have. */
  readonly ofIncomplete?: 'null' | 'rest';
}

/**
 * One number a model, null where the model lacks a dataset (see `ofIncomplete`) or has no run.
 * @throws UsageError STATISTIC_OPTION
 */
export function aggregate(
  matrix: ScoreMatrix,
  by: AggregateName | Aggregate,
  options: AggregateOptions = {},
): (number | null)[] {
  const { of } = aggregateOf(by);
  return countedCells(matrix, options).map((cells) =>
    cells === null ? null : of(cells.map((column) => column.values)),
  );
}

/** @throws UsageError STATISTIC_OPTION for a name that there is not */
export function aggregateOf(by: AggregateName | Aggregate): Aggregate {
  if (typeof by !== 'string') return by;
  checkChoice('aggregate', by, Object.keys(aggregates));
  return aggregates[by];
}

/** Cells of each model that enter its aggregate; null for a model that has none. @throws UsageError STATISTIC_OPTION */
export function countedCells(
  matrix: ScoreMatrix,
  { ofIncomplete = 'null' }: AggregateOptions = {},
): ({ readonly column: number; readonly values: readonly number[] }[] | null)[] {
  checkChoice('ofIncomplete', ofIncomplete, ['null', 'rest']);
  return matrix.cells.map((row) => {
    const cells = row.flatMap(({ values }, column) => (values.length > 0 ? [{ column, values }] : []));
    const isShort = cells.length < row.length && ofIncomplete === 'null';
    return isShort || cells.length === 0 ? null : cells;
  });
}
