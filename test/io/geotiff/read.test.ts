import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MemorySource } from '../../../src/io/byte-source.js';
import { GeoTiffFile, readGeoTiff, type GeoRaster } from '../../../src/io/geotiff.js';
import { cropRaster } from '../../../src/io/window.js';
import { createRandom } from '../../../src/random.js';
import { CountingSource, rasterCase, tiledTiff } from '../../support/geotiff-parts.js';

/** Chosen bands of a whole raster, cut to a window. */
function cut(
  raster: GeoRaster,
  window: Parameters<typeof cropRaster>[1],
  bands: readonly number[],
): number[] {
  const { data } = cropRaster(raster, window);
  const pixels = Array.from({ length: window.height * window.width }, (_, pixel) => pixel * raster.bandCount);
  return pixels.flatMap((at) => bands.map((band) => data[at + band]!));
}

describe('windows and bands', () => {
  it.each([
    'plain_strips_rgb_u8',
    'plain_planar_strips_u16',
    'plain_tiles_edge_i16',
    'lzw_predictor2_u16_pixel',
    'deflate_predictor2_i32_planar_tiles',
    'deflate_big_endian_f32_predictor3',
    'zstd_predictor3_f32_tiles',
    'bigtiff_big_endian',
    'uint4_two_bands',
    'uint12_packed',
    'float16_as_nbits16',
    'sparse_tiles',
    's2_named_bands_odd_order',
  ])('of %s are those of the whole image', async (name) => {
    const file = GeoTiffFile.open(rasterCase(name));
    const whole = await file.read();
    const random = createRandom(7, name);
    for (let round = 0; round < 12; round++) {
      const row = random.integer(whole.height);
      const column = random.integer(whole.width);
      const window = {
        row,
        column,
        height: 1 + random.integer(whole.height - row),
        width: 1 + random.integer(whole.width - column),
      };
      const bands = Array.from({ length: 1 + random.integer(whole.bandCount) }, () =>
        random.integer(whole.bandCount),
      );
      const part = await file.read({ window, bands });
      expect([...part.data], JSON.stringify({ window, bands })).toEqual(cut(whole, window, bands));
    }
    file.close();
  });

  it('bands are chosen by name, and a name that is not there lists those that are', async () => {
    const file = rasterCase('s2_named_bands_odd_order');
    const whole = await readGeoTiff(file);
    const place = whole.bandNames.indexOf('B8A');
    const picked = await readGeoTiff(file, { bands: ['B8A', 0] });
    expect(picked.bandNames).toEqual(['B8A', whole.bandNames[0]]);
    expect(picked.data[2]).toBe(whole.data[whole.bandCount + place]);
    await expect(readGeoTiff(file, { bands: ['B8a'] })).rejects.toMatchObject({
      code: 'IMAGE_BANDS',
      hint: expect.stringMatching(/B01, .*B8A/) as string,
    });
  });

  it('a window past the image keeps its size where that is asked for, and says what counts', async () => {
    const file = rasterCase('hls_scale_offset_nodata');
    const window = { row: 58, column: -1, height: 4, width: 3 };
    await expect(readGeoTiff(file, { window })).rejects.toMatchObject({ code: 'IMAGE_WINDOW' });
    const part = await readGeoTiff(file, { window, bands: [0], boundless: true, mask: true });
    const whole = await readGeoTiff(file, { bands: [0] });
    const at = (row: number, column: number): number => whole.data[row * whole.width + column]!;
    const [n, none] = [-9999, 0];
    expect([...part.data]).toEqual([n, at(58, 0), at(58, 1), n, at(59, 0), at(59, 1), n, n, n, n, n, n]);
    expect([...part.valid!]).toEqual([none, 1, 1, none, 1, 1, 0, 0, 0, 0, 0, 0]);
    expect(part.transform).toEqual([30, 0, 399_930, 0, -30, 4_798_260]);
    const far = { ...window, row: 500, column: 500 };
    const empty = await readGeoTiff(file, { window: far, bands: [0], boundless: true, mask: true });
    expect([...empty.valid!]).toEqual(new Array(12).fill(0));
  });
});

