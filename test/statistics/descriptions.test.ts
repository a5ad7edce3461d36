import { expect, test } from 'vitest';
import { relativeConvergence } from '../../src/statistics/convergence-time.js';
import { isOnCostFront } from '../../src/statistics/cost.js';
import { gaussianDensity, scottFactor } from '../../src/statistics/density.js';
import { discriminativity } from '../../src/statistics/discriminativity.js';
import { recordedDraws } from '../../src/statistics/draws.js';
import { probabilityOfImprovement, winRates } from '../../src/statistics/improvement.js';
import { performanceProfile } from '../../src/statistics/performance-profile.js';
import { quantile } from '../../src/statistics/quantile.js';
import { resampledMatrices } from '../../src/statistics/resampled-matrices.js';
import { matrixOf } from './matrix-of.js';

// on d0 ties count half: m0 beats m1 in 1 of 4 pairs and ties in 1; on d1 lower is better
const matrix = matrixOf(
  [
    [[1, 2], [7, 9], [3]],
    [[1, 3], [8], []],
  ],
  { lowerIsBetter: ['d1'] },
);

test('the probability of improvement is the mean over shared datasets, ties half, the way that is better', () => {
  expect(probabilityOfImprovement(matrix, 'm0', 'm1')).toBeCloseTo((1.5 / 4 + 1 / 2) / 2, 14);
  expect(probabilityOfImprovement(matrix, 'm1', 'm0')).toBeCloseTo(1 - (1.5 / 4 + 1 / 2) / 2, 14);
  expect(probabilityOfImprovement(matrix, 'm0', 'm7')).toBeNull();
});

test('win rates compare means over runs; equal means are half a win', () => {
  // d0: 1.5 against 2; d1: 8 against 8
  expect(winRates(matrix)).toEqual([0.25, 0.75]);
});

test('discriminativity averages 1 − H₂ over all ordered pairs, or over pairs of two models', () => {
  const scores = matrixOf([[[1, 2]], [[2, 3]], [[5, 6]]]);
  const all = discriminativity(scores, 'd0');
  expect(all.beats).toEqual([
    [0.25, 0, 0],
    [0.75, 0.25, 0],
    [1, 1, 0.25],
  ]);
  const own = 1 + 0.25 * Math.log2(0.25) + 0.75 * Math.log2(0.75);
  expect(all.value).toBeCloseTo((3 * own + own + 5) / 9, 14);
  expect(discriminativity(scores, 'd0', { pairs: 'unordered' }).value).toBe(1);
  expect(discriminativity(scores, 'd0', { ties: 0.5 }).beats[0]![0]).toBe(0.5);
  expect(discriminativity(scores, 'nowhere').value).toBeNull();
});

test('where lower is better, discriminativity turns scores round', () => {
  const errors = matrixOf([[[1, 2]], [[5, 6]]], { lowerIsBetter: ['d0'] });
  expect(discriminativity(errors, 'd0').beats[0]![1]).toBe(1);
});

test('resampled matrices draw runs with their seeds and keep all else', () => {
  const draws = recordedDraws((resample, _row, _column, draw) => (draw === 0 ? resample : 0));
  const [first, second] = [...resampledMatrices(matrix, { resamples: 2, draws })];
  expect(first!.cells[0]![0]).toEqual({ values: [1, 1], seeds: ['0', '0'] });
  expect(second!.cells[0]![1]).toEqual({ values: [9, 7], seeds: ['1', '0'] });
  expect(second!.cells[1]![2]).toEqual({ values: [], seeds: [] });
  expect(second!.higherIsBetter).toEqual([true, false, true]);
});

test('performance profiles are shares of runs above each threshold, datasets alike', () => {
  expect(performanceProfile(matrix, [1, 6.5, 8])).toEqual([
    [(0.5 + 1 + 1) / 3, (0 + 1 + 0) / 3, 0.5 / 3].map((share) => expect.closeTo(share, 14) as number),
    null,
  ]);
});

test('convergence is relative to the mean over seeds at the reference size', () => {
  const steps = [
    [
      [10, 20],
      [30, 80],
    ],
    [[5, null]],
  ];
  // 10/20, 30/20, 5/5 and 20/20, 80/20
  expect(relativeConvergence(steps, 0)).toEqual([1, 2.5]);
  expect(relativeConvergence([[[0, 3]]], 0)).toEqual([null, null]);
});

test('the density is that of scipy.stats.gaussian_kde', () => {
  const density = gaussianDensity([1, 2, 4, 8], [0, 3])!;
  expect(density[0]).toBeCloseTo(0.07844388, 8);
  expect(density[1]).toBeCloseTo(0.11158657, 8);
  expect(scottFactor(4)).toBeCloseTo(0.757858283255199, 14);
  expect(gaussianDensity([2, 2], [1])).toBeNull();
});

test('quantiles and densities leave missing values out', () => {
  expect(quantile([3, Number.NaN, 1, null, 2], 0.5)).toBe(2);
  expect(quantile([null], 0.5)).toBeNull();
  expect(gaussianDensity([1, null, 2, 4, Number.NaN, 8], [0, 3])).toEqual(
    gaussianDensity([1, 2, 4, 8], [0, 3]),
  );
});

test('quantiles between two values follow the named method', () => {
  const values = [4, 1, 2, 3];
  expect(quantile(values, 0.4)).toBeCloseTo(2.2, 14);
  expect(quantile(values, 0.4, 'lower')).toBe(2);
  expect(quantile(values, 0.4, 'higher')).toBe(3);
  expect(quantile(values, 0.5, 'nearest')).toBe(3); // position 1.5: the even one, 2
  expect(quantile(values, 0.4, 'midpoint')).toBe(2.5);
  expect(quantile(values, 0.4, 'hazen')).toBeCloseTo(2.1, 14);
  expect(quantile(values, 0.4, 'weibull')).toBe(2);
  expect(quantile(values, 0.4, 'median_unbiased')).toBeCloseTo(2 + 1 / 15, 14);
  expect(quantile([], 0.4)).toBeNull();
});

test('a model is worth its cost unless another is as good for less, or better for as much', () => {
  const points = [
    { model: 'a', cost: 1, score: 0.5 },
    { model: 'b', cost: 2, score: 0.5 },
    { model: 'c', cost: 3, score: 0.9 },
    { model: 'd', cost: 3, score: 0.9 },
  ];
  expect(isOnCostFront(points)).toEqual([true, false, true, true]);
});
