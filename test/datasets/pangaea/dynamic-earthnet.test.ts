import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataset } from '../../../src/datasets/dataset.js';
import { bandNames } from '../../../src/datasets/reference.js';
import type { TargetOf } from '../../../src/datasets/sample.js';
import { fixture, fixtureCopy } from '../../support/fixture-copy.js';
import { npyBytes } from '../../support/npy.js';
import { writeTiff } from '../../support/tiff-writer.js';

const root = fixture('pangaea/dynamicearthnet');
const id = '2065_3647_13 2018-06';
const days = 'planet/16N/11E-89N/2065_3647_13/PF-SR';
const label = 'labels/2065_3647_13_16N/Labels/Raster/16N-11E-89N-L3H-SR/16N-11E-89N-L3H-SR-2018_06_01';

describe('dynamic-earthnet', () => {
  it('calls near infrared by its own name; as published it goes by the name of a red edge', async () => {
    const corrected = await openDataset('dynamic-earthnet', root);
    expect(bandNames(corrected, 'optical')).toEqual(['B2', 'B3', 'B4', 'B8A']);
    const published = await openDataset('dynamic-earthnet', root, { mode: 'as-published' });
    expect(bandNames(published, 'optical')).toEqual(['B2', 'B3', 'B4', 'B5']);
    const { images } = await published.read('val', id);
    expect(images.optical!.bands).toEqual(['B2', 'B3', 'B4', 'B8A']);
  });

  it('reads the GeoTIFF of the release where there are no arrays', async () => {
    const folder = fixtureCopy('pangaea/dynamicearthnet');
    const size = { height: 2, width: 3 };
    for (let day = 1; day <= 6; day++) {
      const file = path.join(folder, days, `2018-06-0${day}`);
      rmSync(`${file}.npy`);
      const pixels = Uint8Array.from({ length: 24 }, (_, i) => 10 * day + (i % 4));
      writeFileSync(`${file}.tif`, writeTiff(pixels, { ...size, bands: 4 }, [[338, 3, [0]]]));
    }
    const classes = [0, 5, 6, 2, 1, 3]; // 6: snow and ice
    const channels = Uint8Array.from(
      classes.flatMap((own) => Array.from({ length: 7 }, (_, c) => (c === own ? 255 : 0))),
    );
    rmSync(path.join(folder, `${label}.npy`));
    writeFileSync(
      path.join(folder, `${label}.tif`),
      writeTiff(channels, { ...size, bands: 7 }, [[338, 3, [0, 0, 0, 0]]]),
    );
    const { images, target } = await (await openDataset('dynamic-earthnet', folder)).read('val', id);
    const { data, timeCount, dates } = images.optical!;
    expect([timeCount, dates[5], data[0], data[5 * 24 + 3]]).toEqual([6, '2018-06-06', 10, 63]);
    expect([...(target as TargetOf<'mask'>).labels.data]).toEqual([0, 5, -1, 2, 1, 3]);
  });

  it('names the file of a day that is missing', async () => {
    const folder = fixtureCopy('pangaea/dynamicearthnet');
    rmSync(path.join(folder, days, '2018-06-04.npy'));
    const dataset = await openDataset('dynamic-earthnet', folder);
    await expect(dataset.read('val', id)).rejects.toMatchObject({
      code: 'FILE_MISSING',
      where: path.join(folder, days, '2018-06-04.npy'),
    });
  });

  it('does not take an array of other axes for an image', async () => {
    const folder = fixtureCopy('pangaea/dynamicearthnet');
    writeFileSync(path.join(folder, days, '2018-06-01.npy'), npyBytes('<i2', [2, 3], new Uint8Array(12)));
    const dataset = await openDataset('dynamic-earthnet', folder);
    await expect(dataset.read('val', id)).rejects.toMatchObject({
      code: 'ARRAY_SHAPE',
      message: 'The array is [2, 3], and [4 or more bands, height, width] is wanted.',
    });
  });

  it.each(['one two', 'one two 2018', 'one two 2018-06 three'])(
    'says that %j names no month',
    async (line) => {
      const folder = fixtureCopy('pangaea/dynamicearthnet');
      writeFileSync(path.join(folder, 'dynnet_training_splits/val.txt'), `${line}\n`);
      const dataset = await openDataset('dynamic-earthnet', folder);
      await expect(dataset.entries('val')).rejects.toMatchObject({ code: 'SPLIT_LIST' });
    },
  );

  it('does not leave the folder for a list that names a place elsewhere', async () => {
    const folder = fixtureCopy('pangaea/dynamicearthnet');
    writeFileSync(path.join(folder, 'dynnet_training_splits/val.txt'), '/../../a /../../b.tif 2018-06\n');
    const dataset = await openDataset('dynamic-earthnet', folder);
    const [entry] = await dataset.entries('val');
    await expect(dataset.read('val', entry!)).rejects.toMatchObject({ code: 'PATH_OUTSIDE' });
  });
});