describe('bytes that are read', () => {
  const size = 10_980;
  const tile = 256;
  const across = Math.ceil(size / tile);
  // each tile has a level of its own among 50, so that a wrong one shows
  const levels = Array.from({ length: 50 }, (_, level) =>
    deflateSync(
      Buffer.from(Uint16Array.from({ length: tile * tile }, (__, i) => level * 100 + (i % 7)).buffer),
    ),
  );
  const large = tiledTiff({ size, tile, compression: 8, tileOf: (index) => levels[index % 50]! });

  it('of a window in a tiled raster of 10,980² pixels are its tiles, their places and the header', async () => {
    const source = new CountingSource(large);
    const file = GeoTiffFile.open(source);
    expect(source.bytesRead).toBeLessThanOrEqual(16_384);
    source.bytesRead = 0;
    // columns 1000 to 1299 lie in tiles 3 to 5, rows 5000 to 5199 in tiles 19 and 20
    const { data, width } = await file.read({ window: { row: 5000, column: 1000, height: 200, width: 300 } });
    const wanted = [19, 20].flatMap((row) =>
      [3, 4, 5].map((column) => levels[(row * across + column) % 50]!.length),
    );
    const tables = 2 * 16_384; // a stretch of the offsets, one of the lengths
    expect(source.bytesRead).toBeLessThanOrEqual(wanted.reduce((a, b) => a + b) + tables);
    const level = (row: number, column: number): number =>
      (Math.floor(row / tile) * across + Math.floor(column / tile)) % 50;
    for (const [row, column] of [
      [0, 0],
      [119, 23],
      [120, 24],
      [199, 299],
    ] as const) {
      const inTile = ((5000 + row) % tile) * tile + ((1000 + column) % tile);
      expect(data[row * width + column]).toBe(level(5000 + row, 1000 + column) * 100 + (inTile % 7));
    }
  });

  it('of one band of planar strips are its strips alone', async () => {
    const source = CountingSource.of(rasterCase('plain_planar_strips_u16'));
    const file = GeoTiffFile.open(source);
    source.reads.length = 0;
    await file.read({ bands: [2], window: { row: 12, column: 0, height: 5, width: 39 } });
    expect(source.reads.map(([, length]) => length)).toEqual([5 * 39 * 2]);
  });

  it('of a narrow window of wide rows that are not compressed are its columns', async () => {
    const pixels = Uint8Array.from({ length: 1000 * 1000 }, (_, i) => (i * 7) % 251);
    const bytes = tiledTiff({ size: 2000, tile: 1000, compression: 1, bits: 8, tileOf: () => pixels });
    const source = new CountingSource(bytes);
    const file = GeoTiffFile.open(source);
    source.bytesRead = 0;
    const { data } = await file.read({ window: { row: 400, column: 600, height: 3, width: 20 } });
    expect(source.bytesRead).toBe(60);
    expect([...data.subarray(20, 23)]).toEqual([0, 1, 2].map((i) => ((401 * 1000 + 600 + i) * 7) % 251));
  });
});

describe('what counts', () => {
  it('a nodata value of the caller wins over that of the file, and is told', async () => {
    const file = rasterCase('nodata_none_but_zeros');
    const plain = await readGeoTiff(file, { mask: true });
    expect(plain).toMatchObject({ nodata: null, nodataFrom: null, valid: null });
    const given = await readGeoTiff(file, { mask: true, nodata: 0 });
    expect(given).toMatchObject({ nodata: 0, nodataFrom: 'caller' });
    expect([...given.valid!].filter((value) => value === 0)).toHaveLength(
      [...plain.data].filter((value) => value === 0).length,
    );
    const lifted = await readGeoTiff(rasterCase('nodata_zero_text'), { mask: true, nodata: null });
    expect(lifted).toMatchObject({ nodata: null, nodataFrom: 'caller', valid: null });
  });

  it('a nodata value that the type cannot hold hides nothing', async () => {
    const raster = await readGeoTiff(rasterCase('nodata_none_but_zeros'), { mask: true, nodata: -9999 });
    expect(raster).toMatchObject({ nodata: null, valid: null });
  });

  it('NaN never counts, except where only what the file declares is asked for', async () => {
    const file = rasterCase('float32_inf_nan');
    const { data, valid } = await readGeoTiff(file, { mask: true });
    const nan = data.findIndex(Number.isNaN);
    expect([valid![nan], valid![nan - 1]]).toEqual([0, 1]);
    expect((await readGeoTiff(file, { mask: 'declared' })).valid).toBeNull();
  });

  it('scaled values are stored · scale + offset, and NaN where nothing counts', async () => {
    const file = rasterCase('hls_scale_offset_nodata');
    const stored = await readGeoTiff(file, { mask: true });
    const scaled = await readGeoTiff(file, { scaled: true });
    expect(scaled.data).toBeInstanceOf(Float64Array);
    expect(scaled.data[0]).toBe(stored.data[0]! * 0.0001);
    const hidden = stored.valid!.indexOf(0);
    expect([stored.data[hidden], scaled.data[hidden]]).toEqual([-9999, NaN]);
  });

  it('alpha hides the other bands, not itself', async () => {
    const { data, valid } = await readGeoTiff(rasterCase('alpha_band'), { mask: true });
    const clear = data.findIndex((value, i) => i % 4 === 3 && value === 0);
    expect([...valid!.subarray(clear - 3, clear + 1)]).toEqual([0, 0, 0, 1]);
  });
});

