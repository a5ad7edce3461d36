import { cpSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { asFed } from '../../../src/datasets/reference.js';
import type { TargetOf } from '../../../src/datasets/sample.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';

const root = fixture('pangaea/mados');

/** Gives a scene of the copy another number. */
function renumber(folder: string, from: string, to: string): void {
  for (const resolution of ['10', '20', '60']) {
    const files = path.join(folder, from, resolution);
    for (const name of readdirSync(files))
      renameSync(path.join(files, name), path.join(files, name.replace(`${from}_`, `${to}_`)));
  }
  renameSync(path.join(folder, from), path.join(folder, to));
}

describe('mados', () => {
  it('repeats the pixels of 20 m and 60 m bands, and orders bands by the wavelengths in their names', async () => {
    const dataset = await openDataset('mados', root);
    const { images, facts } = await dataset.read('train', 'Scene_1_1');
    const { data, bands, height, width } = images.optical!;
    expect([height, width]).toEqual([48, 48]);
    expect(facts.wavelengths).toEqual([442, 492, 559, 665, 704, 739, 780, 833, 864, 1610, 2186]);
    const at = (row: number, column: number, band: string): number =>
      data[(row * width + column) * bands.length + bands.indexOf(band)]!;
    for (const [band, size] of [
      ['B1', 6],
      ['B5', 2],
    ] as const) {
      expect(at(0, 0, band)).toBe(at(size - 1, size - 1, band));
      expect(at(0, 0, band)).not.toBe(at(size, size, band));
    }
    expect(at(0, 0, 'B2')).not.toBe(at(1, 1, 'B2'));
  });

  it('masks NaN; as published it is fed on as 0', async () => {
    const published = await openDataset('mados', root, { mode: 'as-published' });
    const { images } = await published.read('train', 'Scene_0_1');
    const optical = images.optical!;
    // one pixel of 60 m is 6 × 6 of 10 m, two of them; one of 20 m is 2 × 2
    expect(optical.valid!.filter((value) => value === 0)).toHaveLength(2 * 36 + 2 * 4);
    const fed = asFed(published, 'optical', optical);
    expect([fed.valid, fed.data[0]]).toEqual([null, 0]);
    const corrected = await openDataset('mados', root);
    expect(asFed(corrected, 'optical', optical)).toBe(optical);
  });

  it('shifts classes by one, and leaves unlabelled pixels out', async () => {
    const { target } = await (await openDataset('mados', root)).read('test', 'Scene_2_7');
    const { labels, stored } = target as TargetOf<'mask'>;
    expect(labels.data.every((label, i) => label === stored.data[i]! - 1)).toBe(true);
    expect(labels.data.includes(-1)).toBe(true);
  });

  it('walks scenes in the order of their folders, and crops of a scene in the order of their text', async () => {
    const folder = fixtureCopy('pangaea/mados');
    renumber(folder, 'Scene_0', 'Scene_10');
    cpSync(path.join(folder, 'Scene_10'), path.join(folder, 'Scene_9'), { recursive: true });
    for (const resolution of ['10', '20', '60']) {
      const files = path.join(folder, 'Scene_9', resolution);
      for (const name of readdirSync(files)) {
        const renamed = name
          .replace('Scene_10_', 'Scene_9_')
          .replace('_2.tif', '_12.tif')
          .replace('_1.tif', '_2.tif');
        renameSync(path.join(files, name), path.join(files, renamed));
      }
    }
    writeFileSync(
      path.join(folder, 'splits/train_X.txt'),
      'Scene_9_2\nScene_9_12\nScene_10_2\nScene_1_1\nScene_10_1\n',
    );
    const entries = await (await openDataset('mados', folder)).entries('train');
    // "Scene_1" stands before "Scene_10" as a folder, though "Scene_10_1" stands before "Scene_1_1" as a text
    expect(entries.map(({ id }) => id)).toEqual([
      'Scene_1_1',
      'Scene_10_1',
      'Scene_10_2',
      'Scene_9_12',
      'Scene_9_2',
    ]);
  });

  it('says which crop lacks a band', async () => {
    const folder = fixtureCopy('pangaea/mados');
    rmSync(path.join(folder, 'Scene_1/20/Scene_1_L2R_rhorc_739_3.tif'));
    const dataset = await openDataset('mados', folder);
    await expect(dataset.entries('val')).rejects.toMatchObject({
      code: 'SPLIT_FILES',
      message: 'Crop 3 of Scene_1 has 10 band files; a crop has 11.',
    });
    await expect(dataset.entries('train')).resolves.toHaveLength(3);
  });

  it('says which line names no crop', async () => {
    const folder = fixtureCopy('pangaea/mados');
    writeFileSync(path.join(folder, 'splits/val_X.txt'), 'Scene_1_3\n<html>\n');
    const dataset = await openDataset('mados', folder);
    await expect(dataset.entries('val')).rejects.toMatchObject({
      code: 'SPLIT_LIST',
      message: '"<html>" names no crop.',
    });
  });
});
