import { expect, test } from 'vitest';
import { createRandom } from '../../../src/random.js';
import { chartRows } from '../../../src/report/charts/chart.js';
import { overviewChart } from '../../../src/report/charts/overview.js';
import { violinChart } from '../../../src/report/charts/violin.js';
import { bootstrap } from '../../../src/statistics/bootstrap.js';
import { randomDraws } from '../../../src/statistics/draws.js';
import { quantile } from '../../../src/statistics/quantile.js';
import { matrixOf } from '../../statistics/matrix-of.js';
import { SCORES } from './rankings.js';
import { domainOf, layersOf, rowsOf, textsOf } from './spec-parts.js';

const inputError = expect.objectContaining({ code: 'CHART_INPUT' }) as Error;
const matrix = matrixOf(SCORES);

test('a violin a model by its median, as wide at every value as the density, with a tick a run', () => {
  const spec = violinChart(matrix, { dataset: 'd0' });
  // medians 0.85, 0.8, 0.75, 0.15
  expect(rowsOf(spec, 'point').map(({ model }) => model)).toEqual(['m3', 'm0', 'm1', 'm2']);
  expect(rowsOf(spec, 'tick')).toHaveLength(11);
  const outline = rowsOf(spec, 'area').filter(({ model }) => model === 'm0') as {
    above: number;
    below: number;
  }[];
  expect(outline).toHaveLength(41);
  const widths = outline.map(({ above, below }) => below - above);
  expect(Math.max(...widths)).toBeCloseTo(0.8, 12);
  expect(outline.every(({ above, below }) => Math.abs(above + below - 2) < 1e-12)).toBe(true); // around row 1
  const [low, high] = domainOf(spec, 'x') as [number, number];
  for (const { x } of rowsOf(spec, 'area') as { x: number }[]) expect(x > low && x < high).toBe(true);
  const m0 = [0.8, 0.7, 0.9];
  expect(chartRows(spec)[1]).toEqual({
    model: 'm0',
    values: 3,
    lowest: 0.7,
    lowerQuartile: quantile(m0, 0.25),
    median: 0.8,
    upperQuartile: quantile(m0, 0.75),
    highest: 0.9,
  });
});

test('lower medians come first where lower is better', () => {
  const spec = violinChart(matrixOf([[[3, 4]], [[1, 2]]], { lowerIsBetter: ['d0'] }));
  expect(rowsOf(spec, 'point').map(({ model }) => model)).toEqual(['m1', 'm0']);
  expect(textsOf(spec).context).toMatch(/lower is better/);
});

test('one run and equal runs have no density, a model without runs is named', () => {
  const spec = violinChart(
    matrixOf([
      [[0.5], [0.4]],
      [[0.6, 0.6], [0.3]],
      [[], [0.2]],
    ]),
    { dataset: 'd0' },
  );
  expect(rowsOf(spec, 'area')).toEqual([]);
  expect(rowsOf(spec, 'point')).toHaveLength(2);
  expect(textsOf(spec).notes).toEqual([
    '1 model has no values: m2.',
    '2 models have one value, which has no density.',
  ]);
});

test('resamples are violins without ticks', () => {
  const resamples = bootstrap(matrix, 'pooled-iqm', { resamples: 100, draws: randomDraws(createRandom(3)) });
  const spec = violinChart(resamples, { of: 'Core' });
  expect(rowsOf(spec, 'tick')).toEqual([]);
  expect(rowsOf(spec, 'area')).toHaveLength(3 * 41);
  expect(textsOf(spec).notes).toEqual(['1 model has no values: m3.']);
  expect(textsOf(spec).title).toMatch(
    /^m[01] has the best median on Core; its resamples overlap those of 1 model$/,
  );
});

test('the dataset must be told among several, and be there', () => {
  expect(() => violinChart(matrix)).toThrowError(inputError);
  expect(() => violinChart(matrix, { dataset: 'd9' })).toThrowError(inputError);
  expect(textsOf(violinChart(matrixOf([[[0.5, 0.6]]]))).title).toBe('Spread of the runs of m0 on d0');
});

test('the overview has a row a dataset and a dot a model and dataset, six models in colour', () => {
  const many = matrixOf(Array.from({ length: 8 }, (_, i) => [[i / 10], [i / 20 + 0.01, i / 20 + 0.03]]));
  const spec = overviewChart(many);
  expect(domainOf(spec, 'y')).toEqual(['d0', 'd1']);
  const coloured = layersOf(spec)[1]!;
  expect(coloured.encoding.color!.scale!.domain).toEqual(['m7', 'm6', 'm5', 'm4', 'm3', 'm2']);
  expect(coloured.data.values).toHaveLength(12);
  expect(rowsOf(spec, 'point', 'quiet')).toHaveLength(4);
  expect(textsOf(spec).title).toBe('m7 is best on all 2 datasets');
  const asked = overviewChart(many, { highlight: ['m0', 'nobody'] });
  expect(layersOf(asked)[1]!.encoding.color!.scale!.domain).toEqual(['m0']);
});

test('the overview tells ties, missing cells, one dataset and one model', () => {
  const of = (scores: number[][][]) => textsOf(overviewChart(matrixOf(scores)));
  expect(
    of([
      [[0.5], [0.6]],
      [[0.6], [0.5]],
    ]).title,
  ).toBe('No model is best on all 2 datasets; m1 and m0 are each best on 1');
  expect(of([[[0.5]], [[0.5]]]).title).toBe('m0 and m1 are each best on the dataset');
  expect(of([[[0.5]]]).title).toBe('Scores of one model on one dataset');
  expect(
    of([
      [[0.5], []],
      [[0.6], [0.5]],
    ]).notes,
  ).toEqual(['1 cell has no run.']);
  // m0 lacks a dataset: its higher mean does not put it first
  expect(
    chartRows(
      overviewChart(
        matrixOf([
          [[0.9], []],
          [[0.6], [0.5]],
        ]),
      ),
    ).map(({ model }) => model),
  ).toEqual(['m1', 'm0']);
  expect(() => overviewChart(matrixOf([]))).toThrowError(inputError);
});
