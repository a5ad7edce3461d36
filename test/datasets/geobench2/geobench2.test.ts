import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset, type Dataset, type OpenOptions } from '../../../src/datasets/dataset.js';
import { bandNames, ignoredLabels } from '../../../src/datasets/reference.js';
import type { Sample, SampleImage, TargetOf } from '../../../src/datasets/sample.js';
import { histogram, layout } from '../../support/layouts.js';
import { tempFolder } from '../../support/temp-folder.js';

const open = (id: string, folder: string, options: OpenOptions = {}): Promise<Dataset> =>
  openDataset(id, layout('geobench2', folder), options);

async function readFirst(
  id: string,
  folder: string,
  options?: OpenOptions,
  split = 'train',
): Promise<Sample> {
  const dataset = await open(id, folder, options);
  return dataset.read(split, (await dataset.entries(split))[0]!);
}

const published = { mode: 'as-published' } as const;

describe('known faults of GEO-Bench-2', () => {
  it.each([
    ['gb2-benv2', 'benv2', 's1', ['VH', 'VV'], ['VV', 'VH']],
    ['gb2-so2sat', 'so2sat', 's1', ['VH', 'VV'], ['VV', 'VH']],
    [
      'gb2-treesatai',
      'treesatai',
      'aerial',
      ['nir', 'green', 'blue', 'red'],
      ['red', 'green', 'blue', 'nir'],
    ],
  ])('bands of %s go by what they hold, or by their names', async (id, folder, modality, held, called) => {
    expect(bandNames(await open(id, folder), modality)).toEqual(held);
    expect(bandNames(await open(id, folder, published), modality)).toEqual(called);
    expect((await readFirst(id, folder, published)).images[modality]!.bands).toEqual(held);
  });

  it('both sensors of gb2-benv2 have pixels of 10 m, or the file its 60 m', async () => {
    const corrected = await readFirst('gb2-benv2', 'benv2');
    expect(corrected.images.s2!.transform).toEqual(corrected.images.s1!.transform);
    expect((await readFirst('gb2-benv2', 'benv2', published)).images.s2!.transform![0]).toBe(60);
  });

  it('rows and columns of gb2-forestnet are exchanged back', async () => {
    const corrected = (await readFirst('gb2-forestnet', 'forestnet')).images.optical!;
    const stored = (await readFirst('gb2-forestnet', 'forestnet', published)).images.optical!;
    const at = ({ data, width }: typeof stored, row: number, column: number): number[] => [
      ...data.slice((row * width + column) * 6, (row * width + column) * 6 + 6),
    ];
    expect(at(corrected, 3, 20)).toEqual(at(stored, 20, 3));
    expect(at(corrected, 3, 20)).not.toEqual(at(stored, 3, 20));
    expect(corrected.transform).toEqual(stored.transform);
  });

  it('a month of gb2-dynamic-earthnet without Sentinel-2 has none, or zeros', async () => {
    const arguments_ = ['gb2-dynamic-earthnet', 'dynamic_earthnet'] as const;
    const corrected = await readFirst(...arguments_, {}, 'test');
    expect(Object.keys(corrected.images)).toEqual(['planet']);
    expect(corrected.facts.hasS2).toBe(false);
    const { s2, planet } = (await readFirst(...arguments_, published, 'test')).images;
    expect(s2).toMatchObject({ height: planet!.height, valid: null });
    expect(s2!.data.every((value) => value === 0)).toBe(true);
  });

  it('a parcel of gb2-pastis-panoptic is of the class of most of its pixels, or of the smallest in it', async () => {
    const objects = async (options: OpenOptions) => {
      const { target } = await readFirst('gb2-pastis-panoptic', 'pastis', options);
      return (target as TargetOf<'instances'>).objects;
    };
    const [corrected, smallest] = [await objects({}), await objects({ faults: { 'smallest-class': true } })];
    const { labels, instances } = (await readFirst('gb2-pastis-panoptic', 'pastis'))
      .target as TargetOf<'instances'>;
    for (const [index, { id, label }] of corrected.entries()) {
      const own = labels!.data.filter((_, pixel) => instances!.data[pixel] === id);
      const counts = histogram({ data: own, height: 1, width: own.length });
      expect(counts[String(label)]).toBe(Math.max(...Object.values(counts)));
      expect(smallest[index]!.label).toBe(Math.min(...own));
    }
    expect(corrected.map(({ label }) => label)).not.toEqual(smallest.map(({ label }) => label));
  });

  it('boxes of gb2-pastis-panoptic end behind the last pixel, or on it', async () => {
    const boxes = async (options: OpenOptions) => {
      const { target } = await readFirst('gb2-pastis-panoptic', 'pastis', options);
      return (target as TargetOf<'instances'>).objects.map(({ box }) => box);
    };
    const inclusive = await boxes({ faults: { 'boxes-inclusive': true } });
    expect(await boxes({})).toEqual(inclusive.map(([a, b, c, d]) => [a, b, c + 1, d + 1]));
  });

  it('pixels of gb2-kuro-siwo that are none stay masked in radar; the reference takes the heights away, too', async () => {
    const { images, facts, target } = await readFirst('gb2-kuro-siwo', 'kuro_siwo');
    const { sar, dem } = images;
    const invalid = histogram((target as TargetOf<'mask'>).parts!.valid!)['0']!;
    const masked = (valid: Uint8Array | null): number => valid?.filter((one) => one === 0).length ?? 0;
    expect(sar!.steps).toEqual(['pre_event_1', 'pre_event_2', 'post_event']);
    expect(facts.validPixels).toBe(sar!.height * sar!.width - invalid);
    expect(masked(sar!.valid)).toBeGreaterThanOrEqual(3 * 2 * invalid);
    expect(masked(dem!.valid)).toBe(3); // NaN of the file
    const { images: taken } = await readFirst('gb2-kuro-siwo', 'kuro_siwo', published);
    expect(masked(taken.dem!.valid)).toBeGreaterThanOrEqual(invalid);
  });

  it('pixels of gb2-biomassters without one radar band keep the others, or as published none of either sensor', async () => {
    const masked = async (options: OpenOptions) => {
      const { images } = await readFirst('gb2-biomassters', 'biomassters', options);
      return Object.values(images).map(
        ({ valid, data }) => (valid?.filter((one) => one === 0).length ?? 0) / data.length,
      );
    };
    expect(await masked({})).toEqual([0.5, 0]); // no descending orbit: two of four bands
    expect(await masked(published)).toEqual([1, 1]);
  });

  it.each([
    ['gb2-caffe', 'caffe', [0]],
    ['gb2-spacenet2', 'spacenet2', [0]],
    ['gb2-spacenet7', 'spacenet7', [0]],
    ['gb2-pastis', 'pastis', [19]],
  ])('the void class of %s is left out of the scores, or scored', async (id, folder, voids) => {
    expect(ignoredLabels(await open(id, folder))).toEqual(voids);
    expect(ignoredLabels(await open(id, folder, published))).toEqual([]);
  });

  it('no data of gb2-burn-scars and gb2-kuro-siwo is left out in any mode', async () => {
    expect(ignoredLabels(await open('gb2-burn-scars', 'burn_scars', published))).toEqual([2]);
    expect(ignoredLabels(await open('gb2-kuro-siwo', 'kuro_siwo', published))).toEqual([0]);
  });
});

