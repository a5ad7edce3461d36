import { describe, expect, it } from 'vitest';
import { defineDataset, openDataset } from '../../src/datasets/dataset.js';
import { sampleImage } from '../../src/datasets/image.js';
import type { Target } from '../../src/datasets/sample.js';
import { truthOf } from '../../src/training/truth.js';
import { tempFolder } from '../support/temp-folder.js';

/** Reads the one sample of a dataset of three classes, of which 255 does not count. */
async function answer(task: 'classification' | 'multilabel' | 'segmentation', target: Target) {
  const definition = defineDataset('truths', {
    manifest: {
      task,
      modalities: { optical: { sensor: 'aerial', bands: ['red'] } },
      classes: ['a', 'b', 'c'],
    },
    entries: () => [{ id: 'tile-7' }],
    read: () =>
      Promise.resolve({
        images: {
          optical: sampleImage({ data: new Float32Array(6), height: 2, width: 3, bands: ['red'] }),
        },
        target,
      }),
  });
  const dataset = await openDataset(definition, tempFolder());
  return truthOf(dataset).answer(await dataset.read('train', 'tile-7'));
}

const mask = (...values: number[]): Target => {
  const labels = { data: Uint8Array.from(values), height: 2, width: 3 };
  return { kind: 'mask', labels, stored: labels };
};

describe('the truth of a sample', () => {
  it.each([
    ['classification', { kind: 'class', label: 3 }, 'The class 3 at element 0'],
    ['classification', { kind: 'class', label: NaN }, 'The class NaN'],
    ['classification', { kind: 'class', label: -1 }, 'The class -1'],
    ['multilabel', { kind: 'classes', labels: [0, 3] }, 'The class 3 at element 1'],
    ['segmentation', mask(0, 1, 2, 0, 1, 9), 'The class 9 at row 1, column 2'],
  ] as const)('of %s is refused with its place and value: %j', async (task, target, message) => {
    await expect(answer(task, target)).rejects.toMatchObject({
      code: 'CLASS_OUT_OF_RANGE',
      message: expect.stringContaining(message) as string,
      where: expect.stringContaining('sample tile-7') as string,
    });
  });

  it('has 1 for each label', async () => {
    const found = await answer('multilabel', { kind: 'classes', labels: [0, 2] });
    expect(found).toMatchObject({ data: Float32Array.of(1, 0, 1) });
  });
});