describe('pages', () => {
  it('an overview has the ground of the image under fewer pixels', async () => {
    const file = GeoTiffFile.open(rasterCase('cog_overviews_and_masks'));
    expect(file.info.overviews).toEqual([
      [48, 48],
      [24, 24],
    ]);
    const small = await file.read({ overview: 2, mask: true });
    expect([small.height, small.width, small.transform]).toEqual([
      24,
      24,
      [40, 0, 399_960, 0, -40, 4_800_000],
    ]);
    await expect(file.read({ overview: 3 })).rejects.toMatchObject({ code: 'IMAGE_PAGE' });
    file.close();
  });

  it('further full-size pages are read by number', async () => {
    const file = GeoTiffFile.open(rasterCase('three_pages'));
    const second = await file.read({ page: 1 });
    expect([second.height, second.width]).toEqual(file.info.pageSizes[1]);
    await expect(file.read({ page: 3 })).rejects.toMatchObject({ code: 'IMAGE_PAGE' });
    file.close();
  });
});

describe('places of rasters', () => {
  it('a stretch of a file, bytes in memory and an open source give what the file gives', async () => {
    const path = rasterCase('lzw_u8');
    const bytes = readFileSync(path);
    const { data } = await readGeoTiff(path);
    const inside = Buffer.concat([Buffer.alloc(100, 1), bytes, Buffer.alloc(7)]);
    expect((await readGeoTiff({ name: 'bytes', bytes })).data).toEqual(data);
    expect((await readGeoTiff(new MemorySource(bytes, 'source'))).data).toEqual(data);
    expect((await readGeoTiff({ file: path, offset: 0, length: bytes.length })).data).toEqual(data);
    await expect(readGeoTiff({ file: path, offset: 10, length: bytes.length })).rejects.toMatchObject({
      code: 'TRUNCATED',
    });
    await expect(readGeoTiff({ name: 'shifted', bytes: inside })).rejects.toMatchObject({
      code: 'NOT_A_RASTER',
      where: 'shifted',
    });
    expect(
      (await readGeoTiff({ name: 'cut out', bytes: inside.subarray(100, 100 + bytes.length) })).data,
    ).toEqual(data);
  });

  it('a reading that is stopped gives the reason of the signal', async () => {
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    await expect(readGeoTiff(rasterCase('lzw_u8'), { signal: controller.signal })).rejects.toThrow('enough');
  });

  it('the event loop gets its turn while a large image is read', async () => {
    const tile = deflateSync(
      Buffer.from(new Uint16Array(512 * 512).map((_, i) => (i * 2_654_435_761) >>> 16).buffer),
    );
    const bytes = tiledTiff({ size: 8192, tile: 512, compression: 8, tileOf: () => tile });
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new Error('stopped between blocks')), 1);
    // as words: an image of 67 million pixels in a failed assertion would fill the memory
    const outcome = await readGeoTiff({ name: 'large', bytes }, { signal: controller.signal }).then(
      () => 'read to its end',
      (error: Error) => error.message,
    );
    expect(outcome).toBe('stopped between blocks');
    clearInterval(ticking);
    clearTimeout(timer);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('damaged files', () => {
  it('never end in anything but an error of a known kind, or pixels', async () => {
    const known =
      /^(EMPTY_FILE|NOT_A_RASTER|TRUNCATED|CORRUPT_DATA|BAD_HEADER|UNSUPPORTED|TOO_LARGE|PRECISION_LOSS)$/;
    const random = createRandom(11);
    const names = [
      'plain_tiles_edge_i16',
      'lzw_u8',
      'zstd_predictor2_i16',
      'cog_overviews_and_masks',
      'lerc_f32_nan',
      'jpeg_ycbcr_rgb',
      'webp_lossless_rgb',
      'bigtiff_big_endian',
      'gcps_only',
    ];
    const codes = new Set<string>();
    for (const name of names) {
      const whole = readFileSync(rasterCase(name));
      for (let round = 0; round < 25; round++) {
        let bytes = Uint8Array.from(whole);
        for (let i = 0; i < 3; i++) {
          const near = random.uniform() < 0.6 ? Math.min(whole.length, 600) : whole.length;
          bytes[random.integer(near)] = random.integer(256);
        }
        if (round % 6 === 0) bytes = bytes.subarray(0, random.integer(bytes.length));
        const outcome = await readGeoTiff({ name, bytes }, { mask: true }).then(
          () => 'pixels',
          (error: { code?: string }) => error.code ?? String(error),
        );
        if (outcome !== 'pixels') expect(outcome).toMatch(known);
        codes.add(outcome);
      }
    }
    expect(codes.size).toBeGreaterThan(4);
  });
});
