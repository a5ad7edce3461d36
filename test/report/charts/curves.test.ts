import { expect, test } from 'vitest';
import { chartRows } from '../../../src/report/charts/chart.js';
import { costChart } from '../../../src/report/charts/cost.js';
import { labelFractionsChart } from '../../../src/report/charts/label-fractions.js';
import { domainOf, layersOf, rowsOf, textsOf } from './spec-parts.js';

const inputError = expect.objectContaining({ code: 'CHART_INPUT' }) as Error;

const points = [
  { model: 'small', cost: 5, score: 0.5 },
  { model: 'wasteful', cost: 300, score: 0.55 },
  { model: 'large', cost: 600, score: 0.8, interval: { low: 0.78, high: 0.83 } },
  { model: 'middle', cost: 100, score: 0.6 },
];

test('models that are worth their cost are joined and named; the axis is logarithmic from tenfold on', () => {
  const spec = costChart(points, { cost: 'parameters (millions)', score: 'mIoU' });
  expect(rowsOf(spec, 'point', 'strong').map(({ model }) => model)).toEqual(['small', 'middle', 'large']);
  expect(rowsOf(spec, 'point', 'quiet').map(({ model }) => model)).toEqual(['wasteful']);
  expect(rowsOf(spec, 'line').map(({ model }) => model)).toEqual(['small', 'middle', 'large']);
  expect(rowsOf(spec, 'rule').map(({ low, high }) => [low, high])).toEqual([[0.78, 0.83]]);
  expect(textsOf(spec).title).toBe('3 of 4 models are worth the cost: small, middle and large');
  const typeOf = (rows: typeof points) =>
    (layersOf(costChart(rows))[0]!.encoding.x!.scale as { type?: string }).type;
  expect([typeOf(points), typeOf(points.slice(1))]).toEqual(['log', undefined]);
});

test('a cost of 0, one model and missing values are drawn or told', () => {
  expect(
    layersOf(costChart([{ model: 'free', cost: 0, score: 1 }, ...points]))[0]!.encoding.x!.scale as object,
  ).not.toHaveProperty('type');
  expect(textsOf(costChart(points.slice(0, 1))).title).toBe('small: score against cost');
  const some = costChart([
    ...points,
    { model: 'a', cost: null, score: 1 },
    { model: 'b', cost: 1, score: Number.NaN },
  ]);
  expect(textsOf(some).notes).toEqual(['2 values are missing or not finite and left out.']);
  expect(chartRows(some).map(({ model }) => model)).toEqual(['small', 'middle', 'wasteful', 'large']);
  expect(() => costChart([{ model: 'a', cost: null, score: 1 }])).toThrowError(inputError);
});

test('equal points are both worth their cost', () => {
  const spec = costChart([
    { model: 'a', cost: 2, score: 0.5 },
    { model: 'b', cost: 2, score: 0.5 },
  ]);
  expect(rowsOf(spec, 'point', 'strong')).toHaveLength(2);
});

const fractions = [
  { model: 'a', labelFraction: 1, score: 0.8, interval: { low: 0.75, high: 0.84 } },
  { model: 'a', labelFraction: 0.1, score: 0.3 },
  { model: 'b', labelFraction: 0.1, score: 0.4 },
  { model: 'b', labelFraction: 1, score: 0.7 },
];

test('label fractions are lines on a logarithmic axis that names each fraction', () => {
  const spec = labelFractionsChart(fractions, { of: 'pastis', score: 'mIoU' });
  const lines = rowsOf(spec, 'line').map(({ model, labelFraction, value }) => [model, labelFraction, value]);
  expect(lines).toEqual([
    ['a', 0.1, 0.3],
    ['b', 0.1, 0.4],
    ['a', 1, 0.8],
    ['b', 1, 0.7],
  ]);
  const { axis, scale } = layersOf(spec)[0]!.encoding.x as unknown as {
    axis: { values: number[]; labelExpr: string };
    scale: { type: string };
  };
  expect([axis.values, scale.type]).toEqual([[0.1, 1], 'log']);
  expect(axis.labelExpr).toContain('"0.1":"10 %"');
  expect(textsOf(spec).title).toBe('b is best on pastis with 10 % of the labels, a with 100 %');
  const [low, high] = domainOf(spec, 'y') as [number, number];
  expect([low < 0.3, high > 0.84]).toEqual([true, true]);
});

test('the best model has the lowest error, and the title follows what is there', () => {
  const titleOf = (rows: typeof fractions, score = 'mIoU'): string =>
    textsOf(labelFractionsChart(rows, { score })).title;
  expect(titleOf(fractions, 'RMSE')).toBe('a is best with 10 % of the labels, b with 100 %');
  expect(titleOf(fractions.slice(0, 2))).toBe('a from 10 % to 100 % of the labels');
  expect(titleOf([fractions[0]!, fractions[3]!])).toBe('a is best with 100 % of the labels');
  expect(titleOf([{ ...fractions[0]!, score: 0.6 }, ...fractions.slice(1)])).toBe(
    'b is best with every share of the labels',
  );
});

test('more than six models: the best in colour, the others grey; rows without a score or fraction are counted', () => {
  const many = Array.from({ length: 8 }, (_, i) => ({ model: `m${i}`, labelFraction: 0.5, score: i / 10 }));
  const spec = labelFractionsChart([
    ...many,
    { model: 'x', labelFraction: 0, score: 1 },
    { model: 'y', labelFraction: 1, score: null },
  ]);
  expect(rowsOf(spec, 'line', 'quiet').map(({ model }) => model)).toEqual(['m0', 'm1']);
  expect(textsOf(spec).context).toMatch(/Grey: 2 others$/);
  expect(textsOf(spec).notes).toEqual(['2 values are missing or not finite and left out.']);
  expect(() => labelFractionsChart([])).toThrowError(inputError);
});
