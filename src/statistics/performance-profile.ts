import type { ScoreMatrix } from './score-matrix.js';
import { mean } from './summary.js';

/**
 * Performance profile: the share of a model's runs that score above each threshold, first on a dataset, then the mean over
 * datasets (Agarwal et al. 2021, section 4.2, the score distribution). Curves that do not cross order models
 * whatever the aggregate. Meant for normalised scores.
 * @returns [model][threshold]; null for a model that lacks a dataset
 */
export function performanceProfile(matrix: ScoreMatrix, thresholds: readonly number[]): (number[] | null)[] {
  return matrix.cells.map((row) => {
    if (row.length === 0 || row.some(({ values }) => values.length === 0)) return null;
    return thresholds.map((threshold) =>
      mean(row.map(({ values }) => values.filter((score) => score > threshold).length / values.length))!,
    );
  });
}
