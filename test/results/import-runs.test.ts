import path from 'node:path';
import { expect, test } from 'vitest';
import { importRuns, runColumns } from '../../src/results/import-runs.js';
import { isError, isHigherBetter } from '../../src/results/main-score.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeFiles } from '../support/write-files.js';

function tableOf(content: string): string {
  const folder = tempFolder();
  writeFiles(folder, { 'runs.csv': content });
  return path.join(folder, 'runs.csv');
}

test('a column map names what holds what, and rows can be chosen', () => {
  const file = tableOf(
    'backbone,dataset,Seed,Metric,test metric,part\nn,x,2254,mIoU,0.5,all\nn,x,07,mIoU,0.6,half\n',
  );
  const { runs } = importRuns(file, { columns: runColumns.geobench2, keep: { part: ['half'] } });
  expect(runs).toEqual([{ model: 'n', dataset: 'x', seed: '07', metric: 'mIoU', score: 0.6 }]);
  expect(() => importRuns(file, { columns: runColumns.geobench2, keep: { part: ['none'] } })).toThrow(
    expect.objectContaining({ code: 'NO_ROWS', hint: '"part" has all and half.' }),
  );
});

test('a table without seeds or metrics is read, each row a run of its own', () => {
  const { runs } = importRuns(tableOf('model;dataset;score\na;x;0,5\na;x;0,5\n'));
  expect(runs).toEqual([
    { model: 'a', dataset: 'x', seed: null, metric: null, score: 0.5 },
    { model: 'a', dataset: 'x', seed: null, metric: null, score: 0.5 },
  ]);
});

test('words in the place of a score are failed runs, numbers that are none are errors', () => {
  const { runs, failed } = importRuns(
    tableOf('model,dataset,seed,score\na,x,0,0.5\na,x,1,diverged\na,x,2,\na,x,3,-inf\na,x,4,#DIV/0!\n'),
  );
  expect(runs.map(({ score }) => score)).toEqual([0.5, null, null, null, null]);
  expect(failed.map(({ line, text, seed }) => [line, text, seed])).toEqual([
    [3, 'diverged', '1'],
    [4, '', '2'],
    [5, '-inf', '3'],
    [6, '#DIV/0!', '4'],
  ]);
  expect(() => importRuns(tableOf('model,dataset,score\na,x,0.5\nb,x,0.5x\n'))).toThrow(
    expect.objectContaining({ code: 'BAD_NUMBER', where: expect.stringMatching(/:3$/) as string }),
  );
});

test('shares and percents on one dataset are refused by the name of the fewer, unless allowed', () => {
  const file = tableOf('model,dataset,score\na,x,0.5\nb,x,71.2\nc,x,0.6\na,y,60\nb,y,70\n');
  expect(() => importRuns(file)).toThrow(
    expect.objectContaining({ code: 'MIXED_SCALE', message: expect.stringContaining('b on "x"') as string }),
  );
  expect(importRuns(file, { mixedScales: true }).runs).toHaveLength(5);
});

test('errors in the unit of a target may be below and above 1, and a score of 0 fits every scale', () => {
  const file = tableOf('model,dataset,metric,score\na,x,RMSE,0.5\nb,x,RMSE,12\na,y,mIoU,0\nb,y,mIoU,40\n');
  expect(importRuns(file).runs.map(({ score }) => score)).toEqual([0.5, 12, 0, 40]);
});

test('what was written with an apostrophe, to be no formula, is read without it', () => {
  const { runs } = importRuns(tableOf("model,dataset,score\n'=1+1,x,0.5\n'quoted',x,0.6\n"));
  expect(runs.map(({ model }) => model)).toEqual(['=1+1', "'quoted'"]);
});

test('names go without blanks around them, and a model or dataset without a name is refused by its line', () => {
  const { runs } = importRuns(tableOf('model,dataset,score\n a ,x ,0.5\na,x,0.6\n'));
  expect(runs.map(({ model, dataset }) => [model, dataset])).toEqual([
    ['a', 'x'],
    ['a', 'x'],
  ]);
  for (const row of [' ,x,0.5', 'a,,0.5'])
    expect(() => importRuns(tableOf(`model,dataset,score\na,x,0.5\n${row}\n`))).toThrow(
      expect.objectContaining({ code: 'EMPTY_CELL', where: expect.stringMatching(/:3$/) as string }),
    );
});

test('a score that no number can hold is an error, not a failed run', () => {
  expect(() => importRuns(tableOf('model,dataset,score\na,x,1e400\n'))).toThrow(
    expect.objectContaining({ code: 'BAD_NUMBER' }),
  );
});

test.each(['rmse', 'Mse', 'MAE', 'test_rmse', 'mean_squared_error'])('%s is known as an error', (name) => {
  expect([isError(name), isHigherBetter(name)]).toEqual([true, false]);
});
