import { expect, test } from 'vitest';
import { createRandom } from '../../../src/random.js';
import { chartRows } from '../../../src/report/charts/chart.js';
import { capabilityHeatMap } from '../../../src/report/charts/heat-map.js';
import { capabilityRankings } from '../../../src/statistics/capabilities.js';
import { randomDraws } from '../../../src/statistics/draws.js';
import { matrixOf } from '../../statistics/matrix-of.js';
import { SCORES } from './rankings.js';
import { domainOf, layersOf, rowsOf, textsOf } from './spec-parts.js';

const rankings = (
  scores: readonly (readonly (readonly number[])[])[],
  capabilities = { one: ['d0'], both: ['d0', 'd1'] },
) =>
  capabilityRankings(matrixOf(scores), capabilities, 'pooled-iqm', {
    resamples: 100,
    draws: randomDraws(createRandom(4)),
  });

test('a cell for every model and capability; one without a score is an outline and counted', () => {
  const spec = capabilityHeatMap(rankings(SCORES));
  expect(domainOf(spec, 'x')).toEqual(['one', 'both']);
  // mean places: m3 1, m0 and m1 2, m2 3.5; of equals the first comes first
  expect(domainOf(spec, 'y')).toEqual(['m3', 'm0', 'm1', 'm2']);
  expect(rowsOf(spec, 'rect', 'cell')).toHaveLength(7);
  expect(rowsOf(spec, 'rect', 'outline').map(({ model, column }) => [model, column])).toEqual([
    ['m3', 'both'],
  ]);
  expect(textsOf(spec).notes).toEqual(['1 cell has no score (outline).']);
  expect(chartRows(spec)[0]).toMatchObject({ model: 'm3', both: null });
});

test('colour goes from none at the lowest of a column to full at its highest, text is bold at the best and its ties', () => {
  const spec = capabilityHeatMap(rankings(SCORES.slice(0, 3)));
  const both = rowsOf(spec, 'rect', 'cell').filter(({ column }) => column === 'both');
  expect(both.map(({ model, share }) => [model, share])).toEqual([
    ['m0', expect.closeTo(0.99, 2)],
    ['m1', 1],
    ['m2', 0],
  ]);
  expect(both.map(({ isBold }) => isBold)).toEqual([true, true, false]);
  const onStrong = rowsOf(spec, 'text', 'on-strong').filter(({ column }) => column === 'both');
  expect(onStrong.map(({ model }) => model)).toEqual(['m0', 'm1']);
});

test('equal scores, one column and one model have a middle colour and a title of their own', () => {
  const equal = capabilityHeatMap(rankings([[[0.4]], [[0.4]]], { one: ['d0'], both: ['d0'] }));
  expect(rowsOf(equal, 'rect').map(({ share }) => share)).toEqual([0.5, 0.5, 0.5, 0.5]);
  const single = capabilityHeatMap(rankings([[[0.4]]], { one: ['d0'], both: ['d0'] }).slice(0, 1), {
    columns: 'datasets',
  });
  expect(textsOf(single).title).toBe('m0 is best');
  expect(textsOf(capabilityHeatMap(rankings(SCORES.slice(1, 3)))).title).toBe(
    'm0 is best on all 2 capabilities',
  );
});

test('shares are in hundredths, larger numbers as they are', () => {
  const labelsOf = (scores: readonly (readonly (readonly number[])[])[]) =>
    rowsOf(capabilityHeatMap(rankings(scores, { one: ['d0'], both: ['d0'] }).slice(0, 1)), 'text').map(
      ({ label }) => label,
    );
  expect(labelsOf([[[0.456]]])).toEqual(['46']);
  expect(labelsOf([[[23.456]]])).toEqual(['23.46']);
});

test('text stands where the column is wide enough for the longest label', () => {
  const spec = capabilityHeatMap(rankings([[[23.456]]], { one: ['d0'], both: ['d0'] }));
  const text = layersOf(spec).find(({ mark }) => mark.type === 'text')!;
  expect(text.mark.opacity).toEqual({ expr: "bandwidth('x') >= 37 ? 1 : 0" });
});

test('no scores are a typed error', () => {
  expect(() => capabilityHeatMap([])).toThrowError(expect.objectContaining({ code: 'CHART_INPUT' }) as Error);
});
