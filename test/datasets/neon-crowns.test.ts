import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { neonCrowns } from '../../src/datasets/neon-crowns.js';
import { encodePng } from '../../src/io/png.js';
import { openDataset, type Dataset } from '../../src/datasets/dataset.js';
import type { Sample, TargetOf } from '../../src/datasets/sample.js';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { tempFolder } from '../support/temp-folder.js';

const boxes = `<object><name>Tree</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>5</xmax><ymax>4</ymax></bndbox></object>`;
const annotation = (width: number, height: number): string =>
  `<annotation><filename>a.png</filename><size><width>${width}</width><height>${height}</height><depth>3</depth></size>${boxes}</annotation>`;

/** One scene, 6 rows × 8 columns, red = column, green = row; train columns 0–4, test 4–8. */
function scene(
  change: { imageWidth?: number; drawnWidth?: number } = {},
): Promise<{ root: string; dataset: Dataset }> {
  const root = tempFolder();
  const width = change.imageWidth ?? 8;
  const data = Uint8Array.from(
    { length: 6 * width * 3 },
    (_, i) => [Math.floor(i / 3) % width, Math.floor(i / 3 / width), 7][i % 3]!,
  );
  mkdirSync(path.join(root, 'data'));
  writeFileSync(path.join(root, 'data/a.png'), encodePng({ data, height: 6, width, bandCount: 3 }));
  writeFileSync(path.join(root, 'data/a.xml'), annotation(change.drawnWidth ?? width, 6));
  const real = readDatasetManifest('neon-crowns');
  const regions = [
    { split: 'train', columns: [0, 4] as const },
    { split: 'test', columns: [4, 8] as const },
  ];
  const only = {
    ...real.scenes[0]!,
    id: 'a',
    place: 'A',
    image: 'data/a.png',
    annotations: 'data/a.xml',
    height: 6,
    width: 8,
    regions,
  };
  const manifest = { ...real, scenes: [only] };
  return openDataset({ ...neonCrowns, manifest }, root).then((dataset) => ({ root, dataset }));
}

const readFirst = async (dataset: Dataset, split: string): Promise<Sample> =>
  dataset.read(split, (await dataset.entries(split))[0]!);
const labelsOf = ({ target }: Sample): ArrayLike<number> => (target as TargetOf<'mask'>).labels.data;

describe('the neon-crowns reader', () => {
  it('gives disjoint column strips with their pixels and their mask', async () => {
    const { dataset } = await scene();
    const [train, test] = [await readFirst(dataset, 'train'), await readFirst(dataset, 'test')];
    expect(train).toMatchObject({ id: 'a/x0', split: 'train', facts: { place: 'A' } });
    expect(train.images.optical).toMatchObject({ timeCount: 1, height: 6, width: 4 });
    expect(train.images.optical!.bands).toEqual(['red', 'green', 'blue']);
    // row 3, column 2 of the strip: red = column, green = row
    expect([...train.images.optical!.data.subarray((3 * 4 + 2) * 3, (3 * 4 + 2) * 3 + 3)]).toEqual([2, 3, 7]);
    expect([...test.images.optical!.data.subarray(0, 3)]).toEqual([4, 0, 7]);
    // the box covers columns 1–4 of rows 2 and 3: three pixels a row in train, one in test
    expect(Array.from(labelsOf(train)).filter((label) => label === 1)).toHaveLength(6);
    expect(Array.from(labelsOf(test)).flatMap((label, index) => (label ? [index] : []))).toEqual([8, 12]);
  });

  it('refuses an image of another size than the manifest', async () => {
    const { dataset } = await scene({ imageWidth: 9 });
    await expect(readFirst(dataset, 'train')).rejects.toMatchObject({
      code: 'IMAGE_SIZE',
      where: 'data/a.png',
    });
  });

  it('refuses boxes drawn on an image of another size', async () => {
    const { dataset } = await scene({ drawnWidth: 16 });
    await expect(readFirst(dataset, 'train')).rejects.toMatchObject({ code: 'MASK_SIZE' });
  });

  it('names a file that is no image', async () => {
    const { root, dataset } = await scene();
    writeFileSync(path.join(root, 'data/a.png'), '<!doctype html><title>404</title>');
    await expect(readFirst(dataset, 'train')).rejects.toMatchObject({ code: 'NOT_A_RASTER' });
  });
});

describe('the neon-crowns manifest', () => {
  const { scenes, splits } = readDatasetManifest('neon-crowns');

  it('has strips that do not overlap', () => {
    for (const { regions } of scenes) {
      const sorted = regions.map(({ columns }) => columns).sort((a, b) => a[0] - b[0]);
      for (const [index, [from]] of sorted.entries()) {
        if (index > 0) expect(from).toBeGreaterThanOrEqual(sorted[index - 1]![1]);
      }
    }
  });

  it('has images for every split, and only for splits it names', () => {
    expect(new Set(scenes.flatMap(({ regions }) => regions.map(({ split }) => split)))).toEqual(
      new Set(Object.keys(splits)),
    );
  });
});
