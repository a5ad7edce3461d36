import type { NumericData } from '../../io/numeric-array.js';

/** A number of `expected.json`: NaN, infinities and integers past 2^53 − 1 are texts. */
export type ExpectedNumber = number | string | boolean | null;

export interface ExpectedStatistics {
  readonly count?: number;
  readonly nanCount?: number;
  readonly infCount?: number;
  readonly sum?: ExpectedNumber;
  readonly mean?: ExpectedNumber;
  readonly min?: ExpectedNumber;
  readonly max?: ExpectedNumber;
}

export interface ExpectedTolerance {
  readonly abs?: number;
  readonly rel?: number;
}

/** Sums in another order differ by a few units in the last place; the reference adds with an exact sum. */
const SUM_TOLERANCE = 1e-12;

/** Equal as numbers, exact unless a tolerance is given. */
export function isNumber(
  got: number | bigint | boolean | undefined,
  expected: ExpectedNumber,
  { abs = 0, rel = 0 }: ExpectedTolerance = {},
): boolean {
  if (got === undefined) return expected === null;
  if (typeof got === 'bigint' || (typeof expected === 'string' && /^-?\d+$/.test(expected)))
    return typeof expected !== 'boolean' && expected !== null && BigInt(got) === BigInt(expected);
  const [a, b] = [Number(got), Number(expected)];
  return Object.is(a, b) || a === b || Math.abs(a - b) <= abs + rel * Math.abs(b);
}

/** Compares the statistics over the finite numbers; undefined where all are equal. */
export function statisticsDifference(
  data: NumericData,
  expected: ExpectedStatistics,
  tolerance: ExpectedTolerance = {},
): string | undefined {
  const found = statisticsOf(data);
  for (const name of ['count', 'nanCount', 'infCount'] as const) {
    if (expected[name] !== undefined && expected[name] !== found[name])
      return `${name} is ${found[name]}, not ${expected[name]}`;
  }
  for (const name of ['min', 'max', 'sum', 'mean'] as const) {
    const due = expected[name];
    if (due === undefined) continue;
    const isSum = name === 'sum' || name === 'mean';
    const allowed = isSum ? { ...tolerance, rel: Math.max(tolerance.rel ?? 0, SUM_TOLERANCE) } : tolerance;
    // a sum past 2^53 is compared whole, its mean is a double
    const got = name === 'mean' && found.mean !== undefined ? Number(found.mean) : found[name];
    if (!isNumber(got, due, allowed)) return `${name} is ${String(got)}, not ${String(due)}`;
  }
  return undefined;
}

interface Statistics {
  count: number;
  nanCount: number;
  infCount: number;
  sum: number | bigint | undefined;
  mean: number | undefined;
  min: number | bigint | undefined;
  max: number | bigint | undefined;
}

export function statisticsOf(data: NumericData): Statistics {
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return statisticsOfBig(data);
  let [count, nanCount, infCount, sum, lost, min, max] = [0, 0, 0, 0, 0, Infinity, -Infinity];
  for (const value of data) {
    if (!Number.isFinite(value)) {
      if (Number.isNaN(value)) nanCount++;
      else infCount++;
      continue;
    }
    count++;
    // Neumaier's sum: what is lost by each addition is kept
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (count === 0)
    return { count, nanCount, infCount, sum: undefined, mean: undefined, min: undefined, max: undefined };
  return { count, nanCount, infCount, sum: sum + lost, mean: (sum + lost) / count, min, max };
}

function statisticsOfBig(data: BigInt64Array | BigUint64Array): Statistics {
  const count = data.length;
  if (count === 0)
    return {
      count,
      nanCount: 0,
      infCount: 0,
      sum: undefined,
      mean: undefined,
      min: undefined,
      max: undefined,
    };
  let [sum, min, max] = [0n, data[0]!, data[0]!];
  for (const value of data) {
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { count, nanCount: 0, infCount: 0, sum, mean: Number(sum) / count, min, max };
}

/** First numbers in C order, and the last one. */
export function endsDifference(
  data: NumericData,
  { first, last }: { readonly first?: readonly ExpectedNumber[]; readonly last?: ExpectedNumber },
): string | undefined {
  for (const [index, due] of (first ?? []).entries()) {
    if (!isNumber(data[index], due)) return `element ${index} is ${String(data[index])}, not ${String(due)}`;
  }
  if (last !== undefined && last !== null && !isNumber(data.at(-1), last))
    return `the last element is ${String(data.at(-1))}, not ${String(last)}`;
  return undefined;
}

export const shapeDifference = (got: readonly number[], expected: readonly number[]): string | undefined =>
  got.join() === expected.join()
    ? undefined
    : `the shape is [${got.join(', ')}], not [${expected.join(', ')}]`;

/** Elements by their place on every axis. */
export function probesDifference(
  { shape, data }: { readonly shape: readonly number[]; readonly data: NumericData },
  probes: readonly { readonly index: readonly number[]; readonly value: ExpectedNumber }[] = [],
): string | undefined {
  for (const { index, value } of probes) {
    const at = index.reduce((offset, position, axis) => offset * shape[axis]! + position, 0);
    if (!isNumber(data[at], value))
      return `element [${index.join(', ')}] is ${String(data[at])}, not ${String(value)}`;
  }
  return undefined;
}
