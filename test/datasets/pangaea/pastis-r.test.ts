import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import type { TargetOf } from '../../../src/datasets/sample.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';
import { npyBytes } from '../../support/npy.js';

const root = fixture('pangaea/pastis');

interface Metadata {
  features: { properties: Record<string, unknown> }[];
}

function editMetadata(folder: string, edit: (metadata: Metadata) => void): void {
  const file = path.join(folder, 'metadata.geojson');
  const metadata = JSON.parse(readFileSync(file, 'utf8')) as Metadata;
  edit(metadata);
  writeFileSync(file, JSON.stringify(metadata));
}

/** Gives patch 10000 an optical series of so many dates, each array a number of its own. */
function lengthenSeries(folder: string, count: number): void {
  const body = Int16Array.from({ length: count * 10 * 4 }, (_, i) => Math.floor(i / 40));
  writeFileSync(
    path.join(folder, 'DATA_S2/S2_10000.npy'),
    npyBytes('<i2', [count, 10, 2, 2], new Uint8Array(body.buffer)),
  );
  const day = (i: number): number =>
    Number(new Date(Date.UTC(2018, 8, 17 + 5 * i)).toISOString().slice(0, 10).replaceAll('-', ''));
  editMetadata(folder, ({ features }) => {
    features[0]!.properties['dates-S2'] = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [String(i), day(i)]),
    );
  });
}

describe('pastis-r', () => {
  it('gives whole series with their dates, and the first plane of the annotation', async () => {
    const { images, target } = await (await openDataset('pastis-r', root)).read('val', '30010');
    expect(images.optical).toMatchObject({ timeCount: 7, height: 16, width: 16, storedType: 'int16' });
    expect(images.optical!.dates.slice(0, 2)).toEqual(['2018-09-17', '2018-11-11']);
    expect(images.sar).toMatchObject({ timeCount: 4, storedType: 'float16', bands: ['VV', 'VH', 'VV-VH'] });
    expect(Math.max(...(target as TargetOf<'mask'>).labels.data)).toBe(19);
  });

  it('keeps the order of a series of more than 50 dates; as published six of 50 random ones come in random order', async () => {
    const folder = fixtureCopy('pangaea/pastis');
    lengthenSeries(folder, 61);
    const corrected = await (await openDataset('pastis-r', folder)).read('train', '10000');
    expect(corrected.facts.selected6).toMatchObject({ s2: [0, 12, 24, 36, 48, 60] });
    expect(corrected.facts.drawn6).toBeUndefined();

    const published = await openDataset('pastis-r', folder, { faults: { 'shuffled-dates': true } });
    const { facts } = await published.read('train', '10000');
    const { s2: drawn, ...short } = facts.drawn6 as Record<string, number[]>;
    expect(short).toEqual({}); // the radar series is short enough
    expect(new Set(drawn).size).toBe(6);
    expect(drawn!.every((place) => place >= 0 && place < 61)).toBe(true);
    expect(drawn).not.toEqual([...drawn!].sort((a, b) => a - b));
    expect((await published.read('train', '10000')).facts.drawn6).toEqual(facts.drawn6);
    expect((await published.read('train', '10001')).facts.drawn6).toBeUndefined();
  });

  it('takes folds one after the other, each in the order of the file', async () => {
    const folder = fixtureCopy('pangaea/pastis');
    editMetadata(folder, ({ features }) => {
      for (const [place, fold] of [3, 1, 3, 1, 5].entries()) features[place]!.properties.Fold = fold;
    });
    const dataset = await openDataset('pastis-r', folder);
    const idsOf = async (split: string): Promise<string[]> =>
      (await dataset.entries(split)).map(({ id }) => id);
    expect(await idsOf('train')).toEqual(['10001', '30010', '10000', '20003']);
    expect(await idsOf('val')).toEqual([]);
    expect(await idsOf('test')).toEqual(['40021']);
  });

  it('reads dates that a tool has written as text, and orders them by their places', async () => {
    const folder = fixtureCopy('pangaea/pastis');
    editMetadata(folder, ({ features }) => {
      const { properties } = features[4]!;
      const dates = Object.entries(properties['dates-S1A'] as Record<string, number>).reverse();
      properties['dates-S1A'] = `{${dates.map(([place, date]) => `'${place}': ${date}`).join(', ')}}`;
    });
    const { facts } = await (await openDataset('pastis-r', folder)).read('test', '40021');
    expect(facts.dates).toMatchObject({ s1a: [20181001, 20181212, 20190222, 20190505, 20190716] });
  });

  it.each([
    [{ 'dates-S2': undefined }, 'it has no dates-S2 of patch 10000'],
    [{ 'dates-S2': '{broken' }, 'dates-S2 of patch 10000 cannot be read'],
    [
      { 'dates-S2': { 0: '17/09/2018' } },
      'dates-S2 of patch 10000 holds "17/09/2018", which is no date YYYYMMDD',
    ],
    [{ ID_PATCH: undefined }, 'a feature has no ID_PATCH'],
  ])('says what the metadata lacks: %j', async (edit, reason) => {
    const folder = fixtureCopy('pangaea/pastis');
    editMetadata(folder, ({ features }) => Object.assign(features[0]!.properties, edit));
    const dataset = await openDataset('pastis-r', folder);
    await expect(dataset.entries('train')).rejects.toMatchObject({
      code: 'SPLIT_LIST',
      message: `The list of patches cannot be used: ${reason}.`,
    });
  });

  it('does not date a series of another length', async () => {
    const folder = fixtureCopy('pangaea/pastis');
    editMetadata(folder, ({ features }) => {
      delete (features[0]!.properties['dates-S1A'] as Record<string, number>)['3'];
    });
    const dataset = await openDataset('pastis-r', folder);
    await expect(dataset.read('train', '10000')).rejects.toMatchObject({
      code: 'SERIES_DATES',
      message: 'The series has 4 dates, and metadata.geojson lists 3.',
    });
  });
});
