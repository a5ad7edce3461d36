import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { datasetsOfFolder, runLayoutParity } from '../../../src/parity/layouts/layout-parity.js';
import type { ExpectedDataset } from '../../../src/parity/layouts/expected.js';

const folder = fileURLToPath(new URL('../../fixtures/layouts/pangaea/hlsburnscars', import.meta.url));

/** What the fixture says, changed by `change`. */
function compare(change: (expected: Changeable) => void): Promise<string | undefined> {
  const expected = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8')) as Changeable;
  change(expected);
  return runLayoutParity(folder, expected as unknown as ExpectedDataset, { mode: 'as-published' });
}

interface Changeable {
  task: string;
  dataset: string;
  num_classes: number;
  bands: { optical: string[] };
  splits: { train: { ids: string[]; count: number } };
  samples: {
    train: {
      image: {
        optical: { stats: { mean: number; nodata?: number }[]; dtype: string; geo: { transform: number[] } };
      };
      target: Record<string, unknown>;
      dates?: unknown;
    }[];
  };
}

describe('the comparison with a fixture', () => {
  it('finds nothing where all is equal', async () => {
    expect(await compare(() => undefined)).toBeUndefined();
  });

  it.each([
    ['the task', (e: Changeable) => (e.task = 'regression'), /task is "segmentation", not "regression"/],
    ['the number of classes', (e: Changeable) => (e.num_classes = 3), /number of classes is 2, not 3/],
    ['a band', (e: Changeable) => (e.bands.optical[3] = 'B8'), /bands of optical\[3\] is "B8A", not "B8"/],
    ['the order of a split', (e: Changeable) => e.splits.train.ids.reverse(), /train ids\[0\]/],
    ['a count', (e: Changeable) => (e.splits.train.count = 6), /train count is 5, not 6/],
    [
      'a mean beyond its tolerance',
      (e: Changeable) => (e.samples.train[0]!.image.optical.stats[2]!.mean *= 1.0001),
      /B4 mean is 0\.0847/,
    ],
    [
      'a count of no-data',
      (e: Changeable) => (e.samples.train[0]!.image.optical.stats[0]!.nodata = 1),
      /B2 no-data count is 0, not 1/,
    ],
    [
      'a stored type',
      (e: Changeable) => (e.samples.train[0]!.image.optical.dtype = 'int16'),
      /type is "float32", not "int16"/,
    ],
    [
      'a place',
      (e: Changeable) => (e.samples.train[0]!.image.optical.geo.transform[2] = 0),
      /transform\[2\] is 703800, not 0/,
    ],
    [
      'a histogram',
      (e: Changeable) => (e.samples.train[0]!.target.histogram = { 0: 1024 }),
      /histogram is \{"0":911,"1":113\}, not \{"0":1024\}/,
    ],
    [
      'something of the target that is not read',
      (e: Changeable) => (e.samples.train[0]!.target.weight = 3),
      /target weight is nothing, not 3/,
    ],
    [
      'a fact that is not read',
      (e: Changeable) => (e.samples.train[0]!.dates = ['2020-01-01']),
      /dates is nothing, not \["2020-01-01"\]/,
    ],
  ])('tells %s', async (_, change, told) => {
    expect(await compare(change)).toMatch(told);
  });

  it('lets a mean vary by a part in a hundred thousand, since fixtures carry seven digits', async () => {
    const line = await compare((e) => (e.samples.train[0]!.image.optical.stats[2]!.mean *= 1.000005));
    expect(line).toBeUndefined();
  });

  it('says it where no manifest knows the folder', async () => {
    expect(await compare((e) => (e.dataset = 'nowhere'))).toMatch(/no manifest of pangaea names .*"nowhere"/);
  });
});

describe('the datasets of a folder', () => {
  it('are one, or two that read the same files', () => {
    expect(datasetsOfFolder('pangaea', 'pastis')).toEqual(['pastis-r']);
    expect(datasetsOfFolder('geobench', 'm-chesapeake')).toEqual(['m-chesapeake-landcover']);
    expect(datasetsOfFolder('geobench2', 'pastis')).toEqual(['gb2-pastis', 'gb2-pastis-panoptic']);
    expect(datasetsOfFolder('geobench2', 'nowhere')).toEqual([]);
  });
});
