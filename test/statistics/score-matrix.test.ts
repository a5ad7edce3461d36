import { expect, test } from 'vitest';
import type { RunScore } from '../../src/results/run-score.js';
import {
  cellStatistics,
  scoreMatrix,
  selectDatasets,
  selectModels,
} from '../../src/statistics/score-matrix.js';
import { mean } from '../../src/statistics/summary.js';

const run = (
  model: string,
  dataset: string,
  seed: string | null,
  score: number | null,
  metric: string | null = 'mIoU',
): RunScore => ({ model, dataset, seed, metric, score });

const grid = (): RunScore[] =>
  ['a', 'b'].flatMap((model, i) =>
    ['x', 'y', 'z'].flatMap((dataset, j) =>
      ['0', '1', '2'].map((seed, k) => run(model, dataset, seed, (100 * i + 10 * j + k) / 1000)),
    ),
  );

const codes = (runs: readonly RunScore[]): string[] => scoreMatrix(runs).warnings.map(({ code }) => code);

test('a complete grid keeps the order in which runs come, and warns of nothing', () => {
  const matrix = scoreMatrix(grid());
  expect(matrix.models).toEqual(['a', 'b']);
  expect(matrix.datasets).toEqual(['x', 'y', 'z']);
  expect(matrix.cells[1]![2]).toEqual({ values: [0.12, 0.121, 0.122], seeds: ['0', '1', '2'] });
  expect(matrix.warnings).toEqual([]);
  expect(cellStatistics(matrix, mean)[0]![1]).toBeCloseTo(0.011, 15);
});

test('failed runs are left out and named, never taken for 0', () => {
  const runs = grid();
  runs[4] = run('a', 'y', '1', Number.NaN);
  runs[5] = run('a', 'y', '2', null);
  const matrix = scoreMatrix(runs);
  expect(matrix.cells[0]![1]).toEqual({ values: [0.01], seeds: ['0'] });
  expect(matrix.warnings.map(({ code, seeds }) => [code, ...seeds])).toEqual([
    ['RUN_FAILED', '1', '2'],
    ['RUN_MISSING', '1', '2'],
    ['ONE_RUN', '0'],
  ]);
  expect(matrix.warnings[0]!.text).toBe('a on y: 2 runs failed, seeds 1 and 2.');
});

test('a missing run is named by the seeds that all others have', () => {
  const [warning, ...rest] = scoreMatrix(grid().filter((_, i) => i !== 7)).warnings;
  expect(rest).toEqual([]);
  expect(warning).toEqual({
    code: 'RUN_MISSING',
    text: 'a on z lacks 1 of 3 runs: seed 1.',
    model: 'a',
    dataset: 'z',
    seeds: ['1'],
  });
});

test('where every cell has seeds of its own, equal counts are complete and lacking ones are counted', () => {
  const own = grid().map((row) => ({ ...row, seed: `${row.model}${row.dataset}${row.seed}` }));
  expect(codes(own)).toEqual([]);
  const [warning] = scoreMatrix(own.slice(1)).warnings;
  expect(warning!.text).toBe('a on x lacks 1 of 3 runs.');
  expect(warning!.seeds).toEqual([]);
});

test('a model without a run on a dataset has an empty cell there', () => {
  const matrix = scoreMatrix(grid().filter(({ model, dataset }) => model !== 'b' || dataset !== 'x'));
  expect(matrix.cells[1]![0]).toEqual({ values: [], seeds: [] });
  expect(matrix.warnings.map(({ text }) => text)).toEqual(['b has no run on x.']);
});

test('equal repeats of a seed are one run; of two scores the first counts and both are named', () => {
  const runs = [...grid(), run('a', 'x', '1', 0.001), run('b', 'z', '2', 0.9)];
  const matrix = scoreMatrix(runs);
  expect(matrix.cells).toEqual(scoreMatrix(grid()).cells);
  expect(matrix.warnings.map(({ code, text }) => [code, text])).toEqual([
    ['REPEAT_MERGED', 'a on x: 1 equal repeat merged, seed 1.'],
    ['SEED_CONFLICT', 'b on z: seed 2 has the scores 0.122 and 0.9; the first counts.'],
  ]);
});

test('seeds are texts: 1 and 01 are two runs, and runs without a seed are all runs', () => {
  const texts = [run('a', 'x', '1', 0.5), run('a', 'x', '01', 0.5)];
  expect(scoreMatrix(texts).cells[0]![0]!.values).toEqual([0.5, 0.5]);
  const nameless = [run('a', 'x', null, 0.5), run('a', 'x', null, 0.5)];
  expect(scoreMatrix(nameless).cells[0]![0]!.values).toEqual([0.5, 0.5]);
});

test('which way is better comes from the metric, unless it is said', () => {
  const runs = [run('a', 'x', '0', 3, 'RMSE'), run('a', 'y', '0', 0.5), run('a', 'z', '0', 0.5, 'my score')];
  expect(scoreMatrix(runs).higherIsBetter).toEqual([false, true, true]);
  expect(scoreMatrix(runs, { lowerIsBetter: ['z'] }).higherIsBetter).toEqual([true, true, false]);
});

test('runs of one dataset under two metrics are refused', () => {
  const mixed = [run('a', 'x', '0', 0.5), run('b', 'x', '0', 0.5, 'accuracy')];
  expect(() => scoreMatrix(mixed)).toThrow(expect.objectContaining({ code: 'METRICS_MIXED' }));
});

test('datasets and models are selected by name, in the order asked for, with their warnings', () => {
  const matrix = scoreMatrix(grid().filter(({ model, dataset }) => model !== 'b' || dataset !== 'x'));
  const selected = selectModels(selectDatasets(matrix, ['z', 'x']), ['b', 'a']);
  expect(selected.cells[0]!.map(({ values }) => values.length)).toEqual([3, 0]);
  expect(selected.warnings).toHaveLength(1);
  expect(selectDatasets(matrix, ['y']).warnings).toEqual([]);
  const absent = selectDatasets(matrix, ['w']);
  expect(absent.cells[0]).toEqual([{ values: [], seeds: [] }]);
  expect(absent.warnings[0]!.text).toBe('No model has a run on w.');
  expect(scoreMatrix(grid(), { models: ['b'], datasets: ['y', 'x'] }).cells[0]![0]!.values[0]).toBe(0.11);
});
