import path from 'node:path';
import { expect, it } from 'vitest';
import { openDataset, type Dataset } from '../../../src/datasets/dataset.js';
import { joinBands } from '../../../src/datasets/image.js';
import type { SampleImage, TargetOf } from '../../../src/datasets/sample.js';
import {
  type BandNumbers,
  bandNumbers,
  describeReal,
  differences,
  histogram,
  readJson,
  realData,
} from '../../support/layouts.js';

interface StoredRow {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly crs_epsg?: number | null;
  readonly bands: readonly BandNumbers[];
  readonly histogram?: Readonly<Record<string, number>>;
}

const folder = path.join(realData, 'geobench2-tortilla');
interface Answers {
  readonly splits: Readonly<Record<string, number>>;
  readonly ids: readonly string[];
  readonly firstRow: Readonly<Record<string, StoredRow>>;
}

const answersOf = (name: string): Answers =>
  readJson(path.join(realData, 'expected-real.json'))[`geobench2-tortilla/${name}.tortilla`] as Answers;

/** Images that together are a row of the file: one of several time steps, or bands of one. */
const rows: Readonly<
  Record<string, Readonly<Record<string, (images: Readonly<Record<string, SampleImage>>) => SampleImage>>>
> = {
  benv2: { s1: ({ s1 }) => s1!, s2: ({ s2 }) => s2! },
  caffe: { img: ({ sar }) => sar! },
  flair2: { aerial: ({ aerial, elevation }) => joinBands([aerial!, elevation!]) },
  treesatai: { aerial: ({ aerial }) => aerial!, s1: ({ s1 }) => s1!, s2: ({ s2 }) => s2! },
  pastis: { s2: ({ s2 }) => s2!, s1a: ({ s1_asc }) => s1_asc!, s1d: ({ s1_desc }) => s1_desc! },
  dynamic_earthnet: {
    planet_0: ({ planet }) => step(planet!, 0),
    planet_30: ({ planet }) => step(planet!, 30),
    s2: ({ s2 }) => s2!,
  },
  biomassters: {
    '51241122_S1_September': ({ s1 }) => step(s1!, 0),
    '51241122_S2_August': ({ s2 }) => step(s2!, -1),
  },
};

function step(image: SampleImage, time: number): SampleImage {
  const length = image.data.length / image.timeCount;
  const start = (time < 0 ? image.timeCount + time : time) * length;
  return { ...image, data: image.data.subarray(start, start + length), timeCount: 1 };
}

async function firstOf(dataset: Dataset, id: string) {
  for (const split of ['train', 'val', 'test']) {
    const entry = (await dataset.entries(split)).find((candidate) => candidate.id === id);
    if (entry) return dataset.read(split, entry);
  }
  throw new Error(`${id} is in no split`);
}

describeReal('published excerpts of GEO-Bench-2', () => {
  it.each(Object.keys(rows))('%s: splits, and the rows of its first sample', async (name) => {
    const answers = answersOf(name);
    const dataset = await openDataset(`gb2-${name.replaceAll('_', '-')}`, folder, { mode: 'as-published' });
    for (const [stored, count] of Object.entries(answers.splits))
      expect(await dataset.entries(stored)).toHaveLength(count);
    const { images, target } = await firstOf(dataset, answers.ids[0]!);
    for (const [row, pick] of Object.entries(rows[name]!)) {
      const expected = answers.firstRow[row]!;
      const image = pick(images);
      expect([image.bands.length, image.height, image.width]).toEqual(expected.shape.slice(-3));
      expect(image.storedType).toBe(expected.dtype);
      for (const [place, band] of expected.bands.entries())
        expect(differences(bandNumbers(image, [place]), band)).toEqual([]);
      if (expected.crs_epsg) expect(image.crs).toBe(`EPSG:${expected.crs_epsg}`);
    }
    const mask = answers.firstRow['mask'] ?? answers.firstRow['label'] ?? answers.firstRow['semantic'];
    if (mask) expect(histogram((target as TargetOf<'mask'>).stored)).toEqual(mask.histogram);
  });

  it('treesatai: radar that wraps is read as whole decibels', async () => {
    const dataset = await openDataset('gb2-treesatai', folder);
    const [entry] = await dataset.entries('train');
    const { s1 } = (await dataset.read('train', entry!)).images;
    const { min, max } = bandNumbers(s1!, [1]); // VH
    expect(min).toBeGreaterThan(-30);
    expect(max).toBeLessThan(0);
    expect(s1!.storedType).toBe('int16');
  });

  it('every sample of every excerpt can be read', async () => {
    let count = 0;
    for (const name of Object.keys(rows)) {
      const dataset = await openDataset(`gb2-${name.replaceAll('_', '-')}`, folder);
      for (const split of ['train', 'val', 'test'])
        for await (const { images } of dataset.samples(split)) {
          expect(Object.keys(images).length).toBeGreaterThan(0);
          count++;
        }
    }
    expect(count).toBe(9 + 9 + 9 + 5 + 5 + 9 + 9);
  });
});
