import { expect, test } from 'vitest';
import { chartRows } from '../../../src/report/charts/chart.js';
import { effectsChart } from '../../../src/report/charts/effects.js';
import { datasetEffects } from '../../../src/statistics/effects.js';
import { matrixOf } from '../../statistics/matrix-of.js';
import { domainOf, rowsOf, textsOf } from './spec-parts.js';

const names = ['fine-tuned', 'frozen'] as const;
const frozen = matrixOf([
  [[0.5], [0.4], [0.6]],
  [[0.6], [0.5], [0.55]],
  [[0.7], [0.3], [0.5]],
]);
const tuned = matrixOf([
  [[0.7], [0.41], [0.5]],
  [[0.82], [0.48], [0.52]],
  [[0.91], [0.32], [0.49]],
]);
const effects = datasetEffects(tuned, frozen);

test('a dot a dataset from gain to loss, its interval, and Cohen’s d in the table', () => {
  const spec = effectsChart(effects, { names });
  expect(domainOf(spec, 'y')).toBeUndefined(); // the line at 0 has no row
  expect(rowsOf(spec, 'point').map(({ dataset }) => dataset)).toEqual(['d0', 'd1', 'd2']);
  expect(rowsOf(spec, 'point', 'opposite').map(({ dataset }) => dataset)).toEqual(['d2']);
  const bar = rowsOf(spec, 'rule', 'strong').find(({ dataset }) => dataset === 'd0')!;
  expect([bar.low, bar.high]).toEqual([effects[0]!.interval!.low, effects[0]!.interval!.high]);
  expect(chartRows(spec).map(({ d }) => d)).toEqual(effects.map(({ cohensDPooled }) => cohensDPooled));
  expect(chartRows(effectsChart(effects, { d: 'paired' }))[0]!.d).toBe(effects[0]!.cohensDPaired);
});

test('the title counts the gains and those that are sure', () => {
  expect(textsOf(effectsChart(effects, { names })).title).toBe(
    'fine-tuned scores more than frozen on 2 of 3 datasets, surely on 1',
  );
});

test('one model has no interval and no d; a dataset without a pair is left out and counted', () => {
  const one = effectsChart(
    datasetEffects(
      matrixOf([
        [[0.7], []],
        [[], [0.4]],
      ]),
      matrixOf([[[0.5], [0.4]]]),
    ),
  );
  expect(rowsOf(one, 'rule', 'strong')).toEqual([]);
  expect(chartRows(one)).toMatchObject([{ dataset: 'd0', low: null, d: null, isSure: false }]);
  expect(textsOf(one).notes).toEqual(['1 value is missing or not finite and left out.']);
  expect(() => effectsChart([])).toThrowError(expect.objectContaining({ code: 'CHART_INPUT' }) as Error);
});
