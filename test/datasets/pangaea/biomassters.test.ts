import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { asFed } from '../../../src/datasets/reference.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';

const root = fixture('pangaea/biomassters');
const STEP = 8 * 8 * 11;

describe('biomassters', () => {
  it('masks months without a file; as published their zeros count', async () => {
    const { images, facts } = await (await openDataset('biomassters', root)).read('train', '0003d2eb');
    const { data, valid } = images.optical!;
    expect(facts).toMatchObject({ missingS2Months: [3, 4], missingS1Months: [] });
    for (let month = 0; month < 12; month++) {
      const isMissing = month === 3 || month === 4;
      expect(valid![month * STEP], `month ${month}`).toBe(isMissing ? 0 : 1);
      expect(data[month * STEP] === 0, `month ${month}`).toBe(isMissing);
    }
    const published = await openDataset('biomassters', root, { faults: { 'padding-as-value': true } });
    const { optical } = (await published.read('train', '0003d2eb')).images;
    expect([optical!.valid, optical!.storedType]).toEqual([null, 'uint16']);
    expect(optical!.data).toEqual(data);
  });

  it('masks −9999 of the radar; as published it is fed on as 0 dB', async () => {
    const published = await openDataset('biomassters', root, { mode: 'as-published' });
    const sar = (await published.read('train', '000aa810')).images.sar!;
    const places = [...sar.data.keys()].filter((i) => sar.data[i] === -9999);
    expect(places).toHaveLength(3 * 64 * 2); // months 0, 5 and 10, both bands of the descending orbit
    expect(places.every((i) => sar.valid![i] === 0)).toBe(true);
    const fed = asFed(published, 'sar', sar);
    expect(places.every((i) => fed.data[i] === 0)).toBe(true);
    expect(fed.valid).toBeNull();
    expect(asFed(await openDataset('biomassters', root), 'sar', sar)).toBe(sar);
  });

  it('reads a chip without a single optical month', async () => {
    const folder = fixtureCopy('pangaea/biomassters');
    const features = path.join(folder, 'test_features');
    for (const name of readdirSync(features)) if (name.includes('_S2_')) rmSync(path.join(features, name));
    const { images, facts } = await (await openDataset('biomassters', folder)).read('test', '5e0a1b3c');
    expect(images.optical).toMatchObject({ timeCount: 12, height: 8, width: 8, storedType: 'uint16' });
    expect(images.optical!.valid!.includes(1)).toBe(false);
    expect(facts.missingS2Months).toHaveLength(12);
  });

  it('takes val from the folders of train', async () => {
    const dataset = await openDataset('biomassters', root);
    expect((await dataset.read('val', '01a5cb6b')).target).toMatchObject({
      kind: 'values',
      height: 8,
      width: 8,
      valid: null,
    });
  });

  it('says that the lists were never released', async () => {
    const folder = fixtureCopy('pangaea/biomassters');
    rmSync(path.join(folder, 'val_Data_list.csv'));
    const dataset = await openDataset('biomassters', folder);
    await expect(dataset.entries('val')).rejects.toMatchObject({
      code: 'FILE_MISSING',
      hint: expect.stringContaining('column "chip_id"') as string,
    });
  });

  it('finds the column whatever stands beside it', async () => {
    const folder = fixtureCopy('pangaea/biomassters');
    writeFileSync(path.join(folder, 'train_Data_list.csv'), '\uFEFF,"chip_id",year\r\n0,"000aa810",2019\r\n');
    expect(await (await openDataset('biomassters', folder)).entries('train')).toMatchObject([
      { id: '000aa810' },
    ]);
  });
});
