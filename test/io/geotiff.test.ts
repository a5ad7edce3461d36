import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readGeoTiff } from '../../src/io/geotiff.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeTiff, type TiffTag } from '../support/tiff-writer.js';

const size = { height: 3, width: 4, bands: 3 };
/** Each band has a ramp of its own, so that mixed-up axes show. */
const pixels = Uint8Array.from({ length: 36 }, (_, i) => Math.floor(i / 3) + 100 * (i % 3));
const place: readonly TiffTag[] = [
  [33550, 12, [0.5, 0.25, 0]],
  [33922, 12, [0, 0, 0, 1000, 2000, 0]],
  [34735, 3, [1, 1, 0, 2, 1024, 0, 1, 1, 3072, 0, 1, 32617]],
  [42113, 2, '255'],
];

function file(content: Uint8Array): string {
  const at = path.join(tempFolder(), 'a.tif');
  writeFileSync(at, content);
  return at;
}

test('pixels come band fastest, with the place on the Earth', async () => {
  const raster = await readGeoTiff(file(writeTiff(pixels, size, place)));
  expect(raster).toEqual({
    data: pixels,
    type: 'uint8',
    nodataFrom: 'file',
    bandNames: [null, null, null],
    valid: null,
    height: 3,
    width: 4,
    bandCount: 3,
    transform: [0.5, 0, 1000, 0, -0.25, 2000],
    epsg: 32617,
    nodata: 255,
  });
});

test('a window and chosen bands are cut out, and the corner moves with them', async () => {
  const at = file(writeTiff(pixels, size, place));
  const raster = await readGeoTiff(at, { window: { row: 1, column: 1, height: 2, width: 3 }, bands: [2, 0] });
  expect([raster.height, raster.width, raster.bandCount]).toEqual([2, 3, 2]);
  expect([...raster.data]).toEqual([205, 5, 206, 6, 207, 7, 209, 9, 210, 10, 211, 11]);
  expect(raster.transform).toEqual([0.5, 0, 1000.5, 0, -0.25, 1999.75]);
});

test('a plain TIFF has no transform, no coordinate system and no hidden value', async () => {
  const raster = await readGeoTiff(file(writeTiff(pixels, size)));
  expect(raster).toMatchObject({ transform: null, epsg: null, nodata: null });
});

test('windows and bands outside the image are named', async () => {
  const at = file(writeTiff(pixels, size));
  const window = { row: 0, column: 0, height: 3, width: 5 };
  await expect(readGeoTiff(at, { window })).rejects.toMatchObject({ code: 'IMAGE_WINDOW' });
  await expect(readGeoTiff(at, { bands: [3] })).rejects.toMatchObject({ code: 'IMAGE_BANDS' });
});

test.each<[string, Uint8Array, string, RegExp]>([
  ['an HTML page', Buffer.from('<html><body>404</body></html>'), 'NOT_A_RASTER', /HTML/],
  ['a PNG under another name', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'NOT_A_RASTER', /PNG/],
  ['a cut-off TIFF', writeTiff(pixels, size).subarray(0, 40), 'TRUNCATED', /past the end|are wanted/],
  ['an empty file', new Uint8Array(0), 'EMPTY_FILE', /empty/],
])('%s is refused under its own code', async (_, content, code, reason) => {
  await expect(readGeoTiff(file(content))).rejects.toMatchObject({
    code,
    message: expect.stringMatching(reason) as string,
  });
});

test('a header of a million by a million pixels is refused at once', async () => {
  const bytes = writeTiff(pixels, { ...size, height: 1_000_000, width: 1_000_000 });
  const started = performance.now();
  await expect(readGeoTiff(file(bytes))).rejects.toMatchObject({ code: 'TOO_LARGE' });
  expect(performance.now() - started).toBeLessThan(5000); // the bound of the field report; it takes milliseconds
});

test('an image whose rows lie beyond the end of the file is an error, not zeros', async () => {
  const bytes = writeTiff(pixels, { ...size, height: 3000 });
  await expect(readGeoTiff(file(bytes))).rejects.toMatchObject({ code: 'CORRUPT_DATA' });
  expect(existsSync('/no/such.tif')).toBe(false);
  await expect(readGeoTiff('/no/such.tif')).rejects.toMatchObject({ code: 'FILE_MISSING' });
});
