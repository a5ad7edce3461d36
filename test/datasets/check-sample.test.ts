import { describe, expect, it } from 'vitest';
import { defineDataset, openDataset } from '../../src/datasets/dataset.js';
import { sampleImage } from '../../src/datasets/image.js';
import { InputError } from '../../src/errors.js';
import { tempFolder } from '../support/temp-folder.js';

const labels = { data: new Uint8Array(6), height: 2, width: 3 };
const image = sampleImage({ data: new Float32Array(12), height: 2, width: 3, bands: ['red', 'nir'] });
const good = { images: { optical: image }, target: { kind: 'mask', labels, stored: labels } };

/** Reads the one sample of a user's own dataset, whose `read` does what no compiler has seen. */
async function read(returned: () => unknown) {
  const definition = defineDataset('own', {
    manifest: {
      task: 'segmentation',
      modalities: { optical: { sensor: 'aerial', bands: ['red', 'nir'] } },
      classes: ['a', 'b'],
    },
    entries: () => [{ id: 'tile-7' }],
    read: async () => returned() as never,
  });
  return (await openDataset(definition, tempFolder())).read('train', 'tile-7');
}

describe('a sample of a dataset in code', () => {
  it('is taken as it is', async () => {
    expect(await read(() => good)).toMatchObject({ id: 'tile-7', images: { optical: { width: 3 } } });
  });

  it.each<[string, unknown]>([
    ['The whole', null],
    ['images ', { target: good.target }],
    ['images.s2 ', { ...good, images: { s2: image } }],
    ['images.optical.data', { ...good, images: { optical: { ...image, height: 3 } } }],
    ['images.optical.data', { ...good, images: { optical: { ...image, data: undefined } } }],
    ['images.optical.valid', { ...good, images: { optical: { ...image, valid: new Uint8Array(6) } } }],
    ['target.labels', { ...good, target: { ...good.target, labels: { ...labels, width: 2 } } }],
    [
      'target.values',
      { ...good, target: { kind: 'values', values: new Float32Array(6), height: 2, width: 2 } },
    ],
  ])('is refused where it is none: %s', async (member, returned) => {
    await expect(read(() => returned)).rejects.toMatchObject({
      code: 'SAMPLE_INVALID',
      message: expect.stringMatching(new RegExp(`^${member}.*tile-7`)) as string,
    });
  });

  it('that its code cannot read says whose code fails, errors of ours as they are', async () => {
    const own = new Error('disk on fire');
    await expect(
      read(() => {
        throw own;
      }),
    ).rejects.toMatchObject({ code: 'OWN_CODE_FAILED', where: 'dataset own, sample tile-7', cause: own });
    const ours = new InputError('BAD_HEADER', 'no TIFF');
    await expect(
      read(() => {
        throw ours;
      }),
    ).rejects.toBe(ours);
  });
});
