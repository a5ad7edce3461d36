import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PlannedRun, StudyEvent, StudyPlan } from '../../src/studies/study.js';
import { computeRuns } from '../../src/studies/worker-pool.js';
import { endStandInKernel, standInKernel } from '../support/kernel-link.js';

const program = path.resolve(import.meta.dirname, '../support/stand-in-worker.mjs');
afterEach(() => vi.unstubAllEnvs());

type Act = 'finish' | 'fail' | 'die' | 'stubborn';

const run = (id: string, arm: string, act: Act = 'finish', ms = 50): PlannedRun => ({
  id,
  arm,
  definition: {
    ...{ dataset: 'd', encoder: 'e', decoder: 'u', settings: { act, ms }, seed: 0, mode: 'corrected' },
    ...{ datasetManifest: '', weights: null, revision: 1 },
  },
});

interface Outcome {
  readonly events: readonly StudyEvent[];
  readonly error: unknown;
  readonly finished: readonly string[];
  readonly failed: readonly string[];
  readonly ms: number;
}

async function compute(
  runs: readonly PlannedRun[],
  { workers = 2, abortOn, broken = false }: { workers?: number; abortOn?: string; broken?: boolean } = {},
): Promise<Outcome> {
  vi.stubEnv('GONDWANA_WORKERS', String(workers));
  const events: StudyEvent[] = [];
  const plan: StudyPlan = { study: { name: 's' } as StudyPlan['study'], quick: false, runs };
  const started = performance.now();
  const abort = new AbortController();
  const error = await computeRuns({
    ...{ plan, store: null, isCheck: false, runs, program },
    versions: broken ? { broken: 'yes' } : {},
    signal: abort.signal,
    onEvent(event) {
      events.push(event);
      // a step is under way, and its process waits a little before it looks up again
      if (event.type === 'step' && event.run === abortOn) abort.abort();
    },
  }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return {
    events,
    error,
    finished: events.flatMap((event) => (event.type === 'run-finished' ? [event.record.id] : [])),
    failed: events.flatMap((event) => (event.type === 'run-failed' ? [event.run.id] : [])),
    ms: performance.now() - started,
  };
}

const pidsOf = ({ events }: Outcome): Map<string, number> =>
  new Map(
    events.flatMap((event) => {
      if (event.type !== 'run-finished') return [];
      const { id, pid } = event.record as unknown as { id: string; pid: number };
      return [[id, pid] as const];
    }),
  );

describe('the pool of processes', () => {
  it('computes every run once, side by side', async () => {
    const outcome = await compute(['a', 'b', 'c', 'd', 'e'].map((id) => run(id, id, 'finish', 500)));
    expect(outcome.error).toBeUndefined();
    expect([...outcome.finished].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(new Set(pidsOf(outcome).values()).size).toBe(2);
  });

  it('gives a process the runs of its arm, whose features it holds', async () => {
    const outcome = await compute(
      ['x0', 'x1', 'x2', 'y0', 'y1', 'y2'].map((id) => run(id, id[0]!, 'finish', 600)),
    );
    const pids = pidsOf(outcome);
    expect(new Set(['x0', 'x1', 'x2'].map((id) => pids.get(id))).size).toBe(1);
    // the last of them may go to the process that has nothing else to do
    expect(pids.get('y1')).toBe(pids.get('y0'));
    expect(pids.get('y0')).not.toBe(pids.get('x0'));
  });

  it('goes on after a run that fails', async () => {
    const outcome = await compute([run('a', 'a', 'fail'), run('b', 'b'), run('c', 'c')], { workers: 1 });
    expect(outcome.error).toBeUndefined();
    expect(outcome.failed).toEqual(['a']);
    expect(outcome.finished).toEqual(['b', 'c']);
  });

  it('reports the run of a process that dies, and computes the others', async () => {
    const outcome = await compute([run('a', 'a', 'die'), run('b', 'b'), run('c', 'c'), run('d', 'd')]);
    expect(outcome.error).toBeUndefined();
    expect(outcome.failed).toEqual(['a']);
    expect([...outcome.finished].sort()).toEqual(['b', 'c', 'd']);
    expect(outcome.events.find((event) => event.type === 'run-failed')).toMatchObject({
      error: { code: 'WORKER_DIED', message: expect.stringContaining('SIGKILL') as string },
    });
  });

  it('fails where no process can start its engine', async () => {
    const outcome = await compute([run('a', 'a'), run('b', 'b')], { broken: true });
    expect(outcome.error).toMatchObject({ code: 'ENGINE_BROKEN' });
    expect(outcome.finished).toEqual([]);
  });

  it('stopped in the middle begins no further run and ends soon', async () => {
    const runs = Array.from({ length: 6 }, (_, i) => run(`r${i}`, `arm${i}`, 'finish', 1500));
    const outcome = await compute(runs, { abortOn: 'r1' });
    expect(outcome.error).toMatchObject({ code: 'STOPPED' });
    expect(outcome.ms).toBeLessThan(4000); // the run at work may take its step to the end, and processes take time to end
    expect(outcome.events.filter(({ type }) => type === 'run-started').length).toBeLessThan(6);
  });

  it('in a notebook ends within a second, also a process that does not heed the stop', async () => {
    standInKernel();
    try {
      const outcome = await compute([run('1', 'a', 'stubborn', 5000)], { workers: 1, abortOn: '1' });
      expect(outcome.error).toMatchObject({ code: 'STOPPED' });
      expect(outcome.finished).toEqual([]);
      // half a second of grace, and the start of a process before the stop
      expect(outcome.ms).toBeLessThan(2500);
    } finally {
      endStandInKernel();
    }
  });

  it('stopped while a run finishes all the same does not begin the next, and says that it was stopped', async () => {
    const runs = [run('a', 'a', 'stubborn', 300), run('b', 'b'), run('c', 'c')];
    const outcome = await compute(runs, { workers: 1, abortOn: 'a' });
    expect(outcome.error).toMatchObject({ code: 'STOPPED' });
    expect(outcome.finished).toEqual(['a']);
  });

  it('stopped during the very last run that finishes all the same is done', async () => {
    const outcome = await compute([run('a', 'a', 'stubborn', 300)], { workers: 1, abortOn: 'a' });
    expect(outcome.error).toBeUndefined();
    expect(outcome.finished).toEqual(['a']);
  });

  it('refuses a number of processes that is none', async () => {
    vi.stubEnv('GONDWANA_WORKERS', 'many');
    const plan = { study: { name: 's' }, quick: false, runs: [] } as unknown as StudyPlan;
    const failing = computeRuns({
      ...{ plan, store: null, versions: {}, isCheck: false, runs: [run('a', 'a')], program },
      ...{ signal: undefined, onEvent: () => undefined },
    });
    await expect(failing).rejects.toMatchObject({ code: 'OPTION_VALUE' });
  });
});
