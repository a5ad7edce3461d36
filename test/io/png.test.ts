import { crc32, deflateSync } from 'node:zlib';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { encode } from 'fast-png';
import { expect, test } from 'vitest';
import { encodeLabelPng, encodePng, readPng } from '../../src/io/png.js';
import { tempFolder } from '../support/temp-folder.js';

function file(content: Uint8Array | string, name = 'a.png'): string {
  const at = path.join(tempFolder(), name);
  writeFileSync(at, content);
  return at;
}

const ramp = Uint8Array.from({ length: 3 * 5 * 3 }, (_, i) => i * 5);

test('an RGB image comes back as it was written, height and width not mixed up', async () => {
  const image = { data: ramp, height: 3, width: 5, bandCount: 3 };
  expect(await readPng(file(encodePng(image)))).toEqual(image);
});

test('16-bit grey keeps its numbers', async () => {
  const data = Uint16Array.of(0, 256, 65535, 1, 2, 3);
  expect(await readPng(file(encodePng({ data, height: 2, width: 3, bandCount: 1 })))).toEqual({
    data,
    height: 2,
    width: 3,
    bandCount: 1,
  });
});

test('a palette image is read as RGB', async () => {
  const palette = [
    [10, 20, 30],
    [40, 50, 60],
    [70, 80, 90],
  ] as [number, number, number][];
  const at = file(encode({ data: Uint8Array.of(2, 0, 1, 2), width: 4, height: 1, channels: 1, depth: 8 }));
  // the encoder writes no palettes: turn the grey image into one, with its chunk behind the header
  const bytes = readFileSync(at);
  writeFileSync(at, withPalette(bytes, palette));
  expect((await readPng(at)).data).toEqual(Uint8Array.of(70, 80, 90, 10, 20, 30, 40, 50, 60, 70, 80, 90));
});

test('samples of one bit are unpacked row by row', async () => {
  // 10 pixels a row: two bytes, six bits unused
  const data = Uint8Array.of(0b10110000, 0b01000000, 0b00000001, 0b10000000);
  const at = file(encode({ data, width: 10, height: 2, channels: 1, depth: 1 }));
  const { data: samples } = await readPng(at);
  expect([...samples]).toEqual([1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0]);
});

test('a label map survives writing; classes that do not fit are refused', async () => {
  const labels = { data: Int32Array.of(0, 1, 255, 7, 2, 3), height: 2, width: 3 };
  expect([...(await readPng(file(encodeLabelPng(labels)))).data]).toEqual([...labels.data]);
  expect(() => encodeLabelPng({ ...labels, data: Int16Array.of(-1, 0, 0, 0, 0, 0) })).toThrow(TypeError);
});

test.each<[string, Uint8Array | string, string, RegExp]>([
  ['an empty file', '', 'EMPTY_FILE', /empty/],
  ['an HTML page', '<!DOCTYPE html><html><body>Sign in</body></html>', 'NOT_A_RASTER', /HTML/],
  [
    'an LFS pointer',
    'version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 5\n',
    'NOT_A_RASTER',
    /LFS pointer/,
  ],
  ['a text', 'hello', 'NOT_A_RASTER', /no PNG/],
  ['zeros', new Uint8Array(1000), 'NOT_A_RASTER', /zeros/],
  [
    'a cut-off PNG',
    encodePng({ data: ramp, height: 3, width: 5, bandCount: 3 }).subarray(0, 60),
    'TRUNCATED',
    /cut off/,
  ],
])('%s is refused under its own code, named for what it is', async (_, content, code, reason) => {
  const at = file(content);
  await expect(readPng(at)).rejects.toMatchObject({
    code,
    where: at,
    message: expect.stringMatching(reason) as string,
  });
});

test('a changed byte is found by the checksum', async () => {
  const bytes = encodePng({ data: ramp, height: 3, width: 5, bandCount: 3 });
  bytes[50]! ^= 1;
  await expect(readPng(file(bytes))).rejects.toMatchObject({ code: 'CORRUPT_DATA' });
});

