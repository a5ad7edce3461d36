import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gondwana } from '../support/command-line.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-leaderboard-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('gondwana leaderboard', () => {
  it('ranks a table beside released runs, writes the page, and exits 1 where the check finds something lacking', async () => {
    const table = path.join(folder, 'mine.csv');
    writeFileSync(
      table,
      'model,dataset,seed,metric,score\nmine,gb2-caffe,0,mIoU,0.9\nmine,gb2-caffe,1,mIoU,0.8\n',
    );
    const page = path.join(folder, 'page.html');
    const args = ['leaderboard', table, '--capability', 'ice=gb2-caffe', '--html', page, '--check', '--json'];
    const { code, stdout } = await gondwana(args);
    expect(code).toBe(1);
    const board = JSON.parse(stdout) as {
      capability: string;
      rows: { model: string; place: number }[];
      checks: { source: string; shortfalls: { code: string }[] }[];
    };
    expect(board.capability).toBe('ice');
    expect(board.rows[0]).toMatchObject({ model: 'mine', place: 1 });
    expect(board.rows).toHaveLength(15);
    expect(board.checks.map(({ source }) => source)).toEqual(['mine.csv']);
    expect(board.checks[0]!.shortfalls.map(({ code: found }) => found)).toEqual([
      'SEEDS_MISSING',
      'TRIALS_UNKNOWN',
    ]);
    expect(readFileSync(page, 'utf8')).toContain('<h1>Leaderboard: ice</h1>');
  });

  it.each([
    [['--capability', 'cores'], 2, 'OPTION_VALUE'],
    [['--released', 'all'], 2, 'OPTION_VALUE'],
    [[folder + '/none'], 3, 'FILE_MISSING'],
  ])('%j exits %i', async (args, exit, expected) => {
    const { code, stdout } = await gondwana(['leaderboard', ...args, '--json']);
    expect([code, (JSON.parse(stdout) as { error: { code: string } }).error.code]).toEqual([exit, expected]);
  });
});
