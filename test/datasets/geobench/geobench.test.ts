import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset, type Dataset, type OpenOptions } from '../../../src/datasets/dataset.js';
import { bandNames } from '../../../src/datasets/reference.js';
import type { Sample, SampleImage, TargetOf } from '../../../src/datasets/sample.js';
import { tempFolder } from '../../support/temp-folder.js';
import {
  type BandNumbers,
  bandNumbers,
  differences,
  histogram,
  layout,
  readJson,
} from '../../support/layouts.js';

const folders: Readonly<Record<string, string>> = {
  'm-eurosat': 'm-eurosat',
  'm-bigearthnet': 'm-bigearthnet',
  'm-nz-cattle': 'm-nz-cattle',
  'm-neontree': 'm-NeonTree',
  'm-cashew-plantation': 'm-cashew-plant',
};

interface StoredBand extends BandNumbers {
  readonly key: string;
  readonly shape: readonly number[];
  readonly dtype: string;
}

interface ExpectedSample {
  readonly id: string;
  readonly date: string | null;
  readonly crs: string | null;
  readonly transform: readonly number[] | null;
  readonly bands: readonly StoredBand[];
  readonly target: { readonly label: number; readonly positives: number[]; readonly histogram: object };
}

interface Expected {
  readonly root: string;
  readonly splits: Readonly<Record<string, { readonly ids: string[] }>>;
  readonly samples: Readonly<Record<string, ExpectedSample[]>>;
  readonly partitions: object;
  readonly task_specs: object;
}

const expectedOf = (id: string): Expected =>
  readJson(`${layout('geobench', folders[id]!)}/expected.json`) as Expected;
const open = (id: string, options: OpenOptions = {}): Promise<Dataset> =>
  openDataset(id, `${layout('geobench', folders[id]!)}/${expectedOf(id).root}`, options);

/** The image that holds an array, and the places of its channels. */
function bandsOf({ images }: Sample, key: string): { image: SampleImage; places: number[] } {
  const image = Object.values(images).find(({ sources }) => sources?.some((source) => source.key === key))!;
  const places = image.sources!.flatMap((source, place) => (source.key === key ? [place] : []));
  return { image, places };
}

async function firstSample(id: string, options?: OpenOptions): Promise<Sample> {
  const dataset = await open(id, options);
  return dataset.read('train', (await dataset.entries('train'))[0]!);
}

describe.each(Object.keys(folders))('%s', (id) => {
  it('lists the samples of each split as its default partition does', async () => {
    const dataset = await open(id);
    for (const [split, { ids }] of Object.entries(expectedOf(id).splits))
      expect((await dataset.entries(split)).map((entry) => entry.id)).toEqual(ids);
  });

  it('tells the lengths of the smaller partitions and what the task file says', async () => {
    const { partitions, task_specs } = await (await open(id)).facts();
    expect(partitions).toEqual(expectedOf(id).partitions);
    expect(task_specs).toMatchObject(expectedOf(id).task_specs);
  });

  it('reads every array with its numbers, type, date and place', async () => {
    const dataset = await open(id, { mode: 'as-published' });
    for (const [split, samples] of Object.entries(expectedOf(id).samples)) {
      for (const expected of samples) {
        const sample = await dataset.read(split, expected.id);
        for (const stored of expected.bands) {
          const { image, places } = bandsOf(sample, stored.key);
          expect(differences(bandNumbers(image, places), stored)).toEqual([]);
          expect([image.height, image.width, places.length]).toEqual([...stored.shape, 1].slice(0, 3));
          expect(image.sources![places[0]!]!.storedType).toBe(stored.dtype);
          expect(image).toMatchObject({ crs: expected.crs, transform: expected.transform });
          expect(image.dates).toEqual([expected.date]);
        }
      }
    }
  });

  it('reads the truth', async () => {
    const dataset = await open(id);
    for (const [split, samples] of Object.entries(expectedOf(id).samples)) {
      for (const { id: name, target: expected } of samples) {
        const { target } = await dataset.read(split, name);
        if (target.kind === 'class') expect(target.label).toBe(expected.label);
        else if (target.kind === 'classes') expect(target.labels).toEqual(expected.positives);
        else expect(histogram((target as TargetOf<'mask'>).labels)).toEqual(expected.histogram);
      }
    }
  });
});

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
  const from = `${layout('geobench', 'm-NeonTree')}/${expectedOf('m-neontree').root}`;
  const { id } = expectedOf('m-neontree').samples['train']![0]!;
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
    const { root } = expectedOf('m-eurosat');
    const dataset = await openDataset('m-nz-cattle', `${layout('geobench', 'm-eurosat')}/${root}`);
    await expect(dataset.read('train', 'id_0000')).rejects.toMatchObject({
      code: 'SAMPLE_INCOMPLETE',
      message: expect.stringContaining('"Red"') as string,
      hint: expect.stringContaining('02 - Blue') as string,
    });
  });
});
