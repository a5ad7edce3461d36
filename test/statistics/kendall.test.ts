import { expect, test } from 'vitest';
import { kendall, rankingChange } from '../../src/statistics/kendall.js';
import { bootstrap } from '../../src/statistics/bootstrap.js';
import { recordedDraws } from '../../src/statistics/draws.js';
import { matrixOf } from './matrix-of.js';

// expected p values are those of scipy.stats.kendalltau 1.17.1

test('without ties the distance is the share of swapped pairs, and p is counted', () => {
  const result = kendall([1, 2, 3, 0], [3, 2, 0, 1]);
  expect(result).toEqual({
    count: 4,
    pairs: 6,
    discordant: 4,
    tied: 0,
    distance: 2 / 3,
    tauB: expect.closeTo(-1 / 3, 14) as number,
    pValue: expect.closeTo(0.75, 14) as number,
  });
  expect((1 - result.tauB!) / 2).toBeCloseTo(result.distance!, 14);
});

test('with ties tau-b leaves them out, the distance counts no swap, and p is that of the normal distribution', () => {
  const result = kendall([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], [2, 7, 1, 8, 2, 8, 1, 8, 2, 8]);
  expect(result.tauB).toBeCloseTo(0.13041013273932525, 12);
  expect(result.pValue).toBeCloseTo(0.6325202921884683, 12);
  expect(result.discordant + result.tied).toBeLessThan(result.pairs);
});

test('beyond 33 things p is that of the normal distribution', () => {
  const order = (step: number, shift: number): number[] =>
    Array.from({ length: 40 }, (_, i) => (i * step + shift) % 40);
  const result = kendall(order(37, 0), order(11, 3));
  expect(result.tauB).toBeCloseTo(0.046153846153846156, 12);
  expect(result.pValue).toBeCloseTo(0.6748966096484204, 12);
});

test('missing values leave their thing out; all ties have no tau', () => {
  expect(kendall([1, 2, null, 3], [1, 2, 0, 3])).toMatchObject({ count: 3, distance: 0, tauB: 1 });
  expect(kendall([1, 1], [1, 2])).toMatchObject({ tauB: null, pValue: null, distance: 0 });
  expect(kendall([1], [1]).distance).toBeNull();
});

test('a change of ranking is that of the aggregates and of each pair of resamples, over shared models', () => {
  const before = matrixOf([[[0.1, 0.4]], [[0.2, 0.3]], [[0.5, 0.6]], [[]]]);
  const after = matrixOf([[[0.1, 0.1]], [[0.2, 0.2]], [[0.5, 0.05]], [[0.7]]]);
  const resamples = (matrix: typeof before): ReturnType<typeof bootstrap> =>
    bootstrap(matrix, 'pooled-mean', { resamples: 2, draws: recordedDraws((resample) => resample) });
  const change = rankingChange(resamples(before), resamples(after));
  expect(change.models).toEqual(['m0', 'm1', 'm2']);
  expect(change.distance).toBe(0); // means .25, .25, .55 against .1, .2, .275: a tie is no swap
  // first runs: .1 .2 .5 | .1 .2 .5; second runs: .4 .3 .6 | .1 .2 .05
  expect(change.resamples).toEqual([0, 1]);
  expect(change.mean).toBe(0.5);
});
