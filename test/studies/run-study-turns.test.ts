import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { runStudy } from '../../src/studies/run-study.js';
import type { StudyDefinition } from '../../src/studies/study.js';
import { tempFolder } from '../support/temp-folder.js';

const work = vi.hoisted(() => ({ now: 0, most: 0, calls: 0 }));

vi.mock('../../src/studies/worker-pool.js', () => ({
  workersWanted: () => undefined,
  async computeRuns() {
    work.calls++;
    work.most = Math.max(work.most, ++work.now);
    await sleep(100);
    work.now--;
  },
}));

const study: StudyDefinition = {
  name: 'mine',
  title: 'Mine?',
  protocol: 'neon-crowns',
  datasets: ['neon-crowns'],
  encoders: ['efficientnet-lite0'],
  decoders: ['unet'],
  seeds: [0],
};

it('takes turns where a study is started again in the same process, and can be stopped while it waits', async () => {
  const store = tempFolder();
  const notices: string[] = [];
  const controller = new AbortController();
  const options = {
    store,
    onEvent: (event: { type: string; text?: string }) => {
      if (event.type === 'notice') notices.push(event.text!);
    },
  };
  const first = runStudy(study, options);
  await sleep(50);
  const second = runStudy(study, options);
  const third = runStudy(study, { ...options, signal: controller.signal });
  const elsewhere = runStudy(study, { store: tempFolder() });
  await sleep(20);
  controller.abort();
  await expect(third).rejects.toMatchObject({ code: 'STOPPED', where: store });
  await Promise.all([first, second, elsewhere]);
  expect(work.calls).toBe(3);
  expect(work.most).toBe(2); // the first and the one of the other store
  expect(notices).toEqual([
    expect.stringContaining('being filled already'),
    expect.stringContaining('being filled already'),
  ]);
  await runStudy(study, options);
  expect(notices).toHaveLength(2);
});