describe('samples of GEO-Bench-2', () => {
  it('gb2-flair2 has its heights from the fifth channel of the photograph', async () => {
    const { images } = await readFirst('gb2-flair2', 'flair2');
    expect(images.aerial!.bands).toEqual(['red', 'green', 'blue', 'nir']);
    expect(images.elevation!.bands).toEqual(['elevation']);
    expect(images.elevation!.data).toHaveLength(images.aerial!.data.length / 4);
  });

  it('gb2-biomassters has the months that there are, by name', async () => {
    const { images, facts } = await readFirst('gb2-biomassters', 'biomassters');
    expect(images.s1!.timeCount).toBe(12);
    expect(images.s2!.timeCount).toBe(11);
    const { s1, s2 } = facts.months as Record<string, string[]>;
    expect(s1!.filter((month) => !s2!.includes(month))).toEqual(['December']);
    expect(images.s1!.valid!.filter((one) => one === 0)).toHaveLength(2 * 12 * 8 * 8); // no descending orbit
  });

  it('gb2-dynamic-earthnet has an image a day, with its date', async () => {
    const { images, facts } = await readFirst('gb2-dynamic-earthnet', 'dynamic_earthnet');
    expect(images.planet!.dates.slice(0, 2)).toEqual(['2018-03-01', '2018-03-02']);
    expect(facts).toMatchObject({ days: 31, weeklyIndices: [0, 4, 9, 14, 19, 24] });
  });

  it('gb2-pastis has the dates of each series', async () => {
    const { images } = await readFirst('gb2-pastis', 'pastis');
    expect(images.s2!.dates[0]).toBe('2018-09-17');
    expect(images.s1_asc!.dates[0]).toBe('2018-10-01');
    expect(images.s1_desc).toMatchObject({ timeCount: 4, storedType: 'float16' });
  });

  it('gb2-nz-cattle has images without animals', async () => {
    const dataset = await open('gb2-nz-cattle', 'nzcattle');
    expect((await dataset.read('train', 'sample_1')).target).toEqual({ kind: 'boxes', objects: [] });
  });

  it('other columns of the container come along as facts', async () => {
    const { facts } = await readFirst('gb2-caffe', 'caffe');
    expect(facts).toMatchObject({ sensor: 'TerraSAR-X', time_start: 1286409600 });
  });
});

