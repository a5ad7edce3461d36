import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/results/store.js';
import { checkStudy } from '../../src/studies/check-study.js';
import { planStudy } from '../../src/studies/plan-study.js';
import { runStudy } from '../../src/studies/run-study.js';
import type { StudyDefinition } from '../../src/studies/study.js';
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
