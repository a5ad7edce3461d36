import { describe, expect, it } from 'vitest';
import { parseNpy } from '../../src/io/npy.js';

function npy(header: string, body: Uint8Array, version = 1): Uint8Array {
  const text = Buffer.from(`${header}\n`, 'latin1');
  const length = version === 1 ? Buffer.alloc(2) : Buffer.alloc(4);
  if (version === 1) length.writeUInt16LE(text.length);
  else length.writeUInt32LE(text.length);
  return Buffer.concat([Buffer.from('\x93NUMPY', 'latin1'), Buffer.from([version, 0]), length, text, body]);
}
const bytes = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

describe('npy files', () => {
  it('give shape and numbers, little-endian', () => {
    const file = npy(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
      bytes(Float32Array.of(1, 2, 3, 4, 5, 6)),
    );
    expect(parseNpy(file, 'a.npy')).toEqual({ shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) });
  });

  it('give big-endian numbers as numbers', () => {
    const file = npy(
      "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }",
      Uint8Array.of(1, 0, 255, 254),
      2,
    );
    expect(parseNpy(file, 'a.npy').data).toEqual(Int16Array.of(256, -2));
  });

  it('widen half precision', () => {
    const file = npy(
      "{'descr': '<f2', 'fortran_order': False, 'shape': (), }",
      bytes(Uint16Array.of(0x3e00)),
    );
    expect(parseNpy(file, 'a.npy')).toEqual({ shape: [], data: Float32Array.of(1.5) });
  });

  it.each([
    ['another file', Buffer.from('<!doctype html>'), 'NPY_MALFORMED'],
    [
      'a body that is too short',
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }", new Uint8Array(8)),
      'NPY_MALFORMED',
    ],
    [
      'a shape beyond memory',
      npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 99999999), }", new Uint8Array(8)),
      'NPY_MALFORMED',
    ],
    [
      'objects',
      npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", new Uint8Array(8)),
      'NPY_UNSUPPORTED',
    ],
    [
      'Fortran order',
      npy("{'descr': '<i4', 'fortran_order': True, 'shape': (1, 2), }", new Uint8Array(8)),
      'NPY_UNSUPPORTED',
    ],
  ])('refuse %s', (_, file, code) => {
    expect(() => parseNpy(file, 'a.npy')).toThrowError(expect.objectContaining({ code, where: 'a.npy' }));
  });
});
