import { expect, test } from 'vitest';
import { averageRanks, ranks, rankTable, topCounts } from '../../src/statistics/ranks.js';
import { matrixOf } from './matrix-of.js';

test('equal values share the mean of their places, or the best of them', () => {
  expect(ranks([0.7, 0.9, 0.7, 0.1])).toEqual([2.5, 1, 2.5, 4]);
  expect(ranks([0.7, 0.9, 0.7, 0.1], { ties: 'min' })).toEqual([2, 1, 2, 4]);
  expect(ranks([0.7, 0.9, 0.7, 0.1], { higherIsBetter: false })).toEqual([2.5, 4, 2.5, 1]);
});

test('missing values have no rank and take no place', () => {
  expect(ranks([null, 2, Number.NaN, 3])).toEqual([null, 2, null, 1]);
});

const matrix = matrixOf(
  [
    [[0.9, 0.7], [5, 7], [0.3]],
    [[0.8], [9], [0.3]],
    [[0.1], [4], []],
  ],
  { lowerIsBetter: ['d1'] },
);

test('models are ranked by their means on each dataset, the way that is better there', () => {
  expect(rankTable(matrix)).toEqual([
    [1.5, 2, 1.5],
    [1.5, 3, 1.5],
    [3, 1, null],
  ]);
});

test('the average rank is that of models with every dataset, or of the rest', () => {
  const [first, second, third] = averageRanks(matrix, { ties: 'min' });
  expect(first).toBeCloseTo(4 / 3, 14);
  expect(second).toBeCloseTo(5 / 3, 14);
  expect(third).toBeNull();
  expect(averageRanks(matrix, { ofIncomplete: 'rest' })[2]).toBe(2);
});

test('the best two of each dataset are counted, ties included', () => {
  expect(topCounts(matrix, 2)).toEqual([3, 2, 1]);
  expect(topCounts(matrix, 1)).toEqual([2, 2, 1]);
});
