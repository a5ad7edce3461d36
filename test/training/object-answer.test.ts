import { describe, expect, it } from 'vitest';
import { defineDataset, openDataset, type Dataset } from '../../src/datasets/dataset.js';
import { sampleImage } from '../../src/datasets/image.js';
import type { Sample, SampleObject, Target } from '../../src/datasets/sample.js';
import { maskArea, maskBox } from '../../src/metrics/coco/run-length-mask.js';
import { cropSample } from '../../src/preprocessing/crop.js';
import { flipMove } from '../../src/preprocessing/grid-move.js';
import { moveSample } from '../../src/preprocessing/move-sample.js';
import { stepContext } from '../../src/preprocessing/step.js';
import { maskArray, objectAnswer } from '../../src/training/object-answer.js';
import { tempFolder } from '../support/temp-folder.js';

const [HEIGHT, WIDTH] = [8, 12];

const openObjects = (voidClasses: readonly number[] = []): Promise<Dataset> =>
  openDataset(
    defineDataset('some-objects', {
      manifest: {
        task: 'detection',
        modalities: { optical: { bands: ['grey'] } },
        classes: ['background', 'crown', 'bush', 'unclear'],
        labels: { voidClasses },
      },
      entries: () => [],
      read: () => Promise.reject(new Error('There is nothing to read.')),
    }),
    tempFolder(),
  );

const sampleOf = (target: Target): Sample => ({
  ...{ id: 'a.png', split: 'train', facts: {}, target },
  images: {
    optical: sampleImage({
      ...{ data: new Float32Array(HEIGHT * WIDTH), height: HEIGHT, width: WIDTH, bands: ['grey'] },
    }),
  },
});
const boxes = (...objects: Partial<SampleObject>[]): Sample =>
  sampleOf({
    kind: 'boxes',
    objects: objects.map((object, id) => ({ id, label: 1, box: [2, 1, 7, 5], ...object })),
  });

describe('objects as an answer', () => {
  it('are boxes as corner and sides, cut at the edges of the image', async () => {
    const { shape, objects } = objectAnswer(
      boxes({}, { label: 2, box: [-3, 6, 4, 20] }),
      'detection',
      await openObjects(),
    );
    expect(shape).toEqual([HEIGHT, WIDTH]);
    expect(objects).toEqual([
      { label: 1, box: [2, 1, 5, 4], isCrowd: false },
      { label: 2, box: [0, 6, 4, 2], isCrowd: false },
    ]);
  });

  it('leave void classes out, and keep images without objects', async () => {
    const dataset = await openObjects([3]);
    expect(objectAnswer(boxes({ label: 3 }, {}), 'detection', dataset).objects).toHaveLength(1);
    expect(objectAnswer(boxes(), 'detection', dataset).objects).toEqual([]);
  });

  it('are crowds where a crop leaves less than half of a box', async () => {
    const sample = boxes({ box: [0, 0, 6, 4] }, { box: [4, 2, 8, 6] });
    const cropped = cropSample(sample, { row: 0, column: 5, height: 8, width: 7 }, stepContext({}));
    const { objects } = objectAnswer(cropped, 'detection', await openObjects());
    expect(objects).toEqual([
      { label: 1, box: [0, 0, 1, 4], isCrowd: true }, // a sixth is left
      { label: 1, box: [0, 2, 3, 4], isCrowd: false }, // three quarters
    ]);
  });

  it('have masks from outlines or from a raster, which flips move with the boxes', async () => {
    const dataset = await openObjects();
    const raster = new Int32Array(HEIGHT * WIDTH);
    for (const pixel of [13, 14, 26]) raster[pixel] = 7;
    const outlined = sampleOf({
      kind: 'instances',
      objects: [
        { id: 0, label: 1, box: [2, 1, 7, 5], polygons: [[2, 1, 7, 1, 7, 5, 2, 5]] },
        { id: 7, label: 2, box: [1, 1, 3, 3] },
      ],
      instances: { data: raster, height: HEIGHT, width: WIDTH },
    });
    const { objects, shape } = objectAnswer(outlined, 'instance_segmentation', dataset);
    expect(objects.map(({ mask }) => maskBox(mask!))).toEqual([
      [2, 1, 5, 4],
      [1, 1, 2, 2],
    ]);
    expect(objects.map(({ area }) => area)).toEqual([20, 3]);
    expect(maskArray(objects, shape).reduce((sum, pixel) => sum + pixel, 0)).toBe(23);

    const flipped = moveSample(outlined, flipMove(true, false), stepContext({}));
    const moved = objectAnswer(flipped, 'instance_segmentation', dataset).objects;
    expect(moved.map(({ box }) => box)).toEqual([
      [5, 1, 5, 4],
      [9, 1, 2, 2],
    ]);
    expect(moved.map(({ mask }) => maskBox(mask!))).toEqual(moved.map(({ box }) => box));
    expect(moved.map(({ mask }) => maskArea(mask!))).toEqual([20, 3]);
  });

  it.each([
    ['a box outside the image', { box: [12, 1, 15, 4] }, 'BOX_INVALID'],
    ['a box without area', { box: [3, 1, 3, 4] }, 'BOX_INVALID'],
    ['a box that is no number', { box: [3, 1, NaN, 4] }, 'BOX_INVALID'],
    ['a class that is none', { label: 4 }, 'CLASS_OUT_OF_RANGE'],
    ['the background as a class', { label: 0 }, 'CLASS_OUT_OF_RANGE'],
  ] as const)('refuse %s, by sample and object', async (_, change, code) => {
    const dataset = await openObjects();
    expect(() => objectAnswer(boxes({}, change), 'detection', dataset)).toThrow(
      expect.objectContaining({ code, where: 'dataset some-objects, sample a.png, object 1' }),
    );
  });

  it.each([
    ['an id that is given twice', boxes({ id: 3 }, { id: 3 }), 'detection', 'DUPLICATE_ID'],
    [
      'an object without a mask',
      sampleOf({ kind: 'instances', objects: [{ id: 0, label: 1, box: [1, 1, 3, 3] }] }),
      'instance_segmentation',
      'MASK_MISSING',
    ],
    [
      'a raster of instances of another size',
      sampleOf({
        ...{ kind: 'instances', objects: [] },
        instances: { data: new Int32Array(96), height: WIDTH, width: HEIGHT },
      }),
      'instance_segmentation',
      'MASK_SIZE',
    ],
    ['a class in place of objects', sampleOf({ kind: 'class', label: 1 }), 'detection', 'TARGET_KIND'],
  ] as const)('refuse %s', async (_, sample, task, code) => {
    const dataset = await openObjects();
    expect(() => objectAnswer(sample, task, dataset)).toThrow(expect.objectContaining({ code }));
  });
});
