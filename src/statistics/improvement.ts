import { cellStatistics, type ScoreMatrix } from './score-matrix.js';
import { mean } from './summary.js';

/** Share of pairs (x of a, y of b) with x > y. @param ties what an equal pair counts: 0 or ½ */
export function beatShare(a: readonly number[], b: readonly number[], ties: 0 | 0.5): number {
  let wins = 0;
  for (const x of a) for (const y of b) wins += x > y ? 1 : x === y ? ties : 0;
  return wins / (a.length * b.length);
}

/**
 * Chance that a run of one model beats a run of another on a dataset: Mann–Whitney U / (n · m), ties half, the mean over
 * the datasets that both have (Agarwal et al. 2021, section 4.3). 0.5 where they are alike; null where they share none.
 */
export function probabilityOfImprovement(matrix: ScoreMatrix, model: string, over: string): number | null {
  const [a, b] = [model, over].map((name) => matrix.cells[matrix.models.indexOf(name)]);
  if (!a || !b) return null;
  return mean(
    matrix.datasets.flatMap((_, column) => {
      const [x, y] = [a[column]!.values, b[column]!.values];
      if (x.length === 0 || y.length === 0) return [];
      const share = beatShare(x, y, 0.5);
      return [matrix.higherIsBetter[column]! ? share : 1 - share];
    }),
  );
}

/**
 * Share of the comparisons with every other model on every shared dataset that a model's mean over runs wins; equal means
 * are half a win. null for a model that shares no dataset with another.
 */
export function winRates(matrix: ScoreMatrix): (number | null)[] {
  const means = cellStatistics(matrix, mean);
  return matrix.models.map((_, row) =>
    mean(
      matrix.datasets.flatMap((_dataset, column) => {
        const own = means[row]![column]!;
        if (own === null) return [];
        const sign = matrix.higherIsBetter[column]! ? 1 : -1;
        return means.flatMap((other, at) => {
          const value = other[column]!;
          return at === row || value === null ? [] : [(1 + Math.sign(sign * (own - value))) / 2];
        });
      }),
    ),
  );
}
