import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import type { TargetOf } from '../../../src/datasets/sample.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';

const root = fixture('pangaea/croptypemapping');
const idsOf = (entries: readonly { id: string }[]): string[] => entries.map(({ id }) => id);
const archive = (folder: string, id: number): string =>
  path.join(folder, `southsudan/npy/southsudan_${String(id).padStart(6, '0')}.npz`);

describe('crop-type-mapping-ss', () => {
  it('leaves a damaged archive out and reports it', async () => {
    const dataset = await openDataset('crop-type-mapping-ss', root);
    expect(idsOf(await dataset.entries('train'))).toEqual(['149', '1001', '2412']);
    expect(await dataset.facts()).toEqual({
      damaged: [
        {
          split: 'train',
          id: '3058',
          code: 'NOT_NPY',
          reason: expect.stringContaining('no bundle of NumPy arrays') as string,
          where: archive(root, 3058),
        },
      ],
    });
  });

  it('takes the next sample for a damaged one as published, and fails at the end of the list', async () => {
    const folder = fixtureCopy('pangaea/croptypemapping');
    writeFileSync(archive(folder, 1001), 'damaged');
    const dataset = await openDataset('crop-type-mapping-ss', folder, { mode: 'as-published' });
    const entries = await dataset.entries('train');
    expect(idsOf(entries)).toEqual(['149', '1001', '2412', '3058']);
    const [, damaged, next, last] = entries;
    const [taken, own] = [await dataset.read('train', damaged!), await dataset.read('train', next!)];
    expect(taken.id).toBe('1001');
    expect(taken.images.optical!.data).toEqual(own.images.optical!.data);
    expect(taken.target).toEqual(own.target);
    await expect(dataset.read('train', last!)).rejects.toMatchObject({ code: 'NOT_NPY' });
  });

  it('is an error at reading where the damage lies deeper', async () => {
    const folder = fixtureCopy('pangaea/croptypemapping');
    const bytes = readFileSync(archive(folder, 149));
    bytes.fill(0xff, 200, 400);
    writeFileSync(archive(folder, 149), bytes);
    const dataset = await openDataset('crop-type-mapping-ss', folder);
    await expect(dataset.read('train', '149')).rejects.toMatchObject({
      where: expect.stringContaining(archive(folder, 149)) as string,
    });
  });

  it('does not take a file that is missing for a damaged one', async () => {
    const folder = fixtureCopy('pangaea/croptypemapping');
    rmSync(archive(folder, 1001));
    for (const mode of ['corrected', 'as-published'] as const) {
      const dataset = await openDataset('crop-type-mapping-ss', folder, { mode });
      const read = async () => dataset.read('train', (await dataset.entries('train'))[1]!);
      await expect(read()).rejects.toMatchObject({ code: 'FILE_MISSING', where: archive(folder, 1001) });
    }
  });

  it('gives the six latest dates, latest first', async () => {
    const { images } = await (await openDataset('crop-type-mapping-ss', root)).read('train', '149');
    expect(images.optical!.dates).toEqual([
      '2017-09-10',
      '2017-08-21',
      '2017-08-01',
      '2017-07-12',
      '2017-06-22',
      '2017-06-02',
    ]);
    expect(images.optical!.valid).toBeNull();
  });

  it('masks dates that are missing; as published their zeros count', async () => {
    const { images } = await (await openDataset('crop-type-mapping-ss', root)).read('train', '1001');
    const { data, valid, dates } = images.optical!;
    const step = 16 * 16 * 10;
    expect(dates.slice(3)).toEqual(['2017-04-03', null, null]);
    expect(valid!.subarray(0, 4 * step).includes(0)).toBe(false);
    expect(valid!.subarray(4 * step).includes(1)).toBe(false);
    expect(data.subarray(4 * step).every((value) => value === 0)).toBe(true);
    const published = await openDataset('crop-type-mapping-ss', root, {
      faults: { 'padding-as-value': true },
    });
    const { optical } = (await published.read('train', '1001')).images;
    expect(optical!.valid).toBeNull();
    expect(optical!.data).toEqual(data);
  });

  it('knows four crops; the rest is left out', async () => {
    const { target } = await (await openDataset('crop-type-mapping-ss', root)).read('val', '4152');
    const { labels, stored } = target as TargetOf<'mask'>;
    for (const [i, label] of labels.data.entries()) {
      const crop = stored.data[i]!;
      expect(label).toBe(crop >= 1 && crop <= 4 ? crop - 1 : -1);
    }
  });

  it.each([
    ['id\n149\n', 'MISSING_COLUMN'],
    ['id,partition\n149\n', 'RAGGED_ROW'],
  ])('says what the list %j lacks', async (list, code) => {
    const folder = fixtureCopy('pangaea/croptypemapping');
    writeFileSync(path.join(folder, 'southsudan/list_eval_partition.csv'), list);
    const dataset = await openDataset('crop-type-mapping-ss', folder);
    await expect(dataset.entries('train')).rejects.toMatchObject({ code });
  });
});
