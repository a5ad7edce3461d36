import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { asFed } from '../../../src/datasets/reference.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';

const root = fixture('pangaea/sen1floods11');
const metadata = 'v1.1/Sen1Floods11_Metadata.geojson';

describe('sen1floods11', () => {
  it('gives both sensors with their own dates', async () => {
    const { images } = await (await openDataset('sen1floods11', root)).read('train', 'Ghana_103272');
    expect(images.optical!.dates).toEqual(['2018-09-19']);
    expect(images.sar!.dates).toEqual(['2018-09-18']);
    expect([images.optical!.bands[8], images.optical!.bands[9]]).toEqual(['B8A', 'B9']);
  });

  it('masks NaN of the radar; as published it is fed on as 0 dB', async () => {
    const published = await openDataset('sen1floods11', root, { mode: 'as-published' });
    const sar = (await published.read('train', 'Ghana_103272')).images.sar!;
    expect(sar.valid!.filter((value) => value === 0)).toHaveLength(16);
    const fed = asFed(published, 'sar', sar);
    expect([fed.valid, fed.data.at(-1)]).toEqual([null, sar.data.at(-1)]);
    expect(fed.data.filter((value) => value === 0)).toHaveLength(16);
    expect(asFed(await openDataset('sen1floods11', root), 'sar', sar)).toBe(sar);
  });

  it('has the held-out split, too', async () => {
    const entries = await (await openDataset('sen1floods11', root)).entries('bolivia');
    expect(entries.map(({ id }) => id)).toEqual(['Bolivia_103757']);
  });

  it.each(['twice', 'not at all', 'in no file'])(
    'dates an event that is named %s only as published',
    async (how) => {
      const folder = fixtureCopy('pangaea/sen1floods11');
      const file = path.join(folder, metadata);
      const content = JSON.parse(readFileSync(file, 'utf8')) as {
        features: { properties: { location: string } }[];
      };
      const ghana = content.features.filter(({ properties }) => properties.location === 'Ghana');
      const others = content.features.filter(({ properties }) => properties.location !== 'Ghana');
      if (how === 'in no file') rmSync(file);
      else
        writeFileSync(
          file,
          JSON.stringify({ features: how === 'twice' ? [...ghana, ...others, ...ghana] : others }),
        );
      const corrected = await (await openDataset('sen1floods11', folder)).read('train', 'Ghana_103272');
      expect(corrected.images.optical!.dates).toEqual([null]);
      expect(corrected.facts.dates).toEqual({ s1: null, s2: null, timestamp_year_doy0_hour: null });
      const published = await openDataset('sen1floods11', folder, { mode: 'as-published' });
      const { facts, images } = await published.read('train', 'Ghana_103272');
      expect(facts.dates).toEqual({ s1: null, s2: '1998/10/13', timestamp_year_doy0_hour: [1998, 285, 0] });
      expect(images.optical!.dates).toEqual([null]); // it was not taken then
    },
  );

  it('says which line names no chip', async () => {
    const folder = fixtureCopy('pangaea/sen1floods11');
    writeFileSync(path.join(folder, 'v1.1/splits/flood_handlabeled/flood_valid_data.csv'), 'Mekong_16233\n');
    const dataset = await openDataset('sen1floods11', folder);
    await expect(dataset.entries('val')).rejects.toMatchObject({
      code: 'SPLIT_LIST',
      message: '"Mekong_16233" names no chip.',
    });
  });
});
