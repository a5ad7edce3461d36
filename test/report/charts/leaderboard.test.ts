import { expect, test } from 'vitest';
import { chartRows } from '../../../src/report/charts/chart.js';
import { leaderboardChart } from '../../../src/report/charts/leaderboard.js';
import { rankingOfScores, SCORES } from './rankings.js';
import { domainOf, rowsOf, textsOf } from './spec-parts.js';

const rows = rankingOfScores(SCORES);

test('a dot a model that has a score, best first, and the interval of the ranking', () => {
  const spec = leaderboardChart(rows, { of: 'Core' });
  expect(domainOf(spec, 'y')).toEqual(['m1', 'm0', 'm2']);
  const dots = rowsOf(spec, 'point');
  expect(dots.map(({ model, score }) => [model, score])).toEqual(
    rows.slice(0, 3).map(({ model, estimate }) => [model, estimate]),
  );
  const bar = rowsOf(spec, 'rule').find(({ model }) => model === 'm2')!;
  expect([bar.low, bar.high]).toEqual([rows[2]!.interval!.low, rows[2]!.interval!.high]);
  const [low, high] = domainOf(spec, 'x') as [number, number];
  expect(low).toBeLessThan(bar.low as number);
  expect(high).toBeGreaterThan(rows[0]!.interval!.high);
});

test('models that are not told apart from the first have its colour, and the title says so', () => {
  const spec = leaderboardChart(rows, { of: 'Core' });
  expect(rowsOf(spec, 'point', 'strong').map(({ model }) => model)).toEqual(['m1', 'm0']);
  expect(rowsOf(spec, 'point', 'quiet').map(({ model }) => model)).toEqual(['m2']);
  expect(rowsOf(spec, 'point').map(({ places }) => places)).toEqual(['1–2', '1–2', '3']);
  expect(textsOf(spec).title).toBe('m1 leads Core, not told apart from m0');
  expect(textsOf(spec).notes).toEqual(['1 model has no score and no place: m3.']);
});

test('the title says what there is: a lead, a shared place, one run a model, one model', () => {
  const titleOf = (scores: readonly (readonly (readonly number[])[])[]): string =>
    textsOf(leaderboardChart(rankingOfScores(scores), { of: 'mados' })).title;
  expect(titleOf([SCORES[0]!, SCORES[2]!])).toBe('m0 leads mados, ahead of all others');
  expect(titleOf([[[0.5]], [[0.5]], [[0.4]]])).toBe('m0 and m1 share the first place on mados');
  expect(titleOf([[[0.5]], [[0.6]]])).toBe('m1 has the highest score on mados');
  expect(titleOf([[[0.5, 0.6]]])).toBe('m0 alone has a score on mados');
});

test('one run a model has dots without bars', () => {
  const spec = leaderboardChart(rankingOfScores([[[0.5]], [[0.6]]]));
  expect(rowsOf(spec, 'rule')).toEqual([]);
  expect(rowsOf(spec, 'point').map(({ text }) => text)).toEqual([
    '0.6000, no interval',
    '0.5000, no interval',
  ]);
  expect(textsOf(spec).context).toMatch(/One run a model: no intervals$/);
});

test('the table has the numbers unrounded, and all models where the chart has the best 60', () => {
  const [first] = chartRows(leaderboardChart(rows));
  expect(first).toEqual({
    place: 1,
    places: '1–2',
    model: 'm1',
    score: rows[0]!.estimate,
    low: rows[0]!.interval!.low,
    high: rows[0]!.interval!.high,
    tiedWith: 'm0',
    isTiedWithFirst: true,
  });
  const many = leaderboardChart(rankingOfScores(Array.from({ length: 70 }, (_, i) => [[i / 100]])));
  expect(rowsOf(many, 'point')).toHaveLength(60);
  expect(chartRows(many)).toHaveLength(70);
  expect(textsOf(many).notes).toEqual(['The best 60 of 70 models are drawn.']);
});

test('the score may be the mean over resamples, as in the ranking', () => {
  const [top] = rowsOf(leaderboardChart(rows, { by: 'mean' }), 'point');
  expect(top!.score).toBe(rows[0]!.mean);
});

test('no scores are a typed error', () => {
  const error = expect.objectContaining({ code: 'CHART_INPUT' }) as Error;
  expect(() => leaderboardChart([])).toThrowError(error);
  expect(() => leaderboardChart(rankingOfScores([[[Number.NaN]]]))).toThrowError(error);
});
