import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../src/results/store.js';
import { attemptsOf } from '../../src/scale-out/attempts.js';
import { readSubmission, tasksOf } from '../../src/scale-out/submission.js';
import { defineStudy } from '../../src/studies/define-study.js';
import { runTask, type TaskResult } from '../../src/studies/run-task.js';
import '../../src/studies/submit-study.js'; // loaded before the clock of a test runs
import { root } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';

/** Runs that fail, and that take 300 ms; the others take no time. */
const [FAILING, LONG] = [1, 2];

beforeEach(() => {
  vi.stubEnv('GONDWANA_STUDY_WORKER', path.join(root, 'test/support/stand-in-study-worker.mjs'));
  vi.stubEnv('GONDWANA_STAND_IN', JSON.stringify({ [FAILING]: { fail: true }, [LONG]: { work: 300 } }));
  vi.stubEnv('TF_NUM_INTRAOP_THREADS', undefined);
});
afterEach(() => vi.unstubAllEnvs());

const study = defineStudy({
  ...{
    name: 'tiny',
    title: 'Is it computed?',
    datasets: ['neon-crowns'],
    encoders: ['efficientnet-lite0'],
  },
  ...{
    decoders: ['unet'],
    protocol: 'neon-crowns',
    settings: { encoderMode: 'frozen' },
    seeds: [0, 1, 2],
  },
});

/** A submission with a run in each task, and the task of a seed. */
async function written(seed: number) {
  const store = openStore(path.join(tempFolder(), 'store'));
  await study.run({ on: 'script', store: store.folder, pack: 1, time: '10' });
  const submission = path.join(store.folder, 'submissions/0001');
  const { runs } = store.readPlan()!;
  const { id } = runs.find(({ definition }) => definition.encoder !== 'none' && definition.seed === seed)!;
  const index = tasksOf(readSubmission(submission)).findIndex((ids) => ids[0] === id);
  const lines: string[] = [];
  const start = (
    signal = new AbortController().signal,
    onLine: (line: string) => void = () => undefined,
  ): Promise<TaskResult> =>
    runTask({
      ...{ submission, index, signal },
      env: { SLURM_CPUS_PER_TASK: '3' },
      say(line) {
        lines.push(line);
        onLine(line);
      },
    });
  const ends = (): readonly string[] => (attemptsOf(store.folder).get(id) ?? []).map(({ end }) => end);
  return { store, id, start, lines, ends };
}

describe('a task with one run', () => {
  it('computes it in its own process, with the threads that the cluster gives', async () => {
    const { store, id, start, ends } = await written(0);
    expect(await start()).toEqual({
      finished: 1,
      failed: 0,
      skipped: 0,
      left: 0,
      exitCode: 0,
    });
    const record = store.read(id)!;
    expect(record.attempt).toContain(`-${process.pid}-`);
    expect(record.engine.threads).toBe(3);
    expect(record.job).toMatchObject({
      submission: '0001',
      log: expect.stringMatching(/^logs\//) as string,
    });
    expect(ends()).toEqual(['none']);
    expect(await start()).toMatchObject({
      finished: 0,
      skipped: 1,
      exitCode: 0,
    });
  });

  it('notes why it failed', async () => {
    const { store, id, start, ends, lines } = await written(FAILING);
    expect(await start()).toMatchObject({
      finished: 0,
      failed: 1,
      left: 0,
      exitCode: 1,
    });
    expect(store.failures().get(id)).toMatchObject({ code: 'LOSS_NOT_FINITE' });
    expect(lines.join('\n')).toContain('LOSS_NOT_FINITE');
    expect(ends()).toEqual(['failed']);
  });

  it('asked to stop, keeps its state, and goes on from there when it is begun again', async () => {
    const { store, id, start, ends } = await written(LONG);
    const abort = new AbortController();
    const stopSoon = (line: string): void => {
      if (line.includes('begins')) setTimeout(() => abort.abort(), 120);
    };
    expect(await start(abort.signal, stopSoon)).toMatchObject({
      finished: 0,
      failed: 0,
      left: 1,
      exitCode: 75,
    });
    expect(ends()).toEqual(['stopped']);
    expect(await start()).toMatchObject({ finished: 1, exitCode: 0 });
    expect(Number(store.read(id)!.versions.resumedAt)).toBeGreaterThan(0);
  });

  it('begins nothing that was asked to stop before', async () => {
    const { store, start } = await written(0);
    expect(await start(AbortSignal.abort())).toMatchObject({
      finished: 0,
      left: 1,
      exitCode: 75,
    });
    expect(store.ids()).toEqual([]);
  });

  it('of code that no option names says which it is, and notes nothing', async () => {
    const { store, start, ends } = await written(0);
    const file = path.join(store.folder, 'submissions/0001/intent.json');
    const intent = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...intent, plugins: ['/a b/own.ts'] }));
    await expect(start()).rejects.toMatchObject({
      code: 'PLUGIN_MISSING',
      hint: expect.stringMatching(/^gondwana worker \S+submissions\/0001 \d --code '\/a b\/own\.ts'$/),
    });
    expect([ends(), store.failures().size]).toEqual([[], 0]);
  });
});
