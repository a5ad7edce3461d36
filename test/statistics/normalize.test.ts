import { expect, test } from 'vitest';
import { normalize, scaleLimits } from '../../src/statistics/normalize.js';
import { scoreMatrix } from '../../src/statistics/score-matrix.js';
import { matrixOf } from './matrix-of.js';

// two models, three datasets, of which the second is an error and the third constant
const matrix = matrixOf(
  [
    [[0.2, 0.4], [10, 20], [0.5]],
    [[0.6, 1], [30, 50], [0.5]],
  ],
  { lowerIsBetter: ['d1'] },
);

test('limits are the lowest and highest run, or the lowest and highest mean of a model', () => {
  expect(scaleLimits(matrix)).toEqual({
    d0: { low: 0.2, high: 1 },
    d1: { low: 10, high: 50 },
    d2: { low: 0.5, high: 0.5 },
  });
  const means = scaleLimits(matrix, { over: 'model-means' });
  expect(means.d0!.low).toBeCloseTo(0.3, 15);
  expect(means.d1).toEqual({ low: 15, high: 40 });
});

test('scores are mapped so that higher is better, and a constant dataset is left out by name', () => {
  const normalized = normalize(matrix);
  expect(normalized.datasets).toEqual(['d0', 'd1']);
  expect(normalized.higherIsBetter).toEqual([true, true]);
  expect(normalized.cells.map((row) => row.map(({ values }) => values))).toEqual([
    [
      [0, 0.25],
      [1, 0.75],
    ],
    [
      [expect.closeTo(0.5, 14) as number, 1],
      [0.5, 0],
    ],
  ]);
  expect(normalized.warnings.at(-1)).toMatchObject({ code: 'DATASET_CONSTANT', dataset: 'd2' });
});

test('published limits clip nothing', () => {
  const limits = { d0: { low: 0.4, high: 0.8 }, d1: { low: 20, high: 30 }, d2: { low: 0, high: 1 } };
  const { cells } = normalize(matrix, limits);
  expect(cells[0]![0]!.values[0]).toBeCloseTo(-0.5, 14);
  expect(cells[1]![1]!.values[1]).toBe(-2);
  expect(cells[1]![2]!.values).toEqual([0.5]);
});

test('a dataset without limits is an error that names it', () => {
  expect(() => normalize(matrix, { d0: { low: 0, high: 1 } })).toThrow(
    expect.objectContaining({ code: 'LIMITS_MISSING', where: 'd1' }),
  );
});

test('a dataset may be called like a part of every object', () => {
  const runs = ['__proto__', 'constructor'].flatMap((dataset) =>
    [2, 6].map((score) => ({ model: `m${score}`, dataset, seed: null, metric: null, score })),
  );
  const { cells, datasets } = normalize(scoreMatrix(runs));
  expect(datasets).toEqual(['__proto__', 'constructor']);
  expect(cells.map((row) => row.map(({ values }) => values))).toEqual([
    [[0], [0]],
    [[1], [1]],
  ]);
});
