import { describe, expect, it } from 'vitest';
import { listManifests } from '../../../src/manifests/read-manifest.js';
import { readSearchManifest, searchFor } from '../../../src/manifests/search-manifest.js';
import { createRandom } from '../../../src/random.js';
import { samplers } from '../../../src/training/search/registry.js';
import { search } from '../../../src/training/search/search.js';

describe('searches of the papers', () => {
  it.each(listManifests('searches'))('%s runs as it stands, for each encoder that it names', async (id) => {
    const manifest = readSearchManifest(id);
    const known = listManifests('encoders');
    for (const encoder of ['any other', ...Object.keys(manifest.encoders)]) {
      if (encoder !== 'any other') expect(known).toContain(encoder);
      const { space } = searchFor(manifest, encoder);
      const { trials, best } = await search({
        ...{ space, trialCount: manifest.trialCount, direction: manifest.direction, random: createRandom(1) },
        ...{ sampler: samplers[manifest.sampler](), objective: (_, { number }) => number },
      });
      expect(trials).toHaveLength(manifest.trialCount);
      expect(best!.number).toBe(manifest.trialCount - 1);
    }
  });

  it('say what each paper has', () => {
    expect(readSearchManifest('geobench2')).toMatchObject({ sampler: 'tpe', trialCount: 16, pruner: null });
    expect(readSearchManifest('geobench2-detection').trialCount).toBe(10);
    const swin = searchFor(readSearchManifest('geobench-classification'), 'swinv2-tiny-timm');
    expect(swin.settings).toEqual({ optimizer: 'sgd', batchSize: 16 });
    expect(swin.space['encoderLearningRate']).toMatchObject({ low: 1e-6, high: 1e-2, scale: 'log' });
    expect(swin.space['learningRate']).toMatchObject({ low: 1e-4, high: 1e-2 });
    expect(readSearchManifest('pangaea-learning-rate').trialCount).toBe(7);
  });
});
