import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemorySource } from '../../src/io/byte-source.js';
import { readDirectories } from '../../src/io/geotiff/directory.js';
import { HeadReader } from '../../src/io/geotiff/raster-source.js';
import { readGeoTiff } from '../../src/io/geotiff.js';
import { readJpeg } from '../../src/io/jpeg.js';
import { readRaster } from '../../src/io/read-raster.js';
import { rasterCase } from '../support/geotiff-parts.js';
import { tempFolder } from '../support/temp-folder.js';

/** A JPEG file: the first tile of a TIFF behind the tables of its page. */
function firstTile(): Buffer {
  const bytes = readFileSync(rasterCase('jpeg_ycbcr_rgb'));
  const [page] = readDirectories(new HeadReader(new MemorySource(bytes, 'case')));
  const tables = page!.bytes(347)!;
  const [at] = page!.numbers(324)!;
  const [length] = page!.numbers(325)!;
  return Buffer.concat([tables.subarray(0, -2), bytes.subarray(at! + 2, at! + length!)]);
}

const fileOf = (bytes: Uint8Array, name = 'a.jpg'): string => {
  const file = path.join(tempFolder(), name);
  writeFileSync(file, bytes);
  return file;
};

describe('JPEG images', () => {
  it('have the colours that the same stream has in a TIFF', async () => {
    const window = { row: 0, column: 0, height: 32, width: 32 };
    const { data } = await readGeoTiff(rasterCase('jpeg_ycbcr_rgb'), { window });
    const file = fileOf(firstTile());
    expect(await readJpeg(file)).toEqual({ data, height: 32, width: 32, bandCount: 3 });
    expect(await readRaster(file)).toEqual({ data, height: 32, width: 32, bandCount: 3 });
  });

  it.each<[string, (whole: Buffer) => Uint8Array, string]>([
    ['an empty file', () => new Uint8Array(0), 'EMPTY_FILE'],
    ['a web page', () => Buffer.from('<html></html>'), 'NOT_A_RASTER'],
    ['a stream without a frame', (whole) => whole.subarray(0, 12), 'CORRUPT_DATA'],
    ['a frame of 12 bits', (whole) => withByte(whole, frameAt(whole) + 4, 12), 'UNSUPPORTED'],
    ['an arithmetic frame', (whole) => withByte(whole, frameAt(whole) + 1, 0xc9), 'UNSUPPORTED'],
    ['a frame of more pixels than its bytes can hold', (whole) => withSize(whole, 4000), 'CORRUPT_DATA'],
    ['a frame of 65,535 × 65,535 pixels', (whole) => withSize(whole, 0xffff), 'TOO_LARGE'],
  ])('%s is refused under its own code', async (_, make, code) => {
    await expect(readJpeg(fileOf(make(firstTile())))).rejects.toMatchObject({ code });
  });
});

const frameAt = (bytes: Buffer): number => bytes.indexOf(Buffer.from([0xff, 0xc0]));
function withByte(bytes: Buffer, at: number, value: number): Buffer {
  bytes[at] = value;
  return bytes;
}
function withSize(bytes: Buffer, side: number): Buffer {
  bytes.writeUInt16BE(side, frameAt(bytes) + 5);
  bytes.writeUInt16BE(side, frameAt(bytes) + 7);
  return bytes;
}
