import { InputError } from '../errors.js';
import { checkLevel } from './check-options.js';
import { twoSidedProbability, twoSidedQuantile } from './student-t.js';

/**
 * The rule for missing values, the same in every function here: null, undefined, NaN and ±Infinity are
 * missing. They are left out before anything is computed, and counted where the result has a `missing`.
 * What cannot be computed from the rest (the mean of none, the spread of one) is null, never 0.
 */
export type Score = number | null | undefined;

export const isMissing = (value: Score): value is null | undefined =>
  value === null || value === undefined || !Number.isFinite(value);

const present = (values: readonly Score[]): number[] =>
  values.filter((value): value is number => !isMissing(value));

/** Arithmetic mean; null where no value is there. */
export function mean(values: readonly Score[]): number | null {
  const known = present(values);
  return known.length === 0 ? null : meanOf(known);
}

function meanOf(known: readonly number[]): number {
  const rough = known.reduce((sum, value) => sum + value, 0) / known.length;
  // the second pass takes out the rounding of the first: equal values have exactly their own mean
  return rough + known.reduce((sum, value) => sum + (value - rough), 0) / known.length;
}

/** Sample standard deviation (n − 1 below the line); null below two values. */
export function standardDeviation(values: readonly Score[]): number | null {
  const known = present(values);
  if (known.length < 2) return null;
  const middle = meanOf(known);
  return Math.sqrt(known.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (known.length - 1));
}

/** Standard error of the mean: sample standard deviation / √n; null below two values. */
export function standardError(values: readonly Score[]): number | null {
  const spread = standardDeviation(values);
  return spread === null ? null : spread / Math.sqrt(present(values).length);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface MeanInterval {
  /** Values that are there. */
  readonly count: number;
  readonly missing: number;
  readonly mean: number | null;
  /** Sample standard deviation, null below two values. */
  readonly standardDeviation: number | null;
  /** Interval of the mean by Student's t; null below two values: one seed has no interval. */
  readonly interval: Interval | null;
  /** Half the interval's width, for `mean ± halfWidth`; null with it. */
  readonly halfWidth: number | null;
  readonly level: number;
}

/**
 * Mean of the values with its interval, mean ± t(level, n − 1) · s / √n. It takes the values as independent
 * draws from about a normal distribution; with three seeds t is 4.30, so that the interval is wide.
 * @param options.level share of such intervals that hold the true mean; default 0.95
 * @throws UsageError STATISTIC_OPTION for a level outside 0 … 1
 */
export function meanInterval(
  values: readonly Score[],
  options: { readonly level?: number } = {},
): MeanInterval {
  const level = options.level ?? 0.95;
  checkLevel(level);
  const known = present(values);
  const middle = mean(known);
  const spread = standardDeviation(known);
  const error = standardError(known);
  const halfWidth = error === null ? null : twoSidedQuantile(level, known.length - 1) * error;
  return {
    count: known.length,
    missing: values.length - known.length,
    mean: middle,
    standardDeviation: spread,
    interval:
      middle === null || halfWidth === null ? null : { low: middle - halfWidth, high: middle + halfWidth },
    halfWidth,
    level,
  };
}

/** A score of one seed. */
export interface SeedScore {
  readonly seed: number;
  readonly value: Score;
}

export interface PairedDifference extends MeanInterval {
  /** Seeds that both sides have, in rising order. */
  readonly seeds: readonly number[];
  /** Seeds left out: on one side only, or with a missing value on either. */
  readonly unpaired: readonly number[];
  /**
   * Two-sided p value of the paired t test against no difference; null below two pairs, and where every
   * pair has the same difference other than 0, for which t is not defined.
   */
  readonly pValue: number | null;
}

/**
 * Difference a − b, paired by seed: what the seeds share (order of samples, first weights) drops out.
 * `mean`, `interval` and `standardDeviation` are those of the differences.
 * @throws InputError STATISTIC_INPUT for a seed that occurs twice on one side; UsageError STATISTIC_OPTION for a level outside 0 … 1
 */
export function pairedDifference(
  a: readonly SeedScore[],
  b: readonly SeedScore[],
  options: { readonly level?: number } = {},
): PairedDifference {
  const first = bySeed(a);
  const second = bySeed(b);
  const all = [...new Set([...first.keys(), ...second.keys()])].sort((x, y) => x - y);
  const seeds = all.filter((seed) => !isMissing(first.get(seed)) && !isMissing(second.get(seed)));
  const differences = seeds.map((seed) => first.get(seed)! - second.get(seed)!);
  const summary = meanInterval(differences, options);
  const error = standardError(differences);
  let pValue: number | null = null;
  if (error !== null && error > 0) pValue = twoSidedProbability(summary.mean! / error, seeds.length - 1);
  else if (error === 0 && summary.mean === 0) pValue = 1;
  const unpaired = all.filter((seed) => !seeds.includes(seed));
  return { ...summary, missing: unpaired.length, seeds, unpaired, pValue };
}

function bySeed(scores: readonly SeedScore[]): Map<number, Score> {
  const map = new Map<number, Score>();
  for (const { seed, value } of scores) {
    if (map.has(seed)) {
      throw new InputError(
        'STATISTIC_INPUT',
        `Seed ${seed} occurs twice on one side of a paired difference.`,
        {
          hint: 'Give the scores of one arm on each side, one a seed.',
        },
      );
    }
    map.set(seed, value);
  }
  return map;
}
