import { expect, test } from 'vitest';
import { recordScores } from '../../src/statistics/record-scores.js';
import { scoreMatrix } from '../../src/statistics/score-matrix.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';
import { regressionRecords } from '../fixtures/results/synthetic-tasks.js';

const records = syntheticRecords();

test('records become rows of a score matrix, by arm or by encoder, with the main score of their task', () => {
  const rows = recordScores(records, { model: ({ name }) => name });
  expect(rows).toHaveLength(records.length);
  const matrix = scoreMatrix(rows);
  expect(matrix.models).toContain('frozen, z-score');
  expect(matrix.cells[matrix.models.indexOf('frozen, none')]![0]!.seeds).toEqual(['0', '1', '2']);
  expect(rows[0]!.metric).toBe('mIoU');
  expect(new Set(recordScores(records).map(({ model }) => model))).toEqual(
    new Set(records.map(({ definition }) => definition.encoder)),
  );
});

test('errors are known to be better where lower', () => {
  expect(
    scoreMatrix(recordScores(regressionRecords(), { model: ({ name }) => name })).higherIsBetter,
  ).toEqual([false]);
});

test('a score that a run lacks is a failed run', () => {
  const matrix = scoreMatrix(recordScores(records, { split: 'nowhere', model: ({ name }) => name }));
  expect(matrix.warnings.every(({ code }) => code === 'RUN_FAILED' || code === 'CELL_MISSING')).toBe(true);
});
