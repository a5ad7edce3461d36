import { expect, it } from 'vitest';
import { createRandom } from '../../src/random.js';
import { aggregate, optimalityGap, pooledTrimmedMean, trimmedMean } from '../../src/statistics/aggregate.js';
import { bootstrapDatasets } from '../../src/statistics/bootstrap-datasets.js';
import { bootstrap } from '../../src/statistics/bootstrap.js';
import { relativeConvergence } from '../../src/statistics/convergence-time.js';
import { adjustPValues } from '../../src/statistics/corrections.js';
import { discriminativity } from '../../src/statistics/discriminativity.js';
import { pandasDraws, randomDraws } from '../../src/statistics/draws.js';
import { rankingChange } from '../../src/statistics/kendall.js';
import { scaleLimits } from '../../src/statistics/normalize.js';
import { cohensD, independentTTest, pairedTTest } from '../../src/statistics/paired-tests.js';
import { quantile } from '../../src/statistics/quantile.js';
import { rankGroups } from '../../src/statistics/rank-groups.js';
import { ranking } from '../../src/statistics/ranking.js';
import { ranks, topCounts } from '../../src/statistics/ranks.js';
import { resampledMatrices } from '../../src/statistics/resampled-matrices.js';
import { summarizeResamples } from '../../src/statistics/resample-summary.js';
import { scoreMatrix } from '../../src/statistics/score-matrix.js';
import { meanInterval, pairedDifference } from '../../src/statistics/summary.js';

const matrix = scoreMatrix(
  ['a', 'b'].flatMap((model, at) =>
    ['x', 'y'].flatMap((dataset) =>
      [0, 1, 2].map((seed) => ({
        ...{ model, dataset, seed: String(seed), metric: 'mIoU', score: 0.5 + at / 10 + seed / 100 },
      })),
    ),
  ),
);
const draws = randomDraws(createRandom(0));
const random = createRandom(0);
const resamples = bootstrap(matrix, 'pooled-iqm', { resamples: 10, draws });
/** What no compiler has seen. */
const wrong = (value: unknown) => value as never;

const counts = [0, -1, 1.5, NaN, Infinity, 1e12, '100', undefined];
const levels = [95, 0, 1, -0.5, NaN, '0.95'];

it.each([
  ...counts.flatMap((count): [string, () => unknown][] => [
    [`bootstrap ${count}`, () => bootstrap(matrix, 'pooled-iqm', { resamples: wrong(count), draws })],
    [
      `bootstrapDatasets ${count}`,
      () => bootstrapDatasets(matrix, 'pooled-iqm', { resamples: wrong(count), random }),
    ],
    [`resampledMatrices ${count}`, () => resampledMatrices(matrix, { resamples: wrong(count), draws })],
  ]),
  ...levels.flatMap((level): [string, () => unknown][] => [
    [`summarizeResamples ${level}`, () => summarizeResamples(resamples, { level: wrong(level) })],
    [`ranking ${level}`, () => ranking(resamples, { level: wrong(level) })],
    [`rankingChange ${level}`, () => rankingChange(resamples, resamples, { level: wrong(level) })],
    [`meanInterval ${level}`, () => meanInterval([1], { level: wrong(level) })],
    [`pairedDifference ${level}`, () => pairedDifference([], [], { level: wrong(level) })],
    [`pairedTTest ${level}`, () => pairedTTest([1], [1], { level: wrong(level) })],
    [`independentTTest ${level}`, () => independentTTest([1], [1], { level: wrong(level) })],
    [`rankGroups ${level}`, () => rankGroups(matrix, { alpha: wrong(level) })],
  ]),
  ['aggregate', () => aggregate(matrix, wrong('iqm'))],
  ['aggregate of a name of objects', () => aggregate(matrix, wrong('toString'))],
  ['bootstrap of no aggregate', () => bootstrap(matrix, wrong('iqm'), { resamples: 2, draws })],
  ['ofIncomplete', () => aggregate(matrix, 'pooled-iqm', { ofIncomplete: wrong('all') })],
  ['runs', () => bootstrapDatasets(matrix, 'pooled-iqm', { resamples: 2, random, runs: wrong('all') })],
  ['a cut of half', () => trimmedMean([1, 2], 0.5)],
  ['a cut of nothing known', () => pooledTrimmedMean(NaN)],
  ['gamma', () => optimalityGap(NaN)],
  ['correction', () => adjustPValues([0.1], wrong('bonferoni'))],
  ['pairs', () => discriminativity(matrix, 'x', { pairs: wrong('ordered') })],
  ['ties', () => discriminativity(matrix, 'x', { ties: wrong(1) })],
  ['ties of ranks', () => ranks([1, 2], { ties: wrong('max') })],
  ['places', () => topCounts(matrix, 0)],
  ['by', () => ranking(resamples, { by: wrong('median') })],
  ['over', () => scaleLimits(matrix, { over: wrong('models') })],
  ['kind', () => cohensD([1, 2], [3, 4], wrong('both'))],
  ['a quantile in percent', () => quantile([1, 2], 50)],
  ['a way to a quantile', () => quantile([1, 2], 0.5, wrong('cubic'))],
  ['a seed of NumPy', () => pandasDraws({ firstSeed: -1 })],
  ['a size that is not there', () => relativeConvergence([[[1, 2]]], 2)],
])('is refused by what it can be: %s', (_, call) => {
  expect(call).toThrow(
    expect.objectContaining({ code: 'STATISTIC_OPTION', hint: expect.stringMatching(/^(Did|It is)/) }),
  );
});

it('tells the share that a level in percent is, and the name that was meant', () => {
  const hint = (call: () => unknown): string => {
    try {
      call();
    } catch (error) {
      return (error as { hint: string }).hint;
    }
    return '';
  };
  expect(hint(() => meanInterval([1], { level: 95 }))).toContain('0.95 for 95 %');
  expect(hint(() => aggregate(matrix, wrong('pooled-iqn')))).toContain('Did you mean "pooled-iqm"?');
});

it('names values without a partner, and seeds that come twice', () => {
  const scores = [0, 0].map((seed) => ({ seed, value: 1 }));
  expect(() => pairedDifference(scores, [])).toThrow(expect.objectContaining({ code: 'STATISTIC_INPUT' }));
  expect(() => pairedTTest([1], [1, 2])).toThrow(expect.objectContaining({ code: 'STATISTIC_INPUT' }));
});
