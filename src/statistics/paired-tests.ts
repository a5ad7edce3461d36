import { InputError } from '../errors.js';
import { checkChoice, checkLevel } from './check-options.js';
import { isMissing, mean, standardDeviation, type Interval } from './summary.js';
import { twoSidedProbability, twoSidedQuantile } from './student-t.js';

/** A test of Student's t. All but the difference are null below two values, and where t is not defined. */
export interface TTest {
  /** Mean of a − mean of b. */
  readonly difference: number | null;
  readonly t: number | null;
  /** Without spread still known where they are counts alone; of Welch's test null. */
  readonly degreesOfFreedom: number | null;
  /** Two-sided, against no difference. */
  readonly pValue: number | null;
  /** One-sided, against a ≤ b. */
  readonly pValueGreater: number | null;
  readonly interval: Interval | null;
}

export interface LevelOption {
  /** Share of such intervals that hold the true difference; default 0.95. */
  readonly level?: number;
}

/**
 * Paired t test of a − b, value by value (Student 1908), as `ttest_rel` of SciPy. Where every difference is the same, t has no
 * value: neither it nor p is given, also where all are 0.
 * @throws InputError STATISTIC_INPUT where a and b differ in length; UsageError STATISTIC_OPTION
 */
export function pairedTTest(a: readonly number[], b: readonly number[], options: LevelOption = {}): TTest {
  const differences = pairwise(a, b);
  const deviation = standardDeviation(differences);
  const error = deviation === null ? null : deviation / Math.sqrt(differences.length);
  return tTest(mean(differences), error, differences.length - 1, options);
}

/**
 * t test of two independent samples: `equalVariances` (Student, the default of SciPy's `ttest_ind`) or not
 * (Welch 1947).
 */
export function independentTTest(
  givenA: readonly number[],
  givenB: readonly number[],
  options: LevelOption & { readonly equalVariances?: boolean } = {},
): TTest {
  const [a, b] = [known(givenA), known(givenB)];
  const [first, second] = [variance(a), variance(b)];
  const [middleA, middleB] = [mean(a), mean(b)];
  const difference = middleA === null || middleB === null ? null : middleA - middleB;
  if (first === null || second === null) return tTest(difference, null, 0, options);
  const [u, v] = [first / a.length, second / b.length];
  if (options.equalVariances ?? true) {
    const degrees = a.length + b.length - 2;
    const pooled = ((a.length - 1) * first + (b.length - 1) * second) / degrees;
    return tTest(difference, Math.sqrt(pooled * (1 / a.length + 1 / b.length)), degrees, options);
  }
  const degrees = (u + v) ** 2 / (u ** 2 / (a.length - 1) + v ** 2 / (b.length - 1));
  return tTest(difference, Math.sqrt(u + v), degrees, options);
}

function tTest(
  difference: number | null,
  error: number | null,
  degreesOfFreedom: number,
  { level = 0.95 }: LevelOption,
): TTest {
  checkLevel(level);
  if (difference === null || error === null || error === 0) {
    const isKnown = error !== null && Number.isFinite(degreesOfFreedom);
    const none = { t: null, pValue: null, pValueGreater: null, interval: null };
    return { difference, ...none, degreesOfFreedom: isKnown ? degreesOfFreedom : null };
  }
  const t = difference / error;
  const pValue = twoSidedProbability(t, degreesOfFreedom);
  const halfWidth = twoSidedQuantile(level, degreesOfFreedom) * error;
  return {
    difference,
    t,
    degreesOfFreedom,
    pValue,
    pValueGreater: t > 0 ? pValue / 2 : 1 - pValue / 2,
    interval: { low: difference - halfWidth, high: difference + halfWidth },
  };
}

/**
 * Cohen's d of a − b, in two senses that papers do not always tell apart:
 * - `paired`: mean of the differences / their sample deviation. It grows where pairs go together.
 * - `pooled` (the default of Cohen 1988): difference of the means / root of the mean of both sample variances.
 *
 * null where the deviation is 0 or has no value, and, for `paired`, where a and b differ in length.
 * @throws UsageError STATISTIC_OPTION
 */
export function cohensD(
  a: readonly number[],
  b: readonly number[],
  kind: 'paired' | 'pooled',
): number | null {
  checkChoice('kind', kind, ['paired', 'pooled']);
  if (kind === 'paired') {
    if (a.length !== b.length) return null;
    const differences = pairwise(a, b);
    return ratio(mean(differences), standardDeviation(differences));
  }
  const [first, second] = [variance(a), variance(b)];
  if (first === null || second === null) return null;
  return ratio(mean(a)! - mean(b)!, Math.sqrt((first + second) / 2));
}

/** Cohen's pooled d less its bias in small samples, by the factor 1 − 3 / (4 · (n + m − 2) − 1) (Hedges 1981). */
export function hedgesG(a: readonly number[], b: readonly number[]): number | null {
  const d = cohensD(a, b, 'pooled');
  return d === null ? null : d * (1 - 3 / (4 * (known(a).length + known(b).length - 2) - 1));
}

const ratio = (above: number | null, below: number | null): number | null =>
  above === null || below === null || below === 0 ? null : above / below;

const variance = (values: readonly number[]): number | null => {
  const deviation = standardDeviation(values);
  return deviation === null ? null : deviation ** 2;
};

const known = (values: readonly number[]): number[] => values.filter((value) => !isMissing(value));

/** a − b, value by value, without pairs of which one is missing (NaN). @throws InputError STATISTIC_INPUT where they differ in length */
export function pairwise(a: readonly number[], b: readonly number[]): number[] {
  if (a.length !== b.length) {
    const sizes = `${a.length} and ${b.length}`;
    throw new InputError('STATISTIC_INPUT', `Pairs need as many values on both sides, not ${sizes}.`, {
      hint: 'Leave out what has no partner: pairBySeed does.',
    });
  }
  return known(a.map((value, i) => value - b[i]!));
}
