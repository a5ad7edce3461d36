import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { leaderboard, type LeaderboardOptions } from '../../src/published/leaderboard/leaderboard.js';
import { readRunSources } from '../../src/published/leaderboard/read-runs.js';
import { writeLeaderboard } from '../../src/report/leaderboard/write-leaderboard.js';

const folder = mkdtempSync(path.join(tmpdir(), 'leaderboard-input-'));
afterAll(() => rmSync(folder, { recursive: true }));

function tableFile(name: string, header: string, rows: readonly string[]): string {
  const file = path.join(mkdtempSync(path.join(folder, 'table-')), name);
  writeFileSync(file, `${[header, ...rows].join('\n')}\n`);
  return file;
}

const PLAIN = 'model,dataset,seed,metric,score';
const FORM =
  'backbone,dataset,Seed,Metric,test metric,decoder,n_trials,lr,batch_size,weight_decay,early_stop_patience';

const submission = (scores: readonly number[], metric = 'rmse'): string =>
  tableFile(
    'results.csv',
    FORM,
    scores.map((score, seed) => `A,biomassters,${seed},${metric},${score},unet,16,1e-4,8,0.01,10`),
  );

const boardOf = (file: string, options: LeaderboardOptions = {}) =>
  leaderboard({ resamples: 20, sources: readRunSources([file]), ...options });

const lacking = (file: string, options?: LeaderboardOptions) => {
  const [check] = boardOf(file, options).checks;
  return [check!.isComplete, [...new Set(check!.shortfalls.map(({ code }) => code))]];
};

describe('the check of a source', () => {
  it.each([{}, { released: 'none' }] as const)('is not passed with every run left out, %j', (options) => {
    const file = tableFile('lo.csv', PLAIN, ['A,gb2-burn-scars,0,accuracy,0.9']);
    const [isComplete, codes] = lacking(file, options);
    expect(isComplete).toBe(false);
    expect(codes).toContain('RUNS_MISSING');
  });

  it('is not passed by a model whose runs are left out beside another', () => {
    const rows = ['A,gb2-burn-scars,0,accuracy,0.9', 'B,gb2-burn-scars,0,mIoU,0.9'];
    const [check] = boardOf(tableFile('two.csv', PLAIN, rows), { capability: 'fire=burn_scars' }).checks;
    expect(check!.models).toBe(2);
    expect(check!.shortfalls.find(({ model }) => model === 'A')!.code).toBe('DATASET_MISSING');
  });

  it.each(['rmse', 'RMSE', 'scaledRMSE', ''])(
    'is not passed by a submission of errors that are not scaled, named "%s"',
    (metric) => {
      const board = boardOf(submission([52.3, 50, 53, 54, 55], metric), { released: 'none' });
      expect(board.runs).toEqual([]);
      expect(board.notes.join(' ')).toContain('5 runs of A left out');
      expect(board.checks[0]!.isComplete).toBe(false);
    },
  );

  it('leaves out of a submission the runs alone that are out of scale, and is passed by good ones', () => {
    const good = [0.91, 0.92, 0.93, 0.94];
    expect(lacking(submission([...good, 0.95]), { released: 'none' })).toEqual([true, []]);
    expect(lacking(submission([...good, -80]), { released: 'none' })).toEqual([false, ['SEEDS_MISSING']]);
  });

  it('is not passed by more than five repeats, of which the best could be chosen, nor by a seed twice', () => {
    const six = [0.9, 0.91, 0.92, 0.93, 0.94, 0.95];
    expect(lacking(submission(six), { released: 'none' })).toEqual([false, ['REPEATS']]);
    // one of them out of scale: five are left
    expect(lacking(submission([...six.slice(1), -80]), { released: 'none' })).toEqual([false, ['REPEATS']]);
    const rows = [0, 1, 2, 3, 4, 4].map((seed, at) => `A,gb2-burn-scars,${seed},mIoU,0.9${at}`);
    const [check] = boardOf(tableFile('six.csv', PLAIN, rows), { capability: 'fire=burn_scars' }).checks;
    expect(check!.shortfalls.map(({ code }) => code)).toContain('REPEATS');
  });
});

describe('a table on datasets of one’s own', () => {
  it.each(['rmse', 'MSE', 'test_Rmse', 'mean_absolute_error'])(
    'scored by %s puts the lowest first',
    (metric) => {
      const file = tableFile('fr.csv', PLAIN, [`Good,mine,0,${metric},2`, `Bad,mine,0,${metric},9`]);
      const board = boardOf(file);
      expect(board.rankings[0]!.rows.map(({ model }) => model)).toEqual(['Good', 'Bad']);
      expect(board.notes.join(' ')).not.toContain('percent');
    },
  );

  it('says of a score that it does not know which way it was taken', () => {
    const file = tableFile('odd.csv', PLAIN, ['a,mine,0,CRPS,0.2', 'b,mine,0,CRPS,0.9']);
    expect(boardOf(file).notes.join(' ')).toContain('"CRPS" is not known: higher counts as better');
  });

  it('may call one `__proto__`', () => {
    const rows = ['a,__proto__,0,mIoU,0.2', 'b,__proto__,0,mIoU,0.9'];
    expect(boardOf(tableFile('p.csv', PLAIN, rows)).rankings[0]!.rows[0]).toMatchObject({
      model: 'b',
      estimate: 1,
    });
  });
});

it('keeps models apart, however they are called', () => {
  const name = 'clay-v1-base';
  const rows = [`${name},gb2-burn-scars,0,mIoU,0.5`, `${name} (col.csv),gb2-burn-scars,1,mIoU,0.9`];
  const board = boardOf(tableFile('col.csv', PLAIN, rows), { capability: 'fire=burn_scars' });
  const found = board.rankings[0]!.rows.filter(({ model }) => model.startsWith(name));
  expect(found.map(({ model, runs }) => `${model}: ${runs}`).sort()).toEqual([
    `${name} (col.csv): 1`,
    `${name} (col.csv, 2): 1`,
    `${name}: 5`,
  ]);
});

describe('paths', () => {
  it.each([
    ['nowhere', path.join(folder, 'gone')],
    ['to itself', 'a.csv'],
  ])('name a link that leads %s', (_, target) => {
    const within = mkdtempSync(path.join(folder, 'link-'));
    symlinkSync(target, path.join(within, 'a.csv'));
    expect(() => readRunSources([within])).toThrow(
      expect.objectContaining({ code: 'FILE_MISSING', where: path.join(within, 'a.csv') }),
    );
  });

  it('name a file in the place of the page’s folder', async () => {
    const file = tableFile('zero.csv', PLAIN, []);
    const board = leaderboard({ resamples: 20, capability: 'fire=burn_scars' });
    await expect(writeLeaderboard(board, path.join(file, 'x.html'))).rejects.toMatchObject({
      code: 'NOT_A_FOLDER',
    });
  });
});