describe('time steps of GEO-Bench-2', () => {
  const bandsAt = ({ data, timeCount }: SampleImage, step: number): number[] => {
    const length = data.length / timeCount;
    return [...data.subarray(step * length, (step + 1) * length)];
  };

  it('gb2-pastis spreads frames evenly, with their dates, or as published with the last dates', async () => {
    const all = (await readFirst('gb2-pastis', 'pastis')).images.s2!;
    const parameters = { timeSteps: 4 };
    const chosen = (await readFirst('gb2-pastis', 'pastis', { parameters })).images.s2!;
    const places = [0, 1, 3, 4]; // i · 6 / 4
    expect(chosen.dates).toEqual(places.map((place) => all.dates[place]));
    for (const [step, place] of places.entries()) expect(bandsAt(chosen, step)).toEqual(bandsAt(all, place));
    const reference = (await readFirst('gb2-pastis', 'pastis', { ...published, parameters })).images.s2!;
    expect(reference.data).toEqual(chosen.data);
    expect(reference.dates).toEqual(all.dates.slice(-4));
  });

  it('gb2-pastis has masked zeros in front of a series that is too short', async () => {
    const { images } = await readFirst('gb2-pastis', 'pastis', { parameters: { timeSteps: 6 } });
    const { s1_desc } = images; // four frames
    expect(s1_desc!.dates.slice(0, 3)).toEqual([null, null, '2018-10-06']);
    expect(bandsAt(s1_desc!, 1).every((value) => value === 0)).toBe(true);
    expect(s1_desc!.valid!.indexOf(1)).toBe(s1_desc!.data.length / 3);
  });

  it('months of gb2-biomassters are matched, or as published the first files of each sensor', async () => {
    const parameters = { timeSteps: 5 };
    const all = (await readFirst('gb2-biomassters', 'biomassters')).images;
    const { s1, s2 } = (await readFirst('gb2-biomassters', 'biomassters', { parameters })).images;
    expect([s1!.timeCount, s2!.timeCount]).toEqual([5, 5]);
    expect(bandsAt(s2!, 3).every((value) => value === 0)).toBe(true); // December has no image
    expect(s2!.valid!.indexOf(0)).toBe((3 * s2!.data.length) / 5);
    expect(bandsAt(s2!, 4)).toEqual(bandsAt(all.s2!, 3)); // January
    const reference = (await readFirst('gb2-biomassters', 'biomassters', { ...published, parameters }))
      .images;
    expect(bandsAt(reference.s2!, 3)).toEqual(bandsAt(all.s2!, 3));
  });

  it.each([
    ['single', ['2018-03-01']],
    ['weekly', ['2018-03-01', '2018-03-05', '2018-03-10', '2018-03-15', '2018-03-20', '2018-03-25']],
  ])('days of gb2-dynamic-earthnet: %s', async (days, dates) => {
    const options = { parameters: { days } };
    const { images, facts } = await readFirst('gb2-dynamic-earthnet', 'dynamic_earthnet', options);
    expect(images.planet!.dates).toEqual(dates);
    expect(facts.days).toBe(31);
  });

  it('gb2-kuro-siwo has the images that are asked for', async () => {
    const options = { parameters: { steps: ['pre_event_2', 'post_event'] } };
    const { sar } = (await readFirst('gb2-kuro-siwo', 'kuro_siwo', options)).images;
    expect(sar).toMatchObject({ timeCount: 2, steps: ['pre_event_2', 'post_event'] });
  });

  it.each([
    ['gb2-pastis', 'pastis', { timeSteps: 0 }],
    ['gb2-biomassters', 'biomassters', { timeSteps: 'all' }],
    ['gb2-dynamic-earthnet', 'dynamic_earthnet', { days: 'monthly' }],
    ['gb2-kuro-siwo', 'kuro_siwo', { steps: ['before'] }],
  ])('%s refuses other values', async (id, folder, parameters) => {
    await expect(readFirst(id, folder, { parameters })).rejects.toMatchObject({ code: 'PARAMETER_VALUE' });
  });
});