test('a header of a million by a million pixels is refused before memory is asked for', async () => {
  const bytes = Buffer.from(encodePng({ data: ramp, height: 3, width: 5, bandCount: 3 }));
  bytes.writeUInt32BE(1_000_000, 16);
  bytes.writeUInt32BE(1_000_000, 20);
  await expect(readPng(file(bytes))).rejects.toMatchObject({ code: 'TOO_LARGE' });
});

test('a missing file and a folder have codes of their own', async () => {
  await expect(readPng('/no/such.png')).rejects.toMatchObject({ code: 'FILE_MISSING' });
  await expect(readPng(tempFolder())).rejects.toMatchObject({ code: 'NOT_A_FILE' });
  await expect(readPng('/dev/zero')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
});

/** The same PNG with this behind the header instead of its pixels. */
function withChunks(png: Uint8Array, chunks: readonly (readonly [string, Uint8Array])[]): Buffer {
  const made = chunks.map(([type, content]) => {
    const chunk = Buffer.alloc(12 + content.length);
    chunk.writeUInt32BE(content.length, 0);
    chunk.write(type, 4, 'latin1');
    chunk.set(content, 8);
    writeCrc(chunk);
    return chunk;
  });
  return Buffer.concat([png.subarray(0, 33), ...made, png.subarray(-12)]);
}

const small = encodePng({ data: new Uint8Array(100), height: 10, width: 10, bandCount: 1 });
const zeros = deflateSync(new Uint8Array(200 * 2 ** 20), { level: 1 });
const pixels = deflateSync(new Uint8Array(110));

test.each<[string, [string, Uint8Array][], RegExp]>([
  ['pixels', [['IDAT', zeros]], /pixel data unpacks to more than 110 bytes/],
  [
    'pixels in two chunks',
    [
      ['IDAT', zeros.subarray(0, 5000)],
      ['IDAT', zeros.subarray(5000)],
    ],
    /pixel data unpacks/,
  ],
  [
    'pixels behind another chunk',
    [
      ['IDAT', pixels],
      ['tIME', new Uint8Array(7)],
      ['IDAT', zeros],
    ],
    /several places/,
  ],
  [
    'a colour profile',
    [
      ['iCCP', Buffer.concat([Buffer.from('a\0\0'), zeros])],
      ['IDAT', pixels],
    ],
    /colour profile unpacks/,
  ],
])('a small PNG whose %s unpack to 200 MB is refused without unpacking them', async (_, chunks, reason) => {
  const at = file(withChunks(small, chunks));
  const before = process.memoryUsage().rss;
  await expect(readPng(at)).rejects.toMatchObject({
    code: 'CORRUPT_DATA',
    message: expect.stringMatching(reason) as string,
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20); // half of what they would take
});

test('an interlaced PNG, whose rows are more and shorter, is read', async () => {
  // the seven passes of 10 × 10 pixels have 2, 2, 1, 3, 2, 5 and 5 rows: 100 pixels and 20 filter bytes
  const png = withChunks(small, [['IDAT', deflateSync(new Uint8Array(120))]]);
  png[28] = 1;
  writeCrc(png.subarray(8, 33));
  expect((await readPng(file(png))).data).toEqual(new Uint8Array(100));
});

function withPalette(png: Buffer, palette: readonly (readonly number[])[]): Buffer {
  const header = Buffer.from(png.subarray(8, 33));
  header[17] = 3; // colour type: palette
  writeCrc(header);
  const chunk = Buffer.alloc(12 + palette.length * 3);
  chunk.writeUInt32BE(palette.length * 3, 0);
  chunk.write('PLTE', 4, 'latin1');
  Buffer.from(palette.flat()).copy(chunk, 8);
  writeCrc(chunk);
  return Buffer.concat([png.subarray(0, 8), header, chunk, png.subarray(33)]);
}

function writeCrc(chunk: Buffer): void {
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
}
