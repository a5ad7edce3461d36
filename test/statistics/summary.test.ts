import { expect, test } from 'vitest';
import {
  mean,
  meanInterval,
  pairedDifference,
  standardDeviation,
  standardError,
} from '../../src/statistics/summary.js';

// chosen so that mean 6, median 5 and the population deviation differ from what is expected
const VALUES = [2, 3, 5, 14];

test('mean, sample deviation and standard error have their textbook values', () => {
  expect(mean(VALUES)).toBe(6);
  expect(standardDeviation(VALUES)).toBeCloseTo(Math.sqrt(90 / 3), 14);
  expect(standardError(VALUES)).toBeCloseTo(Math.sqrt(30) / 2, 14);
});

test('null, NaN and infinities are missing, are left out and counted', () => {
  const holed = [2, null, 3, Number.NaN, 5, Infinity, undefined, 14, -Infinity];
  expect(mean(holed)).toBe(6);
  expect(standardDeviation(holed)).toBe(standardDeviation(VALUES));
  expect(meanInterval(holed)).toEqual({ ...meanInterval(VALUES), missing: 5 });
});

test('what cannot be computed is null and never 0', () => {
  expect(mean([])).toBeNull();
  expect(mean([Number.NaN, null])).toBeNull();
  expect(standardDeviation([0.5])).toBeNull();
  expect(standardError([0.5, null])).toBeNull();
  const one = meanInterval([0.5]);
  expect(one).toEqual({
    count: 1,
    missing: 0,
    mean: 0.5,
    standardDeviation: null,
    interval: null,
    halfWidth: null,
    level: 0.95,
  });
});

test('the interval of three seeds is mean ± 4.3027 standard errors', () => {
  const result = meanInterval([0.61, 0.64, 0.67]);
  expect(result.mean).toBeCloseTo(0.64, 15);
  const half = (4.3026527297494639 * 0.03) / Math.sqrt(3);
  expect(result.halfWidth).toBeCloseTo(half, 12);
  expect(result.interval!.low).toBeCloseTo(0.64 - half, 12);
  expect(result.interval!.high).toBeCloseTo(0.64 + half, 12);
  expect(meanInterval([0.61, 0.64, 0.67], { level: 0.5 }).halfWidth).toBeCloseTo(
    (half / 4.3026527297494639) * 0.81649658092772603,
    12,
  );
});

test('equal values have exactly their own mean and a spread of exactly 0', () => {
  const result = meanInterval([0.1, 0.1, 0.1]);
  expect([result.mean, result.standardDeviation, result.halfWidth]).toEqual([0.1, 0, 0]);
});

const scores = (values: Record<number, number | null>) =>
  Object.entries(values).map(([seed, value]) => ({ seed: Number(seed), value }));

test('a paired difference takes seeds together, whatever their order', () => {
  const a = scores({ 0: 0.7, 1: 0.64, 2: 0.68 });
  const b = scores({ 0: 0.66, 1: 0.61, 2: 0.63 }).reverse();
  const result = pairedDifference(a, b);
  // differences 0.04, 0.03, 0.05: mean 0.04, s 0.01, t = 0.04 / (0.01 / √3) = 6.9282
  expect(result.mean).toBeCloseTo(0.04, 14);
  expect(result.halfWidth).toBeCloseTo((4.3026527297494639 * 0.01) / Math.sqrt(3), 12);
  // closed form for two degrees of freedom: p = 1 − t / √(2 + t²), t² = 48
  expect(result.pValue).toBeCloseTo(1 - Math.sqrt(48 / 50), 12);
  expect(result.seeds).toEqual([0, 1, 2]);
  const unpairedSpread = meanInterval(a.map((score) => score.value)).halfWidth!;
  expect(result.halfWidth!).toBeLessThan(unpairedSpread);
});

test('seeds on one side only, or with a missing value, are left out and named', () => {
  const result = pairedDifference(
    scores({ 0: 0.7, 1: Number.NaN, 2: 0.68, 5: 0.9 }),
    scores({ 0: 0.66, 1: 0.61, 2: 0.63, 4: 0.2 }),
  );
  expect(result.seeds).toEqual([0, 2]);
  expect(result.unpaired).toEqual([1, 4, 5]);
  expect(result.missing).toBe(3);
  expect(result.mean).toBeCloseTo(0.045, 14);
});

test('one pair gives a difference without interval and p value', () => {
  const result = pairedDifference(scores({ 3: 0.7 }), scores({ 3: 0.5 }));
  expect(result.mean).toBeCloseTo(0.2, 14);
  expect([result.interval, result.pValue]).toEqual([null, null]);
});

test('pairs that all differ by the same amount have no p value unless that is 0', () => {
  expect(pairedDifference(scores({ 0: 2, 1: 3 }), scores({ 0: 1, 1: 2 })).pValue).toBeNull();
  expect(pairedDifference(scores({ 0: 2, 1: 3 }), scores({ 0: 2, 1: 3 })).pValue).toBe(1);
});

test('a seed twice on one side is an error', () => {
  expect(() =>
    pairedDifference(
      [
        { seed: 1, value: 1 },
        { seed: 1, value: 2 },
      ],
      [],
    ),
  ).toThrow(/Seed 1/);
});
