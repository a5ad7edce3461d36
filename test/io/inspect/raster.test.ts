import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { describers } from '../../../src/io/inspect/describers.js';
import type { DescribeOptions, FileDescription } from '../../../src/io/inspect/description.js';
import { formatOf } from '../../../src/io/inspect/format-of.js';
import { encodePng } from '../../../src/io/png.js';
import { rasterCase } from '../../support/geotiff-parts.js';
import { tempFolder } from '../../support/temp-folder.js';

async function describeFile(file: string, options: DescribeOptions = {}): Promise<FileDescription> {
  expect(await formatOf(file)).toBe('raster');
  return (await describers.raster())(file, options);
}

describe('the description of a raster', () => {
  it('has shape, type, place, nodata, and statistics of what counts', async () => {
    const { kind, facts, bands } = await describeFile(rasterCase('hls_scale_offset_nodata'));
    expect(kind).toBe('GeoTIFF');
    expect(facts).toMatchObject({
      shape: [60, 66, 6],
      type: 'int16',
      crs: 'EPSG:32633',
      transform: [30, 0, 399_960, 0, -30, 4_800_000],
      nodata: -9999,
    });
    expect(bands![0]).toMatchObject({
      name: 'Blue',
      unit: 'reflectance',
      scale: 0.0001,
      count: 3910,
      hidden: 50,
      min: 204,
      max: 5933,
    });
  });

  it('reads only the header where no statistics are wanted', async () => {
    const { bands } = await describeFile(rasterCase('plain_strips_rgb_u8'), { statistics: false });
    expect(bands).toEqual([{ name: 'band 1' }, { name: 'band 2' }, { name: 'band 3' }]);
    const { notes } = await describeFile(rasterCase('plain_strips_rgb_u8'), { maxBytes: 10 });
    expect(notes).toEqual(['the image is large: its numbers were not read']);
  });

  it('says what is odd: nodata that cannot be, pages, numbers that no double holds, code in a text', async () => {
    expect((await describeFile(rasterCase('nodata_out_of_range'))).notes![0]).toMatch(
      /"-9999" is none that uint8/,
    );
    expect((await describeFile(rasterCase('three_pages'))).notes![0]).toMatch(/2 more full-size pages/);
    expect((await describeFile(rasterCase('int64_exact'))).notes![0]).toMatch(/^PRECISION_LOSS/);
    const { parts } = await describeFile(rasterCase('geobench_band_pickle_tag'));
    expect(parts![0]).toMatchObject({ kind: 'pickle', facts: { names: ['posix.system'] } });
    expect(parts![0]!.notes!.join()).toMatch(/nothing of it was run.*would run code/);
  });

  it('of a damaged file is its error', async () => {
    await expect(describeFile(rasterCase('bad_corrupt_deflate'))).rejects.toMatchObject({
      code: 'CORRUPT_DATA',
    });
  });

  it('is made of PNG and JPEG files too, by what they hold', async () => {
    const file = path.join(tempFolder(), 'image.png');
    writeFileSync(
      file,
      encodePng({ data: Uint8Array.of(1, 2, 3, 4, 5, 6), height: 1, width: 2, bandCount: 3 }),
    );
    const { kind, facts, bands } = await describeFile(file);
    expect([kind, facts, bands!.map(({ mean }) => mean)]).toEqual([
      'PNG',
      { shape: [1, 2, 3], type: 'uint8' },
      [2.5, 3.5, 4.5],
    ]);
  });
});
