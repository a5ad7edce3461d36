import { expect, test } from 'vitest';
import { createRandom } from '../../src/random.js';
import { optimalityGap } from '../../src/statistics/aggregate.js';
import { bootstrap } from '../../src/statistics/bootstrap.js';
import { bootstrapDatasets } from '../../src/statistics/bootstrap-datasets.js';
import { capabilityRankings } from '../../src/statistics/capabilities.js';
import { randomDraws } from '../../src/statistics/draws.js';
import { rankingChange } from '../../src/statistics/kendall.js';
import { ranking } from '../../src/statistics/ranking.js';
import { summarizeResamples } from '../../src/statistics/resample-summary.js';
import { matrixOf } from './matrix-of.js';

// m0 and m1 overlap, m2 is far behind, m3 has one run a dataset, m4 lacks a dataset
const matrix = matrixOf([
  [
    [0.8, 0.7, 0.9],
    [0.7, 0.8, 0.9],
  ],
  [
    [0.75, 0.7, 0.92],
    [0.7, 0.87, 0.9],
  ],
  [
    [0.1, 0.2, 0.15],
    [0.2, 0.1, 0.12],
  ],
  [[0.5], [0.5]],
  [[0.9, 0.8], []],
]);

const options = () => ({ resamples: 300, draws: randomDraws(createRandom(4)) });

test('models whose difference may be 0 are tied, and share a range of places', () => {
  const rows = ranking(bootstrap(matrix, 'pooled-iqm', options()));
  expect(rows.map(({ model, place }) => [model, place])).toEqual([
    ['m1', 1],
    ['m0', 2],
    ['m3', 3],
    ['m2', 4],
    ['m4', null],
  ]);
  const [first, second, third, fourth, last] = rows;
  // m3 has no spread, so that nobody is told apart from it
  expect(first!.tiedWith).toEqual(['m0', 'm3']);
  expect(first!.places).toEqual({ best: 1, worst: 3 });
  expect(second!.tiedWith).toEqual(['m1', 'm3']);
  expect(third).toMatchObject({ tiedWith: null, places: null, interval: null, estimate: 0.5 });
  expect(fourth!.tiedWith).toEqual(['m3']);
  expect(fourth!.places).toEqual({ best: 3, worst: 4 });
  expect(last).toMatchObject({ place: null, tiedWith: null, estimate: null });
});

test('a ranking can be by the mean over resamples', () => {
  const resamples = bootstrap(matrix, 'pooled-iqm', options());
  const means = ranking(resamples, { by: 'mean' }).map((row) => row.mean ?? row.estimate ?? -1);
  expect(means).toEqual(means.toSorted((a, b) => b - a));
});

test('a capability is ranked on its datasets alone, and needs all of them', () => {
  const [all, part, absent] = capabilityRankings(
    matrix,
    { all: ['d0', 'd1'], part: ['d0'], absent: ['d0', 'd9'] },
    'pooled-iqm',
    options(),
  );
  expect(all!.rows.find(({ model }) => model === 'm4')!.estimate).toBeNull();
  expect(part!.rows[0]).toMatchObject({ model: 'm4', place: 1 });
  expect(absent!.rows.every(({ estimate }) => estimate === null)).toBe(true);
});

test('drawing datasets spreads more than drawing runs where datasets differ', () => {
  const uneven = matrixOf([
    [
      [0.1, 0.11],
      [0.9, 0.91],
      [0.5, 0.51],
    ],
    [
      [0.2, 0.21],
      [0.3, 0.31],
      [0.4, 0.41],
    ],
  ]);
  const deviation = (of: ReturnType<typeof bootstrap>): number =>
    summarizeResamples(of)[0]!.standardDeviation!;
  const runs = deviation(bootstrap(uneven, 'pooled-mean', options()));
  const datasets = bootstrapDatasets(uneven, 'pooled-mean', { resamples: 400, random: createRandom(1) });
  // the deviation of a mean of three draws from .105 .905 .505 is .1886; four standard errors of it are .027
  expect(Math.abs(deviation(datasets) - 0.1886)).toBeLessThan(0.027);
  expect(runs).toBeLessThan(0.01);
  const both = bootstrapDatasets(uneven, 'pooled-mean', {
    resamples: 400,
    random: createRandom(1),
    runs: 'drawn',
  });
  expect(new Set(both.values[0]!).size).toBeGreaterThan(new Set(datasets.values[0]!).size);
});

test('drawn datasets are the same for all models, so that differences stay paired', () => {
  const shifted = matrixOf([
    [[0.1], [0.9], [0.5]],
    [[0.2], [1], [0.6]],
  ]);
  const { values } = bootstrapDatasets(shifted, 'pooled-mean', { resamples: 50, random: createRandom(9) });
  for (let i = 0; i < 50; i++) expect(values[1]![i]! - values[0]![i]!).toBeCloseTo(0.1, 13);
  expect(
    bootstrapDatasets(matrix, 'pooled-mean', { resamples: 5, random: createRandom(9) }).values[4],
  ).toBeNull();
});

test('errors are ranked from the lowest, also as what is lacking, and in two conditions alike', () => {
  const errors = (lowerIsBetter: string[]) =>
    matrixOf(
      [[[9, 8, 9.5]], [[2, 2.5, 1.8]], [[5, 5.1, 4.8]]].map((row) => [...row, ...row]),
      { lowerIsBetter },
    );
  const low = bootstrap(errors(['d0', 'd1']), 'pooled-mean', options());
  const rows = ranking(low);
  expect(rows.map(({ model, place }) => [model, place])).toEqual([
    ['m1', 1],
    ['m2', 2],
    ['m0', 3],
  ]);
  expect(rows.map(({ places }) => places)).toEqual([1, 2, 3].map((place) => ({ best: place, worst: place })));
  const high = bootstrap(errors([]), 'pooled-mean', options());
  expect(ranking(high)[0]!.model).toBe('m0');
  expect(rankingChange(low, high).distance).toBe(1);
  expect(ranking(bootstrap(errors([]), optimalityGap(10), options()))[0]!.model).toBe('m0');
  const random = createRandom(1);
  expect(
    ranking(bootstrapDatasets(errors(['d0', 'd1']), 'pooled-mean', { resamples: 9, random }))[0]!.model,
  ).toBe('m1');
  const mixed = bootstrap(errors(['d1']), 'pooled-mean', options());
  const refused = expect.objectContaining({ code: 'DIRECTIONS_MIXED' }) as Error;
  expect(() => ranking(mixed)).toThrowError(refused);
  expect(() => rankingChange(high, mixed)).toThrowError(refused);
});