describe('containers of GEO-Bench-2', () => {
  const copy = (folder: string, from: string, to = from): void =>
    copyFileSync(path.join(layout('geobench2', 'pastis'), from), path.join(folder, to));

  it('name the part that is missing', async () => {
    const folder = tempFolder();
    copy(folder, 'geobench_pastis.0000.part.tortilla');
    copy(folder, 'geobench_pastis.0002.part.tortilla');
    const dataset = await openDataset('gb2-pastis', folder);
    await expect(dataset.entries('train')).rejects.toMatchObject({
      code: 'SPLIT_FILES',
      message: expect.stringContaining('Part 1') as string,
    });
  });

  it('miss the last part, too', async () => {
    const folder = tempFolder();
    copy(folder, 'geobench_pastis.0000.part.tortilla');
    copy(folder, 'geobench_pastis.0001.part.tortilla');
    const dataset = await openDataset('gb2-pastis', folder);
    await expect(dataset.entries('train')).rejects.toMatchObject({ code: 'SPLIT_FILES' });
  });

  it('are said to be missing in another folder', async () => {
    const dataset = await openDataset('gb2-caffe', layout('geobench2', 'pastis'));
    await expect(dataset.entries('train')).rejects.toMatchObject({
      code: 'SPLIT_FILES',
      hint: expect.stringContaining('geobench_caffe.tortilla') as string,
    });
  });

  it('of another dataset are told by what their samples lack', async () => {
    const folder = tempFolder();
    copyFileSync(
      path.join(layout('geobench2', 'benv2'), 'geobench_benv2.tortilla'),
      path.join(folder, 'geobench_caffe.tortilla'),
    );
    const dataset = await openDataset('gb2-caffe', folder);
    await expect(dataset.read('train', 'sample_0')).rejects.toMatchObject({ code: 'SAMPLE_INCOMPLETE' });
  });

  it('that are no containers are named', async () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, 'geobench_caffe.tortilla'), '<html>Access denied</html>');
    const dataset = await openDataset('gb2-caffe', folder);
    await expect(dataset.entries('train')).rejects.toMatchObject({ code: 'NOT_TACO' });
  });
});
