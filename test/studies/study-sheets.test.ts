import { describe, expect, it } from 'vitest';
import { bundleOf } from '../../src/display/bundle.js';
import { showAs } from '../../src/display/showable.js';
import { defineStudy } from '../../src/studies/define-study.js';
import { planStudy } from '../../src/studies/plan-study.js';
import { resultBundle } from '../../src/studies/study-sheets.js';
import type { StudyResult } from '../../src/studies/study.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';

const study = defineStudy({
  name: 'mine',
  title: 'Frozen or <fine-tuned>?',
  source: 'A table',
  protocol: 'neon-crowns',
  datasets: ['neon-crowns'],
  encoders: ['efficientnet-lite0'],
  decoders: ['unet'],
  vary: { encoderMode: ['frozen', 'fine-tuned'] },
  seeds: [0, 1],
});
const text = async (value: unknown): Promise<string> => (await bundleOf(value))['text/plain'] as string;

describe('in a cell', () => {
  it('a study shows its question and what it varies', async () => {
    expect(await text(study)).toMatch(/vary encoderMode\s+"frozen", "fine-tuned"/);
    expect(await text(study)).toMatch(/seeds\s+0, 1/);
    expect((await bundleOf(study))['text/html']).toContain('Frozen or &lt;fine-tuned&gt;?');
    // it is still a definition like any other
    expect(Object.keys(defineStudy(study))).toEqual(Object.keys(study));
  });

  it('a plan shows its arms with their seeds, its runs are a table, one run its settings', async () => {
    const plan = await planStudy(study);
    const shown = await text(plan);
    expect(shown).toMatch(/runs\s+6 in 4 arms/);
    expect(shown).toMatch(/neon-crowns\s+fine-tuned\s+efficientnet-lite0\s+unet\s+0, 1\s+2/);
    expect(await text(plan.runs)).toMatch(/^run\s+arm\s+dataset\s+encoder\s+decoder\s+seed\n/);
    expect(await text(plan.runs[0])).toMatch(/encoderMode\s+frozen/);
    // it crosses to the processes that compute
    expect(structuredClone(plan)).toEqual(JSON.parse(JSON.stringify(plan)));
  });

  it('a result shows how much is finished, where it is, its scores and what failed', async () => {
    const plan = await planStudy(study);
    const result: StudyResult = {
      plan,
      store: 'results/mine',
      records: syntheticRecords(),
      failed: [
        {
          run: plan.runs[0]!,
          error: { code: 'LOSS_NOT_FINITE', message: 'NaN', where: '', hint: 'lower', exitCode: 1 },
        },
      ],
    };
    const shown = await text(showAs(result, { bundle: resultBundle }));
    expect(shown).toMatch(/store\s+results\/mine/);
    expect(shown).toMatch(/interval\ndataset\s+arm\s+runs\s+mIoU/);
    expect(shown).toMatch(/Failed\narm\s+seed\s+code\s+message\s+hint\n/);
  });
});
