import { expect, test } from 'vitest';
import { chartRows } from '../../../src/report/charts/chart.js';
import { confusionChart, discriminativityChart } from '../../../src/report/charts/matrices.js';
import { discriminativity } from '../../../src/statistics/discriminativity.js';
import { matrixOf } from '../../statistics/matrix-of.js';
import { domainOf, rowsOf, textsOf } from './spec-parts.js';

const inputError = expect.objectContaining({ code: 'CHART_INPUT' }) as Error;

test('rows beat columns: best model first, blue above one half, orange below, the diagonal empty', () => {
  const found = discriminativity(matrixOf([[[0.1, 0.3]], [[0.2, 0.4]], [[0.9, 0.8]]]), 'd0');
  const spec = discriminativityChart(found, { dataset: 'mados' });
  expect(domainOf(spec, 'y')).toEqual(['m2', 'm1', 'm0']);
  const cells = (style: string) =>
    rowsOf(spec, 'rect', style).map((row) => [row.model, row.other, row.label]);
  expect(cells('cell')).toEqual([
    ['m2', 'm1', '100'],
    ['m2', 'm0', '100'],
    ['m1', 'm0', '75'],
  ]);
  expect(cells('cell-below')).toEqual([
    ['m1', 'm2', '0'],
    ['m0', 'm2', '0'],
    ['m0', 'm1', '25'],
  ]);
  expect(cells('outline')).toHaveLength(3);
  expect(textsOf(spec).title).toBe(
    `mados tells models apart by ${found.value!.toFixed(2)}: 1 is every pair surely, 0 none`,
  );
  expect(chartRows(spec)).toContainEqual({
    model: 'm1',
    over: 'm0',
    beats: 0.75,
    certainty: found.certainty[1]![0],
  });
});

test('models whose runs are all equal have no colour, whatever an equal pair counts', () => {
  for (const ties of [0, 0.5] as const) {
    const spec = discriminativityChart(discriminativity(matrixOf([[[0.1]], [[0.1]]]), 'd0', { ties }));
    expect(rowsOf(spec, 'rect', 'cell').map(({ share }) => share)).toEqual([0, 0]);
    expect(rowsOf(spec, 'rect', 'cell-below')).toEqual([]);
  }
});

test('one model is alone, none is a typed error', () => {
  expect(
    textsOf(discriminativityChart(discriminativity(matrixOf([[[0.1]]]), 'd0'), { dataset: 'mados' })).title,
  ).toBe('mados has runs of m0 alone');
  expect(() => discriminativityChart(discriminativity(matrixOf([[[0.1]]]), 'no'))).toThrowError(inputError);
});

// [truth, prediction]: not symmetric, so that rows and columns cannot change places
const counts = [80, 15, 5, 10, 30, 0, 0, 0, 0];
const classes = ['background', 'crown', 'absent'];

test('the confusion matrix has the share of each row, the truth, and says what is taken for what', () => {
  const spec = confusionChart({ classes, counts });
  expect([domainOf(spec, 'y'), domainOf(spec, 'x')]).toEqual([classes, classes]);
  const cell = (truth: string, prediction: string) =>
    rowsOf(spec, 'rect', 'cell').find((row) => row.truth === truth && row.prediction === prediction);
  expect(cell('crown', 'background')).toMatchObject({ share: 0.25, label: '25', count: '10' });
  expect(cell('background', 'crown')).toMatchObject({ share: 0.15, label: '15', count: '15' });
  expect(rowsOf(spec, 'rect', 'outline').map(({ truth }) => truth)).toEqual(['absent', 'absent', 'absent']);
  expect(textsOf(spec)).toMatchObject({
    title: '78.6 % of pixels are right; 25 % of crown are taken for background',
    notes: ['1 class has no truth (outline).'],
  });
  expect(chartRows(spec)).toHaveLength(9);
});

test('one class is all right; many classes show the most frequent', () => {
  expect(textsOf(confusionChart({ classes: ['crown'], counts: [7] }, { what: 'images' })).title).toBe(
    '100.0 % of images are right',
  );
  const many = Array.from({ length: 61 }, (_, i) => `class ${i}`);
  const diagonal = many.flatMap((_, i) => many.map((_name, j) => (i === j ? i + 1 : 0)));
  const spec = confusionChart({ classes: many, counts: diagonal });
  expect(domainOf(spec, 'y')).toEqual(many.slice(1));
  expect(textsOf(spec).notes).toEqual(['The 60 most frequent of 61 classes are drawn.']);
});

test('counts that do not fit the classes, negative ones, nothing counted and equal names are typed errors', () => {
  for (const input of [
    { classes, counts: [1, 2] },
    { classes: ['a'], counts: [-1] },
    { classes: ['a'], counts: [Number.NaN] },
    { classes: ['a'], counts: [0] },
    { classes: ['a', 'a'], counts: [1, 0, 0, 1] },
    { classes: [], counts: [] },
  ])
    expect(() => confusionChart(input)).toThrowError(inputError);
});
