import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/results/store.js';
import { checkStudy } from '../../src/studies/check-study.js';
import { layOutStudy, planStudy } from '../../src/studies/plan-study.js';
import { outcomesIn } from '../../src/studies/replay-search.js';
import { runStudy } from '../../src/studies/run-study.js';
import type { PlannedRun, StudyDefinition } from '../../src/studies/study.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';
import { endStandInKernel, standInKernel } from '../support/kernel-link.js';
import { tempFolder } from '../support/temp-folder.js';

const study: StudyDefinition = {
  name: 'mine',
  title: 'Mine?',
  protocol: 'neon-crowns',
  datasets: ['neon-crowns'],
  encoders: ['efficientnet-lite0'],
  decoders: ['unet'],
  seeds: [0],
};

describe('the store of a study', () => {
  it.each([
    ['another study', { ...study, name: 'other' }, {}],
    ['the quick form of the same study', study, { quick: true }],
  ])('is refused to %s, and its plan stays', async (_, other, options) => {
    const store = openStore(tempFolder());
    await store.writePlan(await planStudy(study));
    const before = store.readPlan();
    await expect(runStudy(other, { store: store.folder, ...options })).rejects.toMatchObject({
      code: 'STORE_TAKEN',
    });
    expect(store.readPlan()).toEqual(before);
  });

  it('is left alone by a study that is stopped before it begins, but for the plan', async () => {
    const store = openStore(tempFolder());
    const signal = AbortSignal.abort();
    await expect(runStudy(study, { store: store.folder, signal })).rejects.toMatchObject({ code: 'STOPPED' });
    expect(store.ids()).toEqual([]);
    expect(store.readPlan()?.runs).toHaveLength(3);
  });

  it('says what is finished when the cell is stopped, whose signal it heeds by itself', async () => {
    const kernel = standInKernel();
    const store = openStore(tempFolder());
    try {
      kernel.stop();
      await expect(runStudy(study, { store: store.folder })).rejects.toMatchObject({
        code: 'STOPPED',
        message: 'The study was stopped. 0 of 3 runs are finished and kept.',
        where: store.folder,
      });
      await expect(checkStudy(study)).rejects.toMatchObject({ code: 'STOPPED' });
    } finally {
      endStandInKernel();
    }
  });

  it('says when the study was changed', async () => {
    const store = openStore(tempFolder());
    await store.writePlan(await planStudy({ ...study, seeds: [0, 1] }));
    const notices: string[] = [];
    const onEvent = (event: { type: string; text?: string }) =>
      event.type === 'notice' && notices.push(event.text!);
    await runStudy(study, { store: store.folder, signal: AbortSignal.abort(), onEvent }).catch(
      () => undefined,
    );
    expect(notices).toEqual([expect.stringContaining('1 of 4 planned runs')]);
  });
});

describe('a search without a score', () => {
  const searching: StudyDefinition = {
    ...study,
    search: {
      trials: 3,
      space: { learningRate: { kind: 'float', low: 1e-6, high: 1e-1, scale: 'log' } },
    },
  };
  const [template] = syntheticRecords();

  type End = 'failed' | 'complete' | 'pruned';

  /** A store in which every run has ended, trials as they are told to. */
  async function storeWith(ends: (number: number) => End) {
    const store = openStore(tempFolder());
    const growing = await layOutStudy(searching);
    const publish = ({ id, arm, definition }: PlannedRun, trial: object) =>
      store.publish({ ...template!, id, arm, definition, ...trial });
    const ended = new Set<string>();
    for (;;) {
      growing.refresh(outcomesIn(store));
      const open = growing.plan.runs.filter(({ id }) => !ended.has(id));
      if (open.length === 0) return store;
      for (const run of open) {
        ended.add(run.id);
        const { trial } = run.definition;
        const state = trial && ends(trial.number);
        if (state === 'failed') {
          const error = { code: 'LOSS_NOT_FINITE', message: `trial ${trial!.number}`, where: '', hint: '' };
          await store.noteFailure(run.id, { ...error, exitCode: 1 });
        } else await publish(run, state ? { trial: { state, value: null, reports: [] } } : {});
      }
    }
  }

  it.each<[string, (number: number) => End, object]>([
    ['fails', () => 'failed', { code: 'LOSS_NOT_FINITE', message: 'trial 2' }],
    [
      'ends without one after one failed',
      (number: number) => (number === 0 ? 'failed' : 'complete'),
      { code: 'LOSS_NOT_FINITE', message: 'trial 0' },
    ],
    [
      'is pruned',
      (number: number) => (number === 2 ? 'pruned' : 'complete'),
      { code: 'SEARCH_WITHOUT_SCORE', message: 'No trial gave a score (2 complete, 1 pruned, 0 failed).' },
    ],
  ])('is told, also when the study is started again: the last trial %s', async (_, ends, error) => {
    const store = await storeWith(ends);
    const { failed } = await runStudy(searching, { store: store.folder });
    expect(failed).toHaveLength(1);
    expect(failed[0]!.error).toMatchObject(error);
    expect(failed[0]!.run.definition.trial).toBeDefined();
  });
});
