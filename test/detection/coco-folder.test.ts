import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset, type Dataset } from '../../src/datasets/dataset.js';
import { cocoFolder } from '../../src/detection/coco-folder.js';
import { encodePng } from '../../src/io/png.js';
import { maskArea, maskBox } from '../../src/metrics/coco/run-length-mask.js';
import { flipMove } from '../../src/preprocessing/grid-move.js';
import { moveSample } from '../../src/preprocessing/move-sample.js';
import { stepContext } from '../../src/preprocessing/step.js';
import { objectAnswer } from '../../src/training/object-answer.js';
import { tempFolder } from '../support/temp-folder.js';

const [HEIGHT, WIDTH] = [6, 8];
const annotation = {
  ...{ id: 1, image_id: 7, category_id: 20, bbox: [1, 2, 3, 3], iscrowd: 0 },
  segmentation: [[1, 2, 4, 2, 4, 5, 1, 5]],
};
/** Four pixels of the last two columns. */
const runs = { size: [HEIGHT, WIDTH], counts: [36, 2, 4, 2, 4] };

interface Change {
  readonly annotations?: readonly object[];
  readonly classes?: readonly string[];
  readonly imageWidth?: number;
  readonly task?: 'detection' | 'instance_segmentation';
  readonly secondFile?: string;
}

/** Two images of which the second is empty. */
function folder({
  annotations = [annotation],
  classes = ['egret', 'tern'],
  imageWidth = WIDTH,
  task = 'detection',
  secondFile = 'empty.png',
}: Change = {}): Promise<Dataset> {
  const root = tempFolder();
  mkdirSync(path.join(root, 'images'));
  for (const [name, width] of [
    ['a.png', imageWidth],
    ['empty.png', 5],
  ] as const) {
    const data = Uint8Array.from({ length: HEIGHT * width * 3 }, (_, at) => at % 251);
    writeFileSync(path.join(root, 'images', name), encodePng({ data, height: HEIGHT, width, bandCount: 3 }));
  }
  const images = [
    { id: 7, file_name: 'a.png', height: HEIGHT, width: WIDTH },
    { id: 3, file_name: secondFile, height: HEIGHT, width: 5 },
  ];
  const categories = [
    { id: 20, name: 'tern' },
    { id: 4, name: 'egret' },
  ];
  writeFileSync(path.join(root, 'train.json'), JSON.stringify({ images, categories, annotations }));
  return openDataset(
    cocoFolder('birds', { annotations: { train: 'train.json' }, images: 'images', classes, task }),
    root,
  );
}

const first = async (dataset: Dataset) => dataset.read('train', 'a.png');

describe('a folder of images with COCO annotations', () => {
  it('is a dataset whose classes begin behind the background', async () => {
    const dataset = await folder();
    expect(dataset.manifest.classes.map(({ name }) => name)).toEqual(['background', 'egret', 'tern']);
    expect((await dataset.entries('train')).map(({ id }) => id)).toEqual(['a.png', 'empty.png']);
    const { objects, shape } = objectAnswer(await first(dataset), 'detection', dataset);
    expect(shape).toEqual([HEIGHT, WIDTH]);
    expect(objects).toEqual([{ label: 2, box: [1, 2, 3, 3], isCrowd: false }]);
    const empty = await dataset.read('train', 'empty.png');
    expect(objectAnswer(empty, 'detection', dataset).objects).toEqual([]);
  });

  it('has masks of outlines and of run lengths, which move with the image', async () => {
    const other = { ...annotation, id: 2, bbox: [6, 0, 2, 2], category_id: 4, segmentation: runs };
    const dataset = await folder({ annotations: [annotation, other], task: 'instance_segmentation' });
    const sample = await first(dataset);
    const masksOf = (of: typeof sample) =>
      objectAnswer(of, 'instance_segmentation', dataset).objects.map(({ mask }) => mask!);
    expect(masksOf(sample).map(maskArea)).toEqual([9, 4]);
    const down = moveSample(sample, flipMove(false, true), stepContext({}));
    expect(masksOf(down).map(maskBox)).toEqual([
      [1, 1, 3, 3],
      [6, 4, 2, 2],
    ]);
  });

  it('refuses a category that is none of its classes, and an image of another size', async () => {
    await expect((await folder({ classes: ['egret'] })).entries('train')).rejects.toMatchObject({
      code: 'CLASS_UNKNOWN',
      where: expect.stringMatching(/train\.json » annotation 1$/) as string,
    });
    // a category that nothing is of, such as one above the others
    expect(await (await folder({ classes: ['tern'] })).entries('train')).toHaveLength(2);
    await expect(first(await folder({ imageWidth: 9 }))).rejects.toMatchObject({
      code: 'IMAGE_SIZE',
      where: expect.stringContaining('a.png') as string,
    });
  });

  it('tells instances apart whose ids no raster holds, and crowds from what lies in them', async () => {
    const masked = (id: number, counts: readonly number[], change: object = {}) => ({
      ...{ ...annotation, id, bbox: [6, 0, 2, 6], segmentation: { size: [HEIGHT, WIDTH], counts } },
      ...change,
    });
    const annotations = [
      masked(0, [36, 2, 10]), // two pixels of the seventh column
      masked(900_100_000_001, [36, 12], { iscrowd: 1 }), // the last two columns
      masked(2 ** 32, [42, 3, 3]),
    ];
    const dataset = await folder({ annotations, task: 'instance_segmentation' });
    const answer = objectAnswer(await first(dataset), 'instance_segmentation', dataset);
    expect(answer.objects.map(({ mask, isCrowd }) => [maskArea(mask!), isCrowd])).toEqual([
      [2, false],
      [7, true],
      [3, false],
    ]);
  });

  it('refuses a file that two images have, and an instance without a mask', async () => {
    await expect((await folder({ secondFile: 'a.png' })).entries('train')).rejects.toMatchObject({
      code: 'DUPLICATE_ID',
      where: expect.stringContaining('train.json') as string,
    });
    const bare = {
      annotations: [{ ...annotation, segmentation: [] }],
      task: 'instance_segmentation',
    } as const;
    await expect(first(await folder(bare))).rejects.toMatchObject({
      code: 'MASK_MISSING',
      where: expect.stringMatching(/train\.json » annotation 1$/) as string,
    });
  });

  it('refuses an image that is not there, and one outside the folder', async () => {
    const read = async (secondFile: string) => (await folder({ secondFile })).read('train', secondFile);
    await expect(read('b.png')).rejects.toMatchObject({
      code: 'FILE_MISSING',
      where: expect.stringContaining('b.png') as string,
    });
    await expect(read('../../b.png')).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
  });

  it('names the annotation that is wrong', async () => {
    const wrong = await folder({ annotations: [{ ...annotation, bbox: [1, 2, 0, 3] }] });
    await expect(wrong.entries('train')).rejects.toMatchObject({
      code: 'BOX_INVALID',
      where: expect.stringMatching(/train\.json » annotation 1$/) as string,
    });
  });
});
