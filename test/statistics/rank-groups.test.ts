import { expect, test } from 'vitest';
import { rankGroups } from '../../src/statistics/rank-groups.js';
import { matrixOf } from './matrix-of.js';

/** Ten datasets, one run each; models differ by more than the datasets do, but m0 and m1 take turns. */
const turns = Array.from({ length: 10 }, (_, i) => i);
const scores = [
  turns.map((i) => [0.8 + 0.001 * i + (i % 2) * 0.02]),
  turns.map((i) => [0.81 + 0.0013 * i]),
  turns.map((i) => [0.5 + 0.01 * i]),
  turns.map((i) => [0.2 + 0.02 * i]),
];

test('models that take turns are one group, those that always differ are none', () => {
  const found = rankGroups(matrixOf(scores));
  expect(found.models.map(({ model }) => model).slice(2)).toEqual(['m2', 'm3']);
  expect(found.models.map(({ averageRank }) => averageRank)).toEqual([1.5, 1.5, 3, 4]);
  expect(found.groups.map((group) => [...group].sort())).toEqual([['m0', 'm1']]);
  expect(found).toMatchObject({ leftOut: [], datasets: 10, alpha: 0.05, canTell: true });
});

test('groups overlap where the ends differ and the middle does not', () => {
  // m0 is above m2 on every dataset; m1 is near both, now above and now below
  const middle = turns.map((i) => [0.51 + (i % 2 === 0 ? 0.02 : -0.02)]);
  const found = rankGroups(matrixOf([turns.map(() => [0.52]), middle, turns.map((i) => [0.5 - i * 1e-4])]));
  expect(found.groups).toEqual([
    ['m0', 'm1'],
    ['m1', 'm2'],
  ]);
});

test('lower is better where the dataset says so', () => {
  const matrix = matrixOf(scores, { lowerIsBetter: turns.map((i) => `d${i}`) });
  expect(rankGroups(matrix).models[0]!.model).toBe('m3');
});

test('few datasets tell nobody apart, and that is said', () => {
  const found = rankGroups(matrixOf(scores.map((row) => row.slice(0, 3))));
  expect(found.groups.map((group) => group.length)).toEqual([4]);
  expect(found.canTell).toBe(false);
});

test('a model that lacks a dataset is left out, and ranks are those among the others', () => {
  const found = rankGroups(
    matrixOf([
      [[0.9], []],
      [[0.5], [0.6]],
      [[0.4], [0.4]],
    ]),
  );
  expect(found.leftOut).toEqual(['m0']);
  expect(found.models).toEqual([
    { model: 'm1', averageRank: 1 },
    { model: 'm2', averageRank: 2 },
  ]);
});

test('equal models share their rank and are one group; one model is none', () => {
  const equal = rankGroups(
    matrixOf([
      [[0.5], [0.6]],
      [[0.5], [0.6]],
    ]),
  );
  expect(equal.models.map(({ averageRank }) => averageRank)).toEqual([1.5, 1.5]);
  expect(equal.groups).toHaveLength(1);
  expect(rankGroups(matrixOf([[[0.5]]])).groups).toEqual([]);
});
