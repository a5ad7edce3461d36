import { expect, test } from 'vitest';
import { chartRows } from '../../../src/report/charts/chart.js';
import { criticalDifferenceChart } from '../../../src/report/charts/critical-difference.js';
import type { RankGroups } from '../../../src/statistics/rank-groups.js';
import { domainOf, rowsOf, textsOf } from './spec-parts.js';

const groups: RankGroups = {
  models: ['a', 'b', 'c', 'd'].map((model, i) => ({ model, averageRank: 1.25 + 0.8 * i })),
  groups: [
    ['a', 'b'],
    ['b', 'c'],
  ],
  leftOut: ['e'],
  datasets: 12,
  alpha: 0.05,
  canTell: true,
};

test('a dot a model at its average rank, and a line over each group, beside each other where they overlap', () => {
  const spec = criticalDifferenceChart(groups, { of: 'Core' });
  expect(rowsOf(spec, 'point').map((row) => row.averageRank)).toEqual(
    groups.models.map((row) => row.averageRank),
  );
  const lines = rowsOf(spec, 'rule');
  expect(lines.map(({ from, to, lane }) => [from, to, lane])).toEqual([
    ['a', 'b', 0],
    ['b', 'c', 1],
  ]);
  const [, end] = domainOf(spec, 'x') as [number, number];
  // behind the worst rank, inside the axis
  for (const { at } of lines as { at: number }[]) expect(at > 4 && at < end).toBe(true);
  expect(textsOf(spec)).toMatchObject({
    title: 'a has the best average rank on Core, not told apart from b',
    notes: ['1 model lacks a dataset and is left out: e.'],
  });
  expect(chartRows(spec).map((row) => row.groups)).toEqual(['1', '1, 2', '2', 'none']);
});

test('one model, no group, all in one group and too few datasets have words of their own', () => {
  const titleOf = (changes: Partial<RankGroups>): string =>
    textsOf(criticalDifferenceChart({ ...groups, ...changes }, { of: 'Core' })).title;
  expect(titleOf({ models: groups.models.slice(0, 1), groups: [] })).toBe('a alone is ranked on Core');
  expect(titleOf({ groups: [] })).toBe('a has the best average rank on Core, apart from all others');
  expect(titleOf({ groups: [['a', 'b', 'c', 'd']] })).toBe(
    'Average ranks on Core tell no model apart from a',
  );
  expect(textsOf(criticalDifferenceChart({ ...groups, leftOut: [], canTell: false })).notes).toEqual([
    'So few datasets cannot tell any two of so many models apart.',
  ]);
  expect(() => criticalDifferenceChart({ ...groups, models: [] })).toThrowError(
    expect.objectContaining({ code: 'CHART_INPUT' }) as Error,
  );
});
