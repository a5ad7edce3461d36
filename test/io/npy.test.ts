import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseNpy, readNpy, readNpyTexts } from '../../src/io/npy.js';
import { plainNumbers } from '../../src/io/numeric-array.js';
import { tempFolder } from '../support/temp-folder.js';

function npy(header: string, body: Uint8Array, version = 1): Uint8Array {
  const text = Buffer.from(`${header}\n`, 'latin1');
  const length = version === 1 ? Buffer.alloc(2) : Buffer.alloc(4);
  if (version === 1) length.writeUInt16LE(text.length);
  else length.writeUInt32LE(text.length);
  return Buffer.concat([Buffer.from('\x93NUMPY', 'latin1'), Buffer.from([version, 0]), length, text, body]);
}
const bytes = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
const header = (descr: string, shape: string, isFortran = false): string =>
  `{'descr': '${descr}', 'fortran_order': ${isFortran ? 'True' : 'False'}, 'shape': ${shape}, }`;

describe('npy files', () => {
  it('give shape, type and numbers, little-endian', () => {
    const file = npy(header('<f4', '(2, 3)'), bytes(Float32Array.of(1, 2, 3, 4, 5, 6)));
    expect(parseNpy(file, 'a.npy')).toEqual({
      shape: [2, 3],
      type: 'float32',
      isBigEndian: false,
      data: Float32Array.of(1, 2, 3, 4, 5, 6),
    });
  });

  it('give big-endian numbers as numbers', () => {
    const file = npy(header('>i2', '(2,)'), Uint8Array.of(1, 0, 255, 254), 2);
    expect(parseNpy(file, 'a.npy')).toMatchObject({ isBigEndian: true, data: Int16Array.of(256, -2) });
  });

  it('widen half precision', () => {
    const file = npy(header('<f2', '()'), bytes(Uint16Array.of(0x3e00)));
    expect(parseNpy(file, 'a.npy')).toMatchObject({ shape: [], type: 'float16', data: Float32Array.of(1.5) });
  });

  it('turn Fortran order into C order, over three axes', () => {
    // logical [2, 3, 2] with element [i, j, k] = 100 i + 10 j + k, first axis fastest
    const stored = [0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121];
    const file = npy(header('>i2', '(2, 3, 2)', true), bytes(Int16Array.from(stored)));
    const { shape, data } = parseNpy(
      npy(header('<i2', '(2, 3, 2)', true), bytes(Int16Array.from(stored))),
      'a.npy',
    );
    expect(shape).toEqual([2, 3, 2]);
    expect([...data]).toEqual([0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121]);
    expect(parseNpy(file, 'a.npy').data[1]).toBe(256); // the 1 of [0, 0, 1], its bytes turned round
  });

  it('keep 64-bit integers whole, and refuse to round them', () => {
    const { data } = parseNpy(
      npy(header('<i8', '(2,)'), bytes(BigInt64Array.of(2n ** 53n + 1n, -7n))),
      'a.npy',
    );
    expect(data).toEqual(BigInt64Array.of(9007199254740993n, -7n));
    expect(() => plainNumbers(data, 'a.npy')).toThrowError(
      expect.objectContaining({
        code: 'PRECISION_LOSS',
        message: expect.stringContaining('9007199254740993'),
      }),
    );
    expect(plainNumbers(data.subarray(1), 'a.npy')).toEqual(Float64Array.of(-7));
  });

  it('read texts when asked for them', async () => {
    const folder = tempFolder();
    const letters = Uint32Array.from([...'ab\0'].map((letter) => letter.codePointAt(0)!));
    writeFileSync(path.join(folder, 'u.npy'), npy(header('<U3', '(1,)'), bytes(letters)));
    writeFileSync(path.join(folder, 's.npy'), npy(header('|S2', '(2,)'), Buffer.from('x\0yz')));
    expect(readNpyTexts(path.join(folder, 'u.npy'))).toEqual({ shape: [1], texts: ['ab'] });
    expect(readNpyTexts(path.join(folder, 's.npy'))).toEqual({ shape: [2], texts: ['x', 'yz'] });
    await expect(readNpy(path.join(folder, 'u.npy'))).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });

  it.each([
    ['an empty file', new Uint8Array(0), 'EMPTY_FILE'],
    ['a page of a web server', Buffer.from('<!doctype html>'), 'NOT_NPY'],
    ['a body that is too short', npy(header('<f4', '(9,)'), new Uint8Array(8)), 'TRUNCATED'],
    ['a body that is too long', npy(header('<f4', '(1,)'), new Uint8Array(8)), 'CORRUPT_DATA'],
    ['a shape beyond memory', npy(header('<f4', '(99999999, 99999999)'), new Uint8Array(8)), 'TRUNCATED'],
    ['a negative axis', npy(header('<f4', '(-1,)'), new Uint8Array(8)), 'BAD_HEADER'],
    [
      'a header that is code',
      npy(header('<f4', "(__import__('os').getpid(),)"), new Uint8Array(8)),
      'BAD_HEADER',
    ],
    ['a header nested without end', npy('['.repeat(5000), new Uint8Array(8)), 'BAD_HEADER'],
    ['a header cut off', npy(header('<f4', '(1,)'), new Uint8Array(0)).subarray(0, 30), 'TRUNCATED'],
    ['objects', npy(header('|O', '(1,)'), new Uint8Array(8)), 'UNSAFE'],
    ['complex numbers', npy(header('<c8', '(1,)'), new Uint8Array(8)), 'UNSUPPORTED'],
    ['extended floats', npy(header('<f16', '(1,)'), new Uint8Array(16)), 'UNSUPPORTED'],
    ['a format to come', npy(header('<f4', '(1,)'), new Uint8Array(4), 9), 'UNSUPPORTED'],
  ])('refuse %s', (_, file, code) => {
    expect(() => parseNpy(file, 'a.npy')).toThrowError(expect.objectContaining({ code, where: 'a.npy' }));
  });

  it('refuse an array above the limit before it is read', async () => {
    const folder = tempFolder();
    const file = path.join(folder, 'a.npy');
    writeFileSync(file, npy(header('<f8', '(4,)'), new Uint8Array(32)));
    await expect(readNpy(file, { maxBytes: 31 })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});
