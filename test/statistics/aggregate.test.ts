import { expect, test } from 'vitest';
import {
  aggregate,
  aggregates,
  interquartileMean,
  median,
  optimalityGap,
  pooledTrimmedMean,
  trimmedMean,
} from '../../src/statistics/aggregate.js';
import { matrixOf } from './matrix-of.js';

test('a trimmed mean cuts whole values, none of three, one of four to seven at each end', () => {
  expect(trimmedMean([1, 2, 9], 0.25)).toBe(4);
  expect(trimmedMean([100, 2, 3, -50], 0.25)).toBe(2.5);
  expect(trimmedMean([100, 2, 3, 7, -50, 4, 5], 0.25)).toBe(21 / 5);
  expect(interquartileMean([8, 1, 2, 3, 4, 5, 6, 7])).toBe(4.5);
  expect(trimmedMean([5, 1, 2, 3, 4, 100, 7, 8, 9, 10], 0.1)).toBe(48 / 8);
  expect(trimmedMean([], 0.25)).toBeNull();
  expect(trimmedMean([0.1, 0.1, 0.1], 0.25)).toBe(0.1);
});

test('the median of an even number is the mean of the middle two', () => {
  expect(median([9, 1, 3])).toBe(3);
  expect(median([9, 1, 3, 4])).toBe(3.5);
  expect(median([])).toBeNull();
});

// cells of unequal size, so that pooling and averaging over datasets differ
const cells = [
  [1, 2, 3, 4, 10],
  [20, 30],
  [7, 8, 9],
];

test('pooled and per-dataset aggregates differ, each as it says', () => {
  const { of } = aggregates['pooled-iqm'];
  expect(of(cells)).toBeCloseTo((3 + 4 + 7 + 8 + 9 + 10) / 6, 14);
  expect(aggregates['mean-of-dataset-iqms'].of(cells)).toBeCloseTo((3 + 25 + 8) / 3, 14);
  expect(aggregates['pooled-mean'].of(cells)).toBeCloseTo(9.4, 14);
  expect(aggregates['pooled-median'].of(cells)).toBe(7.5);
  expect(aggregates['mean-of-dataset-means'].of(cells)).toBeCloseTo((4 + 25 + 8) / 3, 14);
  expect(aggregates['median-of-dataset-means'].of(cells)).toBe(8);
  expect(aggregates['iqm-of-dataset-means'].of(cells)).toBeCloseTo(37 / 3, 14);
  expect(optimalityGap(8).of(cells)).toBeCloseTo(8 - (1 + 2 + 3 + 4 + 8 * 5 + 7) / 10, 14);
});

test('counts of a sorted pool give the same number as the values themselves', () => {
  const sorted = Float64Array.from([0.5, 1, 1, 2, 4, 8]);
  const counts = Uint32Array.from([0, 3, 1, 0, 4, 2]);
  const drawn = [
    [1, 1, 1],
    [1, 4, 4, 4, 4],
    [8, 8],
  ];
  for (const share of [0, 0.1, 0.25, 0.4]) {
    const kind = pooledTrimmedMean(share);
    expect(kind.ofPool!(sorted, counts, 10)).toBeCloseTo(kind.of(drawn), 14);
  }
});

test('a model that lacks a dataset has no aggregate unless the rest is asked for', () => {
  const matrix = matrixOf([
    [[1], [3]],
    [[2], []],
  ]);
  expect(aggregate(matrix, 'pooled-mean')).toEqual([2, null]);
  expect(aggregate(matrix, 'pooled-mean', { ofIncomplete: 'rest' })).toEqual([2, 2]);
});
