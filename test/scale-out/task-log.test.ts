import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { endTold, shortenLog } from '../../src/scale-out/task-log.js';
import { tempFolder } from '../support/temp-folder.js';

/** 12 bytes a line. */
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${String(index).padStart(6, '0')}\n`).join('');

describe('the log of a task', () => {
  it('keeps its last 100 kB from a whole line on, and takes what is written later', () => {
    const file = path.join(tempFolder(), '7_0.log');
    const log = openSync(file, 'a');
    writeSync(log, lines(20_000));
    shortenLog(file, log);
    writeSync(log, 'the last word\n');
    closeSync(log);
    const text = readFileSync(file, 'utf8');
    expect(text.length).toBeGreaterThan(99_900);
    expect(text.length).toBeLessThan(100_100);
    expect(text.startsWith('line 01')).toBe(true);
    expect(text.endsWith('line 019999\nthe last word\n')).toBe(true);
  });

  it('stays as it is where it is short, or where this process writes elsewhere', () => {
    const folder = tempFolder();
    const [file, other] = [path.join(folder, 'a.log'), path.join(folder, 'b.log')];
    writeFileSync(file, lines(20_000));
    writeFileSync(other, lines(10));
    const log = openSync(other, 'a');
    shortenLog(file, log);
    shortenLog(other, log);
    closeSync(log);
    expect(statSync(file).size).toBe(240_000);
    expect(statSync(other).size).toBe(120);
  });

  it.each([
    ['slurmstepd-n1: error: Job 7 exceeded memory limit (210000 > 153600), being killed', { by: 'memory' }],
    [
      'slurmstepd: error: StepId=7.batch exceeded memory limit (459544576 > 209715200), being killed',
      { by: 'memory', limitBytes: 209_715_200 },
    ],
    [
      'slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.batch. Some of your processes …',
      { by: 'memory' },
    ],
    ['slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.', { by: 'memory' }],
    [
      'slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***',
      { by: 'time' },
    ],
    ['slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 ***', undefined],
  ])('says for what Slurm ended the task: %s', (word, end) => {
    const file = path.join(tempFolder(), '7_0.log');
    writeFileSync(file, `${lines(3000)}${word}\n`);
    expect(endTold(file)).toEqual(end);
    // of two restarts, the last one counts
    writeFileSync(file, `${word}\nagain\nslurmstepd: error: *** JOB 7 DUE TO TIME LIMIT ***\n`);
    expect(endTold(file)).toEqual({ by: 'time' });
  });

  it('that is missing or no file says nothing', () => {
    const folder = tempFolder();
    const pipe = path.join(folder, 'pipe.log');
    spawnSync('mkfifo', [pipe]);
    expect([path.join(folder, 'none.log'), folder, pipe].map(endTold)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
