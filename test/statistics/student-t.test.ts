import { expect, test } from 'vitest';
import { UsageError } from '../../src/errors.js';
import {
  incompleteBeta,
  logGamma,
  twoSidedProbability,
  twoSidedQuantile,
} from '../../src/statistics/student-t.js';

// Quantiles by mpmath 1.3.0 at 40 digits (bisection on betainc(n/2, 1/2, 0, n/(n + t²), regularized)); the
// first rows are also those of the NIST/SEMATECH e-Handbook, table 1.3.6.7.2 (12.706, 4.303, 3.182, 2.776, 2.571).
const QUANTILES: readonly (readonly [level: number, degreesOfFreedom: number, t: number])[] = [
  [0.95, 1, 12.706204736174705],
  [0.95, 2, 4.3026527297494639],
  [0.95, 3, 3.1824463052837096],
  [0.95, 4, 2.7764451051977944],
  [0.95, 5, 2.5705818356363155],
  [0.95, 9, 2.2621571627982055],
  [0.95, 29, 2.0452296421327043],
  [0.95, 99, 1.9842169515864175],
  [0.95, 1000, 1.9623390808264085],
  [0.99, 1, 63.656741162871581],
  [0.99, 2, 9.9248432009182931],
  [0.99, 19, 2.8609346064649792],
  [0.5, 1, 1.0],
  [0.5, 2, 0.81649658092772603],
  [0.5, 1000, 0.67473516460700944],
  [0.999, 1, 636.61924876871962],
  [0.999, 2, 31.599054576443621],
  [0.999, 29, 3.6594050194663329],
];

test('the quantile of t equals the values at 40 digits', () => {
  // relative: the asked 1e-9 with room, since the beta function is good to some 1e-14 here
  for (const [level, degrees, t] of QUANTILES)
    expect(twoSidedQuantile(level, degrees) / t - 1).toBeCloseTo(0, 12);
});

test('the quantile equals the closed forms for one and two degrees of freedom', () => {
  for (const level of [0.1, 0.5, 0.8, 0.9, 0.95, 0.99]) {
    expect(twoSidedQuantile(level, 1)).toBeCloseTo(Math.tan((Math.PI / 2) * level), 9);
    expect(twoSidedQuantile(level, 2)).toBeCloseTo(level * Math.sqrt(2 / (1 - level * level)), 9);
  }
});

test('two-sided p values equal those at 40 digits', () => {
  const cases = [
    [0.1, 2, 0.92946543841414017],
    [2.5, 2, 0.12961172022151081],
    [4.303, 2, 0.049992524985214501],
    [1, 7, 0.35061666282020753],
    [30, 3, 8.1352804271639595e-5],
    [1e-3, 40, 0.99920708628605741],
    [8, 100, 2.2728648077280806e-12],
  ] as const;
  // relative 1e-11: the smallest p carries the cancellation of three logarithms of the gamma function
  for (const [t, degrees, p] of cases) expect(twoSidedProbability(t, degrees) / p - 1).toBeCloseTo(0, 11);
  expect(twoSidedProbability(-2.5, 2)).toBe(twoSidedProbability(2.5, 2));
  expect(twoSidedProbability(Infinity, 3)).toBe(0);
});

test('the beta function and ln Γ have their exact values', () => {
  expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 14);
  expect(logGamma(11)).toBeCloseTo(Math.log(3628800), 12);
  // 14 digits: the logarithms of the gamma function carry a few units in the sixteenth
  expect(incompleteBeta(0.3, 1, 1)).toBeCloseTo(0.3, 14);
  expect(incompleteBeta(0.5, 2, 2)).toBeCloseTo(0.5, 14);
  expect(incompleteBeta(0.25, 2, 3)).toBeCloseTo(0.26171875, 14);
  expect([incompleteBeta(0, 2, 3), incompleteBeta(1, 2, 3)]).toEqual([0, 1]);
});

test('levels and degrees of freedom outside their range are refused', () => {
  expect(() => twoSidedQuantile(1, 3)).toThrow(UsageError);
  expect(() => twoSidedQuantile(0.95, 0)).toThrow(UsageError);
  expect(() => twoSidedQuantile(Number.NaN, 3)).toThrow(UsageError);
});
