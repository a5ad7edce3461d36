import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptsOf, beginAttempt, endAttempt } from '../../src/scale-out/attempts.js';
import { packRaised, raisedDemand, type RaisedDemand } from '../../src/scale-out/raised-demand.js';
import type { Submission } from '../../src/scale-out/submission.js';
import { tempFolder } from '../support/temp-folder.js';

const [RUN, OTHER] = ['00000001', '00000002'];
const MEMORY = 'slurmstepd: error: Job 7 exceeded memory limit (210000 > 153600), being killed\n';
const TIME = 'slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***\n';

/** A study of which one run was begun by a task of submission 0001. */
async function study(log: string, { mem, raised }: { mem?: string; raised?: RaisedDemand } = {}) {
  const store = tempFolder();
  for (const name of ['attempts', 'logs']) mkdirSync(path.join(store, name));
  const job = {
    submission: '0001',
    task: 0,
    job: '7_0',
    restart: 0,
    node: 'n1',
    log: 'logs/7_0.log',
  };
  await beginAttempt(store, RUN, job);
  writeFileSync(path.join(store, job.log), log);
  const folder = path.join(store, 'submissions/0001');
  const sent = {
    folder,
    demand: { mem },
    limitMinutes: 30,
    raised,
  } as unknown as Submission;
  const raisedNow = (asked = {}, run = RUN): RaisedDemand =>
    raisedDemand([run], { store, attempts: attemptsOf(store), submissions: [sent] }, asked);
  return { store, job, raisedNow };
}

describe('what a task gets over what was asked for', () => {
  it('is twice the memory where Slurm ended it for that, once', async () => {
    const { raisedNow } = await study(MEMORY, { mem: '12G' });
    expect(raisedNow()).toEqual({ mem: '24G' });
    expect(raisedNow({}, OTHER)).toEqual({});
    const again = await study(MEMORY, { mem: '12G', raised: { mem: '24G' } });
    expect(again.raisedNow()).toEqual({ mem: '24G' });
  });

  it('is twice the time where Slurm ended it for that', async () => {
    const { raisedNow } = await study(TIME, { mem: '12G' });
    expect(raisedNow()).toEqual({ minutes: 60 });
    const again = await study(TIME, {
      mem: '12G',
      raised: { minutes: 60, mem: '24G' },
    });
    expect(again.raisedNow()).toEqual({ minutes: 60, mem: '24G' });
  });

  it('is twice the limit that Slurm tells, where the user asked for none', async () => {
    const bytes = MEMORY.replace('210000 > 153600', '459544576 > 209715200');
    expect((await study(bytes)).raisedNow()).toEqual({ mem: '400M' });
    const twice = `${bytes}slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.\n`;
    expect((await study(twice)).raisedNow()).toEqual({ mem: '400M' });
    expect((await study(MEMORY)).raisedNow()).toEqual({}); // in a unit that is not known
  });

  it('is nothing where the user says how much, or nobody said how much it was', async () => {
    const { raisedNow } = await study(MEMORY, { mem: '12G' });
    expect(raisedNow({ mem: '16G' })).toEqual({});
    expect(raisedNow({ time: '10' })).toEqual({ mem: '24G' });
    expect(
      (await study('slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.\n')).raisedNow(),
    ).toEqual({});
  });

  it('is nothing for a run that was stopped in order, or whose node was lost', async () => {
    const { store, job, raisedNow } = await study(MEMORY, { mem: '12G' });
    await endAttempt(store, RUN, job, 'stopped');
    expect(raisedNow()).toEqual({});
    expect((await study('slurmstepd: error: node failure\n', { mem: '12G' })).raisedNow()).toEqual({});
  });

  it('has an array of its own, as far as the partition goes', () => {
    const unit = (id: string, raised: RaisedDemand) => ({
      id,
      seconds: 60,
      raised,
    });
    const units = [
      unit('a', {}),
      unit('b', { mem: '24G' }),
      unit('c', {}),
      unit('d', { minutes: 60 }),
      unit('e', { mem: '24G' }),
    ];
    const limits = { maximumMinutes: 45, arraySize: 100 };
    const chunks = packRaised(units, { minutes: 30, pack: 1 }, limits);
    expect(chunks).toEqual([
      { tasks: [['a'], ['c']], limitMinutes: 30, raised: {} },
      { tasks: [['b'], ['e']], limitMinutes: 30, raised: { mem: '24G' } },
      { tasks: [['d']], limitMinutes: 45, raised: { minutes: 60 } },
    ]);
  });
});
