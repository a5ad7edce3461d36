import { expect, test } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { createRandom } from '../../src/random.js';
import { bootstrap } from '../../src/statistics/bootstrap.js';
import { pandasDraws, randomDraws, recordedDraws, type DrawnCell } from '../../src/statistics/draws.js';
import { percentileInterval, summarizeResamples } from '../../src/statistics/resample-summary.js';
import { matrixOf } from './matrix-of.js';

const matrix = matrixOf([
  [
    [0.1, 0.2, 0.3],
    [0.5, 0.9],
  ],
  [
    [0.4, 0.4, 0.7],
    [0.6, 0.8],
  ],
]);

const cellsOf = (counts: readonly (readonly [string, string, number])[]): DrawnCell[] => {
  let start = 0;
  return counts.map(([model, dataset, count], row) => {
    const cell = { row, column: 0, model, dataset, start, count };
    start += count;
    return cell;
  });
};

test('each resample draws every cell anew: replayed draws give the aggregate of what they name', () => {
  // resample 0 takes the first run of each cell, resample 1 the second
  const draws = recordedDraws((resample) => resample);
  const { values, estimates } = bootstrap(matrix, 'pooled-mean', { resamples: 2, draws });
  expect(values[0]![0]).toBeCloseTo((3 * 0.1 + 2 * 0.5) / 5, 14);
  expect(values[1]![1]).toBeCloseTo((3 * 0.4 + 2 * 0.8) / 5, 14);
  expect(estimates[0]).toBeCloseTo(0.4, 14);
});

test('counting draws of a pool and aggregating drawn scores give the same numbers', () => {
  const both = [
    'pooled-mean',
    {
      of: (cells: readonly ArrayLike<number>[]) => {
        const all = cells.flatMap((cell) => Array.from(cell));
        return all.reduce((a, b) => a + b) / all.length;
      },
    },
  ] as const;
  const [counted, drawn] = both.map(
    (by) => bootstrap(matrix, by, { resamples: 50, draws: randomDraws(createRandom(3)) }).values,
  );
  for (const row of [0, 1])
    for (let i = 0; i < 50; i++) expect(counted![row]![i]).toBeCloseTo(drawn![row]![i]!, 13);
});

test('draws of a generator are the same for the same seed and hit every run alike', () => {
  const cells = cellsOf([
    ['a', 'x', 3],
    ['b', 'x', 5],
  ]);
  const hits = new Float64Array(8);
  const picks = new Int32Array(8);
  const draws = randomDraws(createRandom(1));
  for (let i = 0; i < 6000; i++) {
    draws(i, cells, picks);
    for (const { start, count } of cells)
      for (let at = 0; at < count; at++) hits[start + picks[start + at]!]!++;
  }
  // 6000 draws a run are due; five standard deviations are below 390
  expect(Math.max(...hits.map((count) => Math.abs(count - 6000)))).toBeLessThan(390);
});

test('the draws of pandas go through the groups in the order of their names', () => {
  // numpy.random.RandomState(100).choice(5, 5), then choice(3, 3) of the same generator
  const cells = cellsOf([
    ['b', 'x', 3],
    ['B', 'x', 5],
  ]);
  const picks = new Int32Array(8);
  pandasDraws({ firstSeed: 98 })(2, cells, picks);
  expect([...picks]).toEqual([2, 0, 2, 0, 0, 3, 0, 2]);
});

test('a model whose cells have one run each has no resamples, and so no interval', () => {
  const single = matrixOf([
    [[0.3], [0.4]],
    [[0.5, 0.6], [0.1]],
  ]);
  const resamples = bootstrap(single, 'pooled-iqm', { resamples: 20, draws: randomDraws(createRandom(0)) });
  const [first, second] = summarizeResamples(resamples);
  expect(first).toMatchObject({ estimate: 0.35, mean: null, standardDeviation: null, interval: null });
  expect(second!.interval).not.toBeNull();
});

test('a model that lacks a dataset has neither estimate nor interval', () => {
  const short = matrixOf([
    [[0.3, 0.2], []],
    [[0.5, 0.6], [0.1]],
  ]);
  const resamples = bootstrap(short, 'pooled-iqm', { resamples: 20, draws: randomDraws(createRandom(0)) });
  expect(summarizeResamples(resamples)[0]).toMatchObject({ estimate: null, interval: null });
});

test('deviation, Monte Carlo error and interval are three things', () => {
  const resamples = bootstrap(matrix, 'pooled-mean', {
    resamples: 400,
    draws: randomDraws(createRandom(2)),
  });
  const [{ standardDeviation, monteCarloError, interval, mean }] = summarizeResamples(resamples, {
    level: 0.8,
  }) as [ReturnType<typeof summarizeResamples>[number]];
  expect(monteCarloError).toBeCloseTo(standardDeviation! / 20, 14);
  const sorted = Array.from(resamples.values[0]!).sort((a, b) => a - b);
  expect(interval!.low).toBeCloseTo(sorted[39]! + 0.9 * (sorted[40]! - sorted[39]!), 14);
  // variance of the pooled mean: (3 · 0.02/3 + 2 · 0.04) / 25 = 0.004; four standard errors of mean and deviation
  expect(Math.abs(mean! - 0.4)).toBeLessThan(4 * Math.sqrt(0.004 / 400));
  expect(Math.abs(standardDeviation! - Math.sqrt(0.004))).toBeLessThan(4 * Math.sqrt(0.004 / 800));
});

test('an interval has a level between 0 and 1', () => {
  expect(() => percentileInterval([1, 2], 1)).toThrow(UsageError);
  expect(percentileInterval([], 0.9)).toBeNull();
});
