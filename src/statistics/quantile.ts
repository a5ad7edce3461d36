import { roundHalfEven } from '../round-half-even.js';
import { checkChoice, checkShare } from './check-options.js';
import { isMissing, type Score } from './summary.js';

/** How a quantile between two values is found (Hyndman & Fan 1996; names as NumPy has them). */
export type QuantileMethod = (typeof METHODS)[number];

const METHODS = [
  ...['linear', 'lower', 'higher', 'nearest', 'midpoint'],
  ...['hazen', 'weibull', 'median_unbiased'],
] as const;

/** Position of a probability among `count` sorted values, from 0, for the methods that interpolate. */
const POSITIONS: Readonly<Partial<Record<QuantileMethod, (share: number, count: number) => number>>> = {
  hazen: (share, count) => share * count - 0.5, // type 5
  weibull: (share, count) => share * (count + 1) - 1, // type 6
  median_unbiased: (share, count) => share * (count + 1 / 3) - 2 / 3, // type 8
};

/**
 * Quantile of sorted values. Default `linear` (type 7): position `share · (count − 1)`, interpolated.
 * @param sorted rising, at least one
 * @param share 0 … 1
 */
export function quantileOfSorted(
  sorted: ArrayLike<number>,
  share: number,
  method: QuantileMethod = 'linear',
): number {
  const last = sorted.length - 1;
  const raw = POSITIONS[method]?.(share, sorted.length) ?? share * last;
  const position = Math.min(Math.max(raw, 0), last);
  const low = sorted[Math.floor(position)]!;
  const high = sorted[Math.ceil(position)]!;
  if (method === 'lower') return low;
  if (method === 'higher') return high;
  if (method === 'midpoint') return Number.isInteger(position) ? low : (low + high) / 2;
  if (method === 'nearest') return sorted[roundHalfEven(position)]!;
  return low + (high - low) * (position - Math.floor(position));
}

/**
 * As `quantileOfSorted`, of values in any order, missing ones left out; null for none.
 * @throws UsageError STATISTIC_OPTION for a share outside 0 … 1 or a method that there is not
 */
export function quantile(
  values: readonly Score[],
  share: number,
  method: QuantileMethod = 'linear',
): number | null {
  checkShare('share', share);
  checkChoice('method', method, METHODS);
  const known = values.filter((value): value is number => !isMissing(value));
  if (known.length === 0) return null;
  return quantileOfSorted(Float64Array.from(known).sort(), share, method);
}
