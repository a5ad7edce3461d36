import { describe, expect, it } from 'vitest';
import { defineDataset, openDataset } from '../../src/datasets/dataset.js';
import { sampleImage } from '../../src/datasets/image.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { preprocess } from '../../src/preprocessing/preprocess.js';
import { inputSteps } from '../../src/training/input-steps.js';
import { tempFolder } from '../support/temp-folder.js';
import { tinyProtocol } from '../support/tiny-run.js';

/** Two dates of two bands of one sensor and one of another, of 2 × 3 pixels; the first pixel of `radar` has no value. */
const pair = (radarHeight = 2) =>
  defineDataset('pair', {
    manifest: {
      task: 'segmentation',
      modalities: { optics: { bands: ['a', 'b'] }, radar: { bands: ['c'] } },
      classes: ['no', 'yes'],
    },
    entries: (split) => [{ id: split }],
    read() {
      const image = (bands: string[], height: number, start: number) => {
        const data = Float32Array.from({ length: 2 * height * 3 * bands.length }, (_, at) => start + at);
        return sampleImage({ data, height, width: 3, bands, timeCount: 2, dates: [null, null] });
      };
      const radar = image(['c'], radarHeight, 100);
      const valid = Uint8Array.from({ length: radar.data.length }, (_, at) => (at === 0 ? 0 : 1));
      const labels = { data: new Uint8Array(6), height: 2, width: 3 };
      return Promise.resolve({
        images: { optics: image(['a', 'b'], 2, 0), radar: { ...radar, valid } },
        target: { kind: 'mask', labels, stored: labels },
      });
    },
  });

async function joined(definition: ReturnType<typeof pair>) {
  const dataset = await openDataset(definition, tempFolder());
  const steps = inputSteps(
    {
      dataset,
      encoder: readEncoderManifest('unet'),
      modalities: { optical: 'optics+radar' },
      protocol: tinyProtocol,
      normalization: 'none',
      measured: null,
    },
    'train',
  );
  return preprocess(await dataset.read('train', 'train'), steps, { dataset }).images['optical']!;
}

describe('modalities that go into one image', () => {
  it('have their bands beside each other at every date and pixel, holes filled', async () => {
    const image = await joined(pair());
    expect(image).toMatchObject({ bands: ['a', 'b', 'c'], timeCount: 2, height: 2, width: 3 });
    expect([...image.data.subarray(0, 6)]).toEqual([0, 1, 0, 2, 3, 101]);
    expect([...image.data.subarray(18, 21)]).toEqual([12, 13, 106]); // first pixel of the second date
  });

  it('are of one size', async () => {
    await expect(joined(pair(4))).rejects.toMatchObject({ code: 'MODALITIES' });
  });
});
