import type { Resamples } from './bootstrap.js';
import { checkLevel } from './check-options.js';
import { quantileOfSorted } from './quantile.js';
import { mean, standardDeviation, type Interval } from './summary.js';

/** What resamples say of one model. The three measures of spread differ by far: name the one you print. */
export interface ResampleSummary {
  readonly model: string;
  /** Aggregate of the scores themselves. */
  readonly estimate: number | null;
  /** Mean over the resamples; GEO-Bench-2's leaderboard prints this as the score. */
  readonly mean: number | null;
  /** Sample standard deviation over the resamples: the standard error of the estimate. */
  readonly standardDeviation: number | null;
  /**
   * Standard deviation / √resamples: how far `mean` is from that of endless resamples. It shrinks with the number of
   * resamples and says nothing of the model; GEO-Bench-2's leaderboard prints it as its error.
   */
  readonly monteCarloError: number | null;
  /** Percentile interval of the resamples. */
  readonly interval: Interval | null;
  readonly level: number;
}

/**
 * Mean, deviation and percentile interval of each model's resamples; all but the estimate are null for a model with
 * one run on every dataset.
 * @param options.level share of resamples inside the interval, half of the rest on each side; default 0.95
 * @throws UsageError STATISTIC_OPTION for a level outside 0 … 1
 */
export function summarizeResamples(
  resamples: Resamples,
  options: { readonly level?: number } = {},
): ResampleSummary[] {
  const { level = 0.95 } = options;
  checkLevel(level);
  return resamples.models.map((model, row) => {
    const values = resamples.values[row];
    const own = values ? Array.from(values) : [];
    const deviation = standardDeviation(own);
    return {
      model,
      estimate: resamples.estimates[row] ?? null,
      mean: mean(own),
      standardDeviation: deviation,
      monteCarloError: deviation === null ? null : deviation / Math.sqrt(own.length),
      interval: percentileInterval(own, level),
      level,
    };
  });
}

/** The middle `level` of values; null for none. @throws UsageError STATISTIC_OPTION for a level outside 0 … 1 */
export function percentileInterval(values: readonly number[], level: number): Interval | null {
  checkLevel(level);
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const tail = (1 - level) / 2;
  return { low: quantileOfSorted(sorted, tail), high: quantileOfSorted(sorted, 1 - tail) };
}
