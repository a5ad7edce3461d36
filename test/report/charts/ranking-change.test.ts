import { expect, test } from 'vitest';
import { chartRows } from '../../../src/report/charts/chart.js';
import { rankingChangeChart } from '../../../src/report/charts/ranking-change.js';
import { rankingOfScores } from './rankings.js';
import { domainOf, rowsOf, textsOf } from './spec-parts.js';

const names = ['frozen', 'fine-tuned'] as const;
const tight = (score: number): number[][] => [[score - 0.01, score, score + 0.01]];
const before = rankingOfScores([0.7, 0.6, 0.5, 0.4].map(tight));
const after = rankingOfScores([0.45, 0.75, 0.65, 0.44].map(tight));

test('a line a model from its row before to its row after, coloured by its direction', () => {
  const spec = rankingChangeChart(before, after, { names, of: 'Core' });
  const lines = (style?: string) =>
    rowsOf(spec, 'rule', style).map((row) => [row.model, row.before, row.after]);
  expect(lines('opposite')).toEqual([['m0', 1, 3]]);
  expect(lines('strong')).toEqual([
    ['m1', 2, 1],
    ['m2', 3, 2],
  ]);
  expect(lines('quiet')).toEqual([['m3', 4, 4]]);
  expect(rowsOf(spec, 'point')).toHaveLength(8);
  expect(domainOf(spec, 'y')).toEqual([0.5, 4.5]);
  // m0 falls below m1 and m2: 2 of 6 pairs
  expect(textsOf(spec).title).toBe(
    '33.3 % of pairs of models change their order on Core from frozen to fine-tuned',
  );
});

test('a change is sure where the places before and after, as far as the data allow, do not meet', () => {
  const sure = Object.fromEntries(
    chartRows(rankingChangeChart(before, after, { names })).map(({ model, isSure }) => [model, isSure]),
  );
  // m0 and m3 are not told apart after the change: places 3 to 4
  expect(sure).toEqual({ m0: true, m1: true, m2: true, m3: false });
});

test('models of one ranking only are left out and named, and nothing is called sure then', () => {
  const spec = rankingChangeChart(before.slice(0, 3), after, { names });
  expect(textsOf(spec).notes).toEqual([
    '1 model is in one ranking only and left out: m3.',
    'Which changes are sure shows only between rankings of the same models.',
  ]);
  expect(chartRows(spec).map(({ isSure }) => isSure)).toEqual([null, null, null]);
});

test('models of equal score share a place and have rows of their own', () => {
  const spec = rankingChangeChart(
    rankingOfScores([[[0.5]], [[0.5]], [[0.4]]]),
    rankingOfScores([[[0.6]], [[0.5]], [[0.4]]]),
  );
  expect(chartRows(spec).map((row) => row['place, before'])).toEqual([1, 1, 3]);
  expect(rowsOf(spec, 'rule').map((row) => row.before)).toEqual([2, 1, 3]);
  expect(textsOf(spec).title).toMatch(/^No two models change their order from before to after$/);
});

test('one model has no order, and no shared model is a typed error', () => {
  expect(textsOf(rankingChangeChart(before.slice(0, 1), after, { names })).title).toBe(
    'One model: no order that could change from frozen to fine-tuned',
  );
  expect(() => rankingChangeChart(before.slice(0, 1), after.slice(0, 1))).toThrowError(
    expect.objectContaining({ code: 'CHART_INPUT' }) as Error,
  );
});
