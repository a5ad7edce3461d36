import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunJob } from '../../src/results/run-record.js';
import { attemptsOf, beginAttempt, endAttempt, forgetKills, noteOf } from '../../src/scale-out/attempts.js';
import { tempFolder } from '../support/temp-folder.js';

const [RUN, OTHER] = ['0000000a', '0000000b'];
const jobOf = (job: string): RunJob => ({
  ...{ submission: '0001', task: 0, job, restart: 0, node: 'n1', log: `logs/${job}.log` },
});

describe('kills of a run', () => {
  it('count no more once it is tried again by the word of a user, and what was noted stays', async () => {
    const store = tempFolder();
    for (const run of [RUN, OTHER])
      for (const job of ['7_0', '8_0', '9_0']) await beginAttempt(store, run, jobOf(job));
    await endAttempt(store, RUN, jobOf('9_0'), 'stopped');
    const kills = attemptsOf(store)
      .get(RUN)!
      .filter(({ end }) => end === 'none');
    await beginAttempt(store, RUN, jobOf('10_0')); // by a task that begins in between
    await forgetKills(store, kills);
    const attempts = attemptsOf(store);
    const ends = (run: string) => attempts.get(run)!.map(({ of, end }) => `${of} ${end}`);
    expect(ends(RUN).sort()).toEqual(['10_0.0 none', '7_0.0 killed', '8_0.0 killed', '9_0.0 stopped']);
    expect(ends(OTHER).every((end) => end.endsWith('none'))).toBe(true);
    expect(
      noteOf(
        store,
        attempts.get(RUN)!.find(({ of }) => of === '8_0.0')!,
      )?.log,
    ).toBe('logs/8_0.log');
    await forgetKills(store, kills); // nothing is left to do
    expect(existsSync(path.join(store, 'attempts', `${RUN}.7_0.0.killed`))).toBe(true);
  });
});
