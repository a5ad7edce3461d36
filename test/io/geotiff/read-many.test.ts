import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGeoTiff } from '../../../src/io/geotiff.js';
import { readGeoTiffInThread, readGeoTiffs } from '../../../src/io/geotiff/read-many.js';
import { rasterCase, tiledTiff } from '../../support/geotiff-parts.js';
import { tempFolder } from '../../support/temp-folder.js';

const names = [
  'lzw_u8',
  'zstd_predictor2_i16',
  'jpeg_ycbcr_rgb',
  'tiny_1x1',
  'lerc_zstd_u16',
  'webp_lossless_rgb',
  'cog_overviews_and_masks',
];
const files = [...names, ...names].map(rasterCase);

/** Uncompressed images of 64 × 64 pixels of one value each. */
function flatImages(count: number): string[] {
  const folder = tempFolder();
  return Array.from({ length: count }, (_, value) => {
    const pixels = new Uint8Array(32 * 32).fill(value);
    const file = path.join(folder, `${value}.tif`);
    writeFileSync(file, tiledTiff({ size: 64, tile: 32, compression: 1, bits: 8, tileOf: () => pixels }));
    return file;
  });
}

describe('many rasters', () => {
  it('come in order, each as the main thread reads it', async () => {
    const got: unknown[] = [];
    for await (const raster of readGeoTiffs(files, { threads: 2, mask: true })) got.push(raster);
    const due = await Promise.all(files.map((file) => readGeoTiff(file, { mask: true })));
    expect(got).toEqual(due);
  });

  it('come from places that are found one by one, no more than there is room for', async () => {
    const images = flatImages(30);
    let taken = 0;
    async function* places(): AsyncGenerator<string> {
      for (const image of images) {
        taken++;
        yield await Promise.resolve(image);
      }
    }
    let shown = 0;
    const ahead: number[] = [];
    for await (const { data } of readGeoTiffs(places(), { threads: 2, maxBytes: 3 * 64 * 64 })) {
      expect(data[0]).toBe(shown++);
      ahead.push(taken - shown);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(shown).toBe(30);
    expect(Math.max(...ahead.slice(2))).toBeLessThanOrEqual(2); // three at once with the one that is shown
  });

  it('larger than the bound come one at a time', async () => {
    let shown = 0;
    for await (const { data } of readGeoTiffs(flatImages(5), { threads: 2, maxBytes: 1 }))
      expect(data[9]).toBe(shown++);
    expect(shown).toBe(5);
  });

  it('are gone after the next one where the caller allows it: their memory is used again', async () => {
    const kept: Uint8Array[] = [];
    let shown = 0;
    for await (const { data } of readGeoTiffs(flatImages(40), { threads: 2, recycle: true })) {
      expect(data.every((value) => value === shown)).toBe(true);
      kept.push(data as Uint8Array);
      shown++;
    }
    expect(shown).toBe(40);
    // memory that moved back to a thread has no bytes here any more
    expect(kept.filter(({ length }) => length === 0).length).toBeGreaterThan(20);
  });

  it('that cannot be read fail in their place, after those before them', async () => {
    const list = [
      rasterCase('lzw_u8'),
      rasterCase('tiny_1x1'),
      rasterCase('bad_corrupt_deflate'),
      rasterCase('lzw_u8'),
    ];
    let shown = 0;
    const reading = async (): Promise<void> => {
      for await (const raster of readGeoTiffs(list)) shown += Math.sign(raster.width);
    };
    await expect(reading()).rejects.toMatchObject({
      name: 'InputError',
      code: 'CORRUPT_DATA',
      where: expect.stringMatching(/bad_corrupt_deflate/) as string,
    });
    expect(shown).toBe(2);
  });

  it('stop when the caller leaves, when the signal says so, and go on for the next caller', async () => {
    let isClosed = false;
    function* endless(): Generator<string> {
      try {
        for (;;) yield rasterCase('lzw_u8');
      } finally {
        isClosed = true;
      }
    }
    for await (const raster of readGeoTiffs(endless())) {
      if (raster.width > 0) break;
    }
    expect(isClosed).toBe(true);
    const controller = new AbortController();
    const reading = async (): Promise<void> => {
      for await (const raster of readGeoTiffs(endless(), { signal: controller.signal })) {
        if (raster.width > 0) controller.abort(new Error('enough'));
      }
    };
    await expect(reading()).rejects.toThrow('enough');
    const { width } = await readGeoTiffInThread(rasterCase('tiny_1x9'));
    expect(width).toBe(9);
  });
});

describe('one raster in a thread', () => {
  it('is the same as on the main thread, wherever it lies', async () => {
    const file = rasterCase('hls_scale_offset_nodata');
    const options = {
      window: { row: 3, column: 4, height: 20, width: 10 },
      bands: ['Red', 'Blue'],
      mask: true,
      scaled: true,
    };
    expect(await readGeoTiffInThread(file, options)).toEqual(await readGeoTiff(file, options));
  });

  it('fails under the same code, with its class', async () => {
    await expect(readGeoTiffInThread(rasterCase('bad_no_width'))).rejects.toMatchObject({
      name: 'InputError',
      code: 'BAD_HEADER',
      hint: expect.stringMatching(/damaged/) as string,
    });
  });

  it('is not begun where the signal was given before', async () => {
    const signal = AbortSignal.abort(new Error('never'));
    await expect(readGeoTiffInThread(rasterCase('lzw_u8'), { signal })).rejects.toThrow('never');
  });
});
