import { isMissing, standardDeviation, type Score } from './summary.js';

/**
 * Density of values by a Gaussian kernel, at the points of a grid: what a violin plot draws. The width is the sample standard
 * deviation times n^(−1/5) (Scott 1992), as SciPy's `gaussian_kde`.
 * Missing values are left out.
 * @returns null below two values, and where all are equal: there is no density
 */
export function gaussianDensity(scores: readonly Score[], grid: readonly number[]): number[] | null {
  const values = scores.filter((score): score is number => !isMissing(score));
  const spread = standardDeviation(values);
  if (spread === null || spread === 0) return null;
  const width = spread * scottFactor(values.length);
  const scale = 1 / (values.length * width * Math.sqrt(2 * Math.PI));
  return grid.map((x) =>
    values.reduce((sum, value) => sum + scale * Math.exp(-(((x - value) / width) ** 2) / 2), 0),
  );
}

/** Width of Scott's rule in standard deviations: n^(−1/5). */
export const scottFactor = (count: number): number => count ** -0.2;
