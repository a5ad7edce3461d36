import { expect, it } from 'vitest';
import type { StoredPlan } from '../../src/results/store.js';
import { planStudy } from '../../src/studies/plan-study.js';
import { requireOwnCode, storedStudy } from '../../src/studies/stored-study.js';

const plan = (name: string, own: string): StoredPlan => ({
  study: { name, title: '?' },
  quick: false,
  runs: [{ id: 'a'.repeat(20), arm: 'a', definition: { own: { [own]: '0' } } as never }],
});

it('code of a study that is not here is asked for, and never executed because a folder names it', async () => {
  await expect(requireOwnCode(plan('mine', 'my-fields'), 'results/mine')).rejects.toMatchObject({
    code: 'OWN_CODE_MISSING',
    message: expect.stringContaining('my-fields') as string,
    hint: expect.stringContaining('gondwana run FILE --store results/mine') as string,
  });
});

it('code of a shipped study is loaded, so that its store goes on by itself', async () => {
  await expect(planStudy({ ...smoke, name: 'smoke' })).rejects.toMatchObject({ code: 'DATASET_UNKNOWN' });
  await requireOwnCode(plan('smoke', 'smoke-blocks'), 'results/smoke');
  const { runs } = await planStudy(storedStudy({ study: smoke, quick: false }));
  expect(runs.length).toBeGreaterThan(4);
});

/** As its plan has it. */
const smoke = {
  ...{ name: 'smoke', title: 'Does everything work here?', protocol: 'pangaea' },
  ...{ datasets: ['smoke-blocks'], encoders: ['smoke-encoder'], decoders: ['unet'], seeds: [0, 1, 2] },
  settings: { crop: 'none', evaluation: 'whole', epochs: 3 },
  vary: { normalization: ['z-score', 'none'] },
};
