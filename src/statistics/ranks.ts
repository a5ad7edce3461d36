import type { AggregateOptions } from './aggregate.js';
import { checkChoice, wrongOption } from './check-options.js';
import { cellStatistics, type ScoreMatrix } from './score-matrix.js';
import { isMissing, mean, type Score } from './summary.js';

export interface RankOptions {
  /** Default true. */
  readonly higherIsBetter?: boolean;
  /**
   * Equal values share a rank: `average` (default), the mean of the places they take; `min`, the best of them
   * (1, 2, 2, 4), as in printed tables.
   */
  readonly ties?: 'average' | 'min';
}

/**
 * Place of each value, 1 for the best; null for a missing one, which takes no place.
 * @throws UsageError STATISTIC_OPTION
 */
export function ranks(values: readonly Score[], options: RankOptions = {}): (number | null)[] {
  const { higherIsBetter = true, ties = 'average' } = options;
  checkChoice('ties', ties, ['average', 'min']);
  return values.map((value) => {
    if (isMissing(value)) return null;
    let better = 0;
    let equal = 0;
    for (const other of values) {
      if (isMissing(other)) continue;
      if (other === value) equal++;
      else if (other > value === higherIsBetter) better++;
    }
    return better + (ties === 'min' ? 1 : (equal + 1) / 2);
  });
}

/** [model][dataset]: ranks by the mean over runs, on each dataset the way that is better there. */
export function rankTable(matrix: ScoreMatrix, options: Pick<RankOptions, 'ties'> = {}): (number | null)[][] {
  const means = cellStatistics(matrix, mean);
  const columns = matrix.datasets.map((_, column) =>
    ranks(
      means.map((row) => row[column]),
      { ...options, higherIsBetter: matrix.higherIsBetter[column]! },
    ),
  );
  return matrix.models.map((_, row) => columns.map((column) => column[row]!));
}

/** Mean of a model's ranks over datasets, 1 the best possible; null for a model that lacks a dataset (see `ofIncomplete`). */
export const averageRanks = (
  matrix: ScoreMatrix,
  options: Pick<RankOptions, 'ties'> & AggregateOptions = {},
): (number | null)[] =>
  rankTable(matrix, options).map((row) =>
    options.ofIncomplete !== 'rest' && row.includes(null) ? null : mean(row),
  );

/**
 * On how many datasets a model is among the best `places`, by the mean over runs: with 2, the #Top2 of PANGAEA
 * (section 5.1). Models that share the last of the places all count.
 * @throws UsageError STATISTIC_OPTION
 */
export function topCounts(matrix: ScoreMatrix, places: number): number[] {
  if (!(Number.isInteger(places) && places >= 1))
    throw wrongOption('places', places, 'a whole number from 1');
  return rankTable(matrix, { ties: 'min' }).map(
    (row) => row.filter((rank) => rank !== null && rank <= places).length,
  );
}
