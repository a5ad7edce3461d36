import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset, type Dataset, type OpenOptions } from '../../../src/datasets/dataset.js';
import { bandNames, ignoredLabels } from '../../../src/datasets/reference.js';
import type { Sample } from '../../../src/datasets/sample.js';
import { tempFolder } from '../../support/temp-folder.js';
import { bandNumbers, layout, readJson } from '../../support/layouts.js';

/** Folders of the release, where they are not called as the dataset. */
const folders: Readonly<Record<string, string>> = {
  'm-neontree': 'm-NeonTree',
  'm-cashew-plantation': 'm-cashew-plant',
  'm-sa-crop-type': 'm-SA-crop-type',
  'm-chesapeake-landcover': 'm-chesapeake',
};

/** Folder of a fixture, and the one below it that holds the partitions. */
function placeOf(id: string): { folder: string; root: string } {
  const folder = layout('geobench', folders[id] ?? id);
  const { root } = readJson(path.join(folder, 'expected.json')) as { root: string };
  return { folder, root: path.join(folder, root) };
}

const open = (id: string, options: OpenOptions = {}): Promise<Dataset> =>
  openDataset(id, placeOf(id).root, options);

async function firstSample(id: string, options?: OpenOptions): Promise<Sample> {
  const dataset = await open(id, options);
  return dataset.read('train', (await dataset.entries('train'))[0]!);
}

describe('folders and partitions of GEO-Bench', () => {
  it.each(['', 'segmentation_v1.0'])('are found below "%s" of the benchmark, too', async (below) => {
    const dataset = await openDataset('m-nz-cattle', `${layout('geobench', 'm-nz-cattle')}/${below}`);
    expect(await dataset.entries('test')).toHaveLength(2);
  });

  it('are said to be missing in a folder without lists', async () => {
    const dataset = await openDataset('m-eurosat', layout('geobench', 'm-nz-cattle'));
    await expect(dataset.entries('train')).rejects.toMatchObject({ code: 'SPLIT_FILES' });
  });

  it('are chosen by a parameter', async () => {
    const dataset = await open('m-eurosat', { parameters: { partition: '0.50x_train' } });
    expect(await dataset.entries('train')).toHaveLength(5);
    expect(await dataset.entries('val')).toHaveLength(3);
  });

  it('name the known ones where one is not there', async () => {
    const dataset = await open('m-eurosat', { parameters: { partition: '0.3x_train' } });
    await expect(dataset.entries('train')).rejects.toMatchObject({
      code: 'PARTITION_UNKNOWN',
      hint: expect.stringContaining('0.20x_train') as string,
    });
  });
});

describe('known faults of GEO-Bench', () => {
  it('the last five bands of m-eurosat are called by what they hold, or as the reference calls them', async () => {
    const last = async (options: OpenOptions) =>
      bandNames(await open('m-eurosat', options), 'optical').slice(-5);
    expect(await last({})).toEqual(['B9', 'B10', 'B11', 'B12', 'B8A']);
    expect(await last({ mode: 'as-published' })).toEqual(['B8A', 'B9', 'B10', 'B11', 'B12']);
    const { images } = await firstSample('m-eurosat');
    const place = images.optical!.bands.indexOf('B10');
    expect(bandNumbers(images.optical!, [place]).mean).toBeLessThan(50); // cirrus is dark
  });

  it('the transform of m-nz-cattle has degrees around the centre that the name gives', async () => {
    const { id, images } = await firstSample('m-nz-cattle');
    const [a, , left, , e, top] = images.optical!.transform!;
    const [longitude, latitude] = /([\d.]+),(-[\d.]+)/.exec(id)!.slice(1).map(Number) as [number, number];
    const { height, width } = images.optical!;
    expect(left + (width / 2) * a).toBeCloseTo(longitude, 9);
    expect(top + (height / 2) * e).toBeCloseTo(latitude, 9);
    expect(-e * 111_320).toBeCloseTo(0.1, 9);
    const published = await firstSample('m-nz-cattle', { faults: { 'transform-units': true } });
    expect(published.images.optical!.transform![0]).toBe(0.1);
  });

  it('chips of m-cashew-plantation do not carry the transform of their scene', async () => {
    const corrected = await firstSample('m-cashew-plantation');
    expect(corrected.images.optical).toMatchObject({ transform: null, crs: 'EPSG:32631' });
    const published = await firstSample('m-cashew-plantation', { mode: 'as-published' });
    expect(published.images.optical!.transform).not.toBeNull();
  });

  it('samples of m-sa-crop-type do not share one place', async () => {
    const corrected = await firstSample('m-sa-crop-type');
    expect(corrected.images.optical).toMatchObject({ transform: null, crs: 'EPSG:32634' });
    const published = await firstSample('m-sa-crop-type', { faults: { 'constant-place': true } });
    expect(published.images.optical!.transform).toEqual([10, 0, 331040, 0, -10, -3714560]);
  });

  it('bands of m-brick-kiln and radar channels of m-so2sat go by what they hold, or by their names', async () => {
    const names = async (id: string, modality: string, options: OpenOptions) =>
      bandNames(await open(id, options), modality);
    expect((await names('m-brick-kiln', 'optical', {})).slice(-3)).toEqual(['TCI-R', 'TCI-G', 'TCI-B']);
    const published = { mode: 'as-published' } as const;
    expect((await names('m-brick-kiln', 'optical', published)).slice(-3)).toEqual(['B10', 'B11', 'B12']);
    expect((await names('m-so2sat', 'sar', {}))[6]).toBe('covariance-lee-real');
    expect((await names('m-so2sat', 'sar', published))[6]).toBe('VH-lee-real');
  });

  it.each([
    ['m-sa-crop-type', [0]],
    ['m-chesapeake-landcover', [6]],
    ['m-cashew-plantation', [0, 6]],
  ])('no data of %s is left out of the scores, or scored', async (id, voids) => {
    expect(ignoredLabels(await open(id))).toEqual(voids);
    expect(ignoredLabels(await open(id, { mode: 'as-published' }))).toEqual([]);
  });

  it('only slices of m-neontree lose the transform of their tile', async () => {
    const whole = await firstSample('m-neontree');
    expect(whole.images.optical!.transform).not.toBeNull();
    const [slice, published] = [await readSlice({}), await readSlice({ mode: 'as-published' })];
    expect(Object.values(slice.images).map(({ transform }) => transform)).toEqual([null, null, null]);
    expect(published.images.optical!.transform).toEqual(whole.images.optical!.transform);
  });
});

