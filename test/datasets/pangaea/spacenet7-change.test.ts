import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset, type Dataset } from '../../../src/datasets/dataset.js';
import { drawPair, type Site } from '../../../src/datasets/pangaea/spacenet7-change.js';
import type { TargetOf } from '../../../src/datasets/sample.js';
import { createRandom } from '../../../src/random.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';
import { writeTiff } from '../../support/tiff-writer.js';

const root = fixture('pangaea/spacenet7');
const site = 'L15-0387E-1276N_1549_3087_13';
const { aois: sites } = JSON.parse(readFileSync(path.join(root, 'expected.json'), 'utf8')) as {
  aois: Record<string, string[]>;
};

const open = (folder = root, isPublished = false): Promise<Dataset> =>
  openDataset('spacenet7-change', folder, {
    mode: isPublished ? 'as-published' : 'corrected',
    parameters: { sites },
  });

/** Writes mosaic and labels of a month: all pixels and all labels of one value each. */
function writeMonth(
  folder: string,
  month: string,
  size: { height: number; width: number },
  alpha: (pixel: number) => number,
): void {
  const pixelCount = size.height * size.width;
  const pixels = Uint8Array.from({ length: pixelCount * 4 }, (_, i) =>
    i % 4 === 3 ? alpha(Math.floor(i / 4)) : 7,
  );
  const stem = `global_monthly_${month}_mosaic_${site}`;
  const mosaic = path.join(folder, 'train', site, 'images_masked', `${stem}.tif`);
  writeFileSync(mosaic, writeTiff(pixels, { ...size, bands: 4 }, [[338, 3, [0]]]));
  const labels = path.join(folder, 'train', site, 'labels_raster', `${stem}_Buildings.tif`);
  writeFileSync(labels, writeTiff(new Uint8Array(pixelCount).fill(255), { ...size, bands: 1 }));
}

describe('spacenet7-change', () => {
  it('compares the first usable month with the last; as published with the middle one', async () => {
    const corrected = await (await open()).read('test', site);
    expect(corrected.images.optical!.dates).toEqual(['2018-01', '2018-08']);
    expect(corrected.facts).toEqual({
      usable: ['2018-01', '2018-02', '2018-03', '2018-05', '2018-06', '2018-08'],
      evalPair: ['2018-01', '2018-08'],
    });
    const published = await (await open(root, true)).read('test', site);
    expect(published.images.optical!.dates).toEqual(['2018-01', '2018-05']);
  });

  it('marks what differs between the building maps, whichever came first', async () => {
    const { target } = await (await open()).read('test', site);
    const { labels, parts } = target as TargetOf<'mask'>;
    const [before, after] = [parts!.before!.data, parts!.after!.data];
    expect(labels.data.every((change, i) => change === (before[i] === after[i] ? 0 : 1))).toBe(true);
    expect(labels.data.includes(1)).toBe(true);
  });

  it('reads the pair that an entry carries, the earlier month first', async () => {
    const dataset = await open();
    const [entry] = (await dataset.entries('test')) as readonly Site[];
    const { images } = await dataset.read('test', { ...entry!, pair: [4, 1] } as Site);
    expect(images.optical!.dates).toEqual(['2018-02', '2018-06']);
  });

  it('draws pairs at least five usable months apart, the same for the same seed', () => {
    const draws = (seed: number): [number, number][] => {
      const random = createRandom(seed);
      return Array.from({ length: 400 }, () => drawPair(9, random));
    };
    const pairs = draws(1);
    expect(pairs).toEqual(draws(1));
    expect(pairs.every(([a, b]) => a >= 0 && a < 4 && b >= a + 5 && b < 9)).toBe(true);
    expect(new Set(pairs.map(String)).size).toBe(4 + 3 + 2 + 1); // each pair that leaves room
    expect(() => drawPair(5, createRandom(1))).toThrow(
      expect.objectContaining({ code: 'SERIES_DATES' }) as Error,
    );
  });

  it('brings a mosaic that lacks a row or column to 1024 px, masks what its alpha hides', async () => {
    const folder = fixtureCopy('pangaea/spacenet7');
    writeMonth(folder, '2018_01', { height: 1023, width: 1024 }, (pixel) => (pixel === 0 ? 0 : 255));
    writeMonth(folder, '2018_08', { height: 1024, width: 1023 }, () => 255);
    const { images, target } = await (await open(folder)).read('test', site);
    const { height, width, valid, bands } = images.optical!;
    expect([height, width, bands.length]).toEqual([1024, 1024, 3]);
    expect(valid!.filter((value) => value === 0)).toHaveLength(3); // one pixel, not on the row that comes twice
    expect((target as TargetOf<'mask'>).labels).toMatchObject({ height: 1024, width: 1024 });
  });

  it('does not compare labels with a mosaic of another size', async () => {
    const folder = fixtureCopy('pangaea/spacenet7');
    const labels = path.join(
      folder,
      'train',
      site,
      'labels_raster',
      `global_monthly_2018_08_mosaic_${site}_Buildings.tif`,
    );
    writeFileSync(labels, writeTiff(new Uint8Array(20), { height: 4, width: 5, bands: 1 }));
    await expect((await open(folder)).read('test', site)).rejects.toMatchObject({
      code: 'IMAGE_SIZE',
      where: labels,
    });
  });

  it('names a site of the lists that the metadata lacks, and the parameter to set', async () => {
    const dataset = await openDataset('spacenet7-change', root);
    await expect(dataset.entries('train')).rejects.toMatchObject({
      code: 'SPLIT_LIST',
      message: 'The metadata has no site "L15-0457E-1135N_1831_3648_13".',
      hint: expect.stringContaining('parameter "sites"') as string,
    });
  });

  it('refuses site lists of another form', async () => {
    const dataset = await openDataset('spacenet7-change', root, { parameters: { sites: { train: 'all' } } });
    await expect(dataset.entries('train')).rejects.toMatchObject({ code: 'PARAMETER_INVALID' });
  });

  it('says that a site with a single usable month makes no pair', async () => {
    const folder = fixtureCopy('pangaea/spacenet7');
    const file = path.join(folder, 'metadata_train.json');
    const metadata = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown[]>;
    writeFileSync(file, JSON.stringify({ ...metadata, [site]: metadata[site]!.slice(0, 1) }));
    await expect((await open(folder)).entries('test')).rejects.toMatchObject({ code: 'SERIES_DATES' });
  });
});
