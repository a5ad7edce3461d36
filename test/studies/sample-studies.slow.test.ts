import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDataset, type Dataset } from '../../src/datasets/dataset.js';
import { openEncoder } from '../../src/encoders/open-encoder.js';
import { startEngine } from '../../src/engine/engine.js';
import { embedSamples } from '../../src/evaluation/embed-samples.js';
import { probeEmbeddings } from '../../src/evaluation/probes/probe-embeddings.js';
import { loadPlugin } from '../../src/studies/load-plugin.js';
import { gondwana } from '../support/command-line.js';
import { root } from '../support/needs.js';
import { sharedData } from '../support/shared-data.js';

const study = (name: string): string => path.join(root, 'studies/samples', `${name}.ts`);
const samples = sharedData.path('.');

// shared/data, beside the checkout; without it the run lists these as left out
describe.skipIf(!sharedData.isMet)('studies of real samples', () => {
  it.each([
    ['statlog', 'labelFraction 0.01'],
    ['flood-modality', 'modalities optical+sar'],
    ['dates', 'dates 5, temporal ltae'],
  ])('%s gets through a batch of every arm', async (name, arm) => {
    const { code, stdout } = await gondwana(['run', study(name), '--check'], {
      env: { GONDWANA_SAMPLES: samples },
    });
    expect(stdout).toContain(arm);
    expect(stdout).toMatch(/All \d+ arms get through/);
    expect(code).toBe(0);
  });

  describe('a frozen Presto', () => {
    let dataset: Dataset;
    beforeAll(async () => {
      await startEngine();
      await loadPlugin(study('fuel-moisture'));
      dataset = await openDataset('fuel-moisture', sharedData.path('presto-series/fuel_moisture'));
    });

    it('tells the moisture of live fuel as its authors’ features do', async () => {
      const encoder = await openEncoder('presto', {
        weights: sharedData.path('weights-presto/default_model.pt'),
      });
      const warnings: unknown[] = [];
      const options = { dataset, normalization: 'model', size: 'keep', batchSize: 256 } as const;
      const onWarning = (warning: unknown): void => void warnings.push(warning);
      const embed = (split: string) =>
        embedSamples(encoder, dataset.samples(split), { ...options, onWarning });
      const result = probeEmbeddings(await embed('train'), await embed('test'));
      encoder.dispose();
      expect([result.trainCount, result.testCount]).toEqual([1578, 735]);
      // 36.90 by the mean; 26.79 by a ridge regression of unknown penalty on the features of the published code
      expect(result.trivial).toBeCloseTo(36.9, 1);
      expect(Math.abs(result.linear - 26.79)).toBeLessThan(0.5);
      // numbers in the range of the model's training are no fault
      expect(warnings).toEqual([]);
    });
  });
});