/** A sample under the name of a slice. */
async function readSlice(options: OpenOptions): Promise<Sample> {
  const { id } = await firstSample('m-neontree');
  const from = placeOf('m-neontree').root;
  const folder = tempFolder();
  copyFileSync(`${from}/${id}.hdf5`, `${folder}/${id}_0_12.hdf5`);
  writeFileSync(`${folder}/default_partition.json`, '{}');
  const dataset = await openDataset('m-neontree', folder, options);
  return dataset.read('train', { id: `${id}_0_12` });
}

/** A folder with one file, and the dataset in it. */
async function openFolder(
  id: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Dataset> {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
  return openDataset(id, folder);
}

describe('samples of GEO-Bench', () => {
  it('keep the two sensors of m-so2sat apart, whose keys a sort would mix', async () => {
    const { images } = await firstSample('m-so2sat');
    expect(images.sar!.bands).toHaveLength(8);
    expect(images.optical!.bands.slice(0, 3)).toEqual(['B2', 'B3', 'B4']);
    const keys = [...images.sar!.sources!, ...images.optical!.sources!].map(({ key }) => key);
    expect([...keys].sort()).not.toEqual(keys);
  });

  it('keep the resolutions of m-neontree apart', async () => {
    const { images } = await firstSample('m-neontree');
    const sizes = Object.entries(images).map(([name, { height, width, bands }]) => [
      name,
      height,
      width,
      bands.length,
    ]);
    expect(sizes).toEqual([
      ['optical', 40, 40, 3],
      ['elevation', 4, 4, 1],
      ['hyperspectral', 4, 4, 369],
    ]);
  });

  it('come one after the other, in the order of the list', async () => {
    const dataset = await open('m-pv4ger-seg');
    const seen: string[] = [];
    for await (const { id } of dataset.samples('test')) {
      seen.push(id);
      break;
    }
    expect(seen).toEqual([(await dataset.entries('test'))[0]!.id]);
  });
});

describe('damaged folders of GEO-Bench', () => {
  it.each([
    ['[1, 2]', 'PARTITION_INVALID'],
    ['{"train": [1]}', 'PARTITION_INVALID'],
    ['{"valid": []}', 'PARTITION_INVALID'],
    ['{"train": [', 'JSON_MALFORMED'],
  ])('a partition of %s is %s', async (content, code) => {
    const dataset = await openFolder('m-eurosat', { 'default_partition.json': content });
    await expect(dataset.entries('train')).rejects.toMatchObject({ code });
  });

  it('a sample that a list names and that is not there says where it is missing', async () => {
    const lists = '{"train": ["id_1"], "valid": [], "test": []}';
    const dataset = await openFolder('m-eurosat', { 'default_partition.json': lists });
    await expect(dataset.read('train', 'id_1')).rejects.toMatchObject({
      code: 'FILE_MISSING',
      where: expect.stringContaining('id_1.hdf5') as string,
    });
  });

  it('a name cannot lead out of the folder', async () => {
    const lists = '{"train": ["../../id_1"], "valid": [], "test": []}';
    const dataset = await openFolder('m-eurosat', { 'default_partition.json': lists });
    await expect(dataset.read('train', '../../id_1')).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
  });

  it('a sample of another dataset is told by the band that it lacks', async () => {
    const dataset = await openDataset('m-nz-cattle', placeOf('m-eurosat').root);
    await expect(dataset.read('train', 'id_0000')).rejects.toMatchObject({
      code: 'SAMPLE_INCOMPLETE',
      message: expect.stringContaining('"Red"') as string,
      hint: expect.stringContaining('02 - Blue') as string,
    });
  });
});
