import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseMetadata } from '../../../src/io/zarr/metadata.js';
import { ZarrArray } from '../../../src/io/zarr/zarr-array.js';
import { root } from '../../support/needs.js';
import { tempFolder } from '../../support/temp-folder.js';

const fixture = (name: string): string => path.join(root, 'test/fixtures/cases/zarr', name);

/** A store of version 2 with one array, and its chunks by name. */
function store(meta: Record<string, unknown>, chunks: Record<string, Uint8Array> = {}): string {
  const folder = tempFolder();
  const plain = {
    zarr_format: 2,
    shape: [4],
    chunks: [4],
    dtype: '<i4',
    compressor: null,
    fill_value: 0,
    order: 'C',
    filters: null,
  };
  writeFileSync(path.join(folder, '.zarray'), JSON.stringify({ ...plain, ...meta }));
  for (const [name, bytes] of Object.entries(chunks)) writeFileSync(path.join(folder, name), bytes);
  return folder;
}
const four = new Uint8Array(Int32Array.of(1, -2, 3, 4).buffer);

describe('Zarr arrays', () => {
  it.each(['v2_big_endian_f_order.zarr', 'v3_zstd_missing_chunk.zarr'])(
    'read a part of %s as of the whole',
    async (name) => {
      const array = ZarrArray.open(fixture(name));
      const whole = (await array.read()).data;
      const part = await array.read({ start: [7, 11], count: [20, 30] });
      const due = Array.from(
        { length: 600 },
        (_, at) => whole[(7 + Math.floor(at / 30)) * 44 + 11 + (at % 30)],
      );
      expect(Array.from(part.data as ArrayLike<unknown>)).toEqual(due);
      await expect(array.read({ start: [11, 11], count: [20, 30] })).rejects.toMatchObject({
        code: 'SELECTION_OUTSIDE',
      });
    },
  );

  it('widen half floats and booleans, their fill values too', async () => {
    const half = store(
      { dtype: '<f2', fill_value: 0.25, shape: [4], chunks: [2] },
      { 0: Uint8Array.of(0, 0x3c, 0, 0xc0) },
    );
    expect(await ZarrArray.open(half).read()).toMatchObject({
      type: 'float16',
      data: Float32Array.of(1, -2, 0.25, 0.25),
    });
    const bool = store({ dtype: '|b1', fill_value: true, chunks: [2] }, { 0: Uint8Array.of(0, 1) });
    expect(await ZarrArray.open(bool).read()).toMatchObject({
      type: 'bool',
      data: Uint8Array.of(0, 1, 1, 1),
    });
  });

  it('keep a fill value beyond 2^53, and NaN as Python writes it', async () => {
    expect(
      parseMetadata(
        '{"a": 1152921504606846977, "b": [NaN, -Infinity], "c": "NaN 12345678901234567890"}',
        'x',
      ),
    ).toEqual({
      a: '1152921504606846977',
      b: ['NaN', '-Infinity'],
      c: 'NaN 12345678901234567890',
    });
    const folder = store({ dtype: '<i8', shape: [1], chunks: [1] });
    writeFileSync(
      path.join(folder, '.zarray'),
      '{"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "<i8", "compressor": null, "fill_value": 1152921504606846977, "order": "C", "filters": null}',
    );
    expect((await ZarrArray.open(folder).read()).data).toEqual(BigInt64Array.of(1152921504606846977n));
  });

  it('stop when they are told to', async () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(
      ZarrArray.open(fixture('v2_missing_chunk_nan.zarr')).read(undefined, { signal: stop.signal }),
    ).rejects.toThrow('enough');
  });

  it.each([
    ['a chunk that is too short', { 0: four.subarray(0, 8) }, {}, 'CORRUPT_DATA'],
    ['a chunk that is too long', { 0: Buffer.concat([four, four]) }, {}, 'CORRUPT_DATA'],
    [
      'a chunk that unpacks to far more',
      { 0: gzipSync(Buffer.alloc(2 ** 24)) },
      { compressor: { id: 'gzip' } },
      'CORRUPT_DATA',
    ],
    ['a chunk that is no gzip', { 0: four }, { compressor: { id: 'gzip' } }, 'CORRUPT_DATA'],
    ['a zstd frame that is damaged', { 0: four }, { compressor: { id: 'zstd' } }, 'CORRUPT_DATA'],
    [
      'a blosc block that claims too much',
      { 0: Buffer.alloc(32, 255) },
      { compressor: { id: 'blosc' } },
      'CORRUPT_DATA',
    ],
    ['an unknown codec', { 0: four }, { compressor: { id: 'secret' } }, 'UNSUPPORTED'],
    ['one huge chunk', {}, { shape: [50_000, 50_000], chunks: [50_000, 50_000] }, 'TOO_LARGE'],
    [
      'a large array of a store that holds nothing',
      {},
      { shape: [20_000, 20_000], chunks: [100, 100] },
      'TOO_LARGE',
    ],
  ])('refuse %s', async (_, chunks, meta, code) => {
    const folder = store(meta, chunks as Record<string, Uint8Array>);
    await expect(ZarrArray.open(folder).read()).rejects.toMatchObject({ code, where: folder });
  });

  it.each([
    ['texts', { dtype: '<U4' }, 'UNSUPPORTED'],
    ['dates', { dtype: '<M8[D]' }, 'UNSUPPORTED'],
    ['objects', { dtype: '|O' }, 'UNSAFE'],
    ['a pickle filter', { filters: [{ id: 'pickle' }] }, 'UNSAFE'],
    ['an axis below zero', { shape: [-4] }, 'BAD_HEADER'],
    ['chunks of no size', { chunks: [0] }, 'BAD_HEADER'],
    ['chunks of another rank', { chunks: [2, 2] }, 'BAD_HEADER'],
    ['a fill value that the type cannot hold', { dtype: '|u1', fill_value: 300 }, 'BAD_HEADER'],
  ])('refuse %s on opening', (_, meta, code) => {
    expect(() => ZarrArray.open(store(meta))).toThrowError(expect.objectContaining({ code }));
  });

  it('do not follow links out of the store', async () => {
    const folder = store({ dtype: '|u1' });
    const outside = path.join(tempFolder(), 'secret');
    writeFileSync(outside, 'abcd');
    symlinkSync(outside, path.join(folder, '0'));
    await expect(ZarrArray.open(folder).read()).rejects.toMatchObject({ code: 'UNSAFE' });
    expect(() => ZarrArray.open(folder, '../x')).toThrowError(expect.objectContaining({ code: 'NOT_ZARR' }));
  });

  it('are found inside of groups, and named where they are not', async () => {
    const folder = tempFolder();
    cpSync(fixture('v3_gzip_fill_infinity.zarr'), path.join(folder, 'a/b'), { recursive: true });
    mkdirSync(path.join(folder, 'a/c'));
    for (const group of ['', 'a'])
      writeFileSync(path.join(folder, group, 'zarr.json'), '{"zarr_format": 3, "node_type": "group"}');
    expect(ZarrArray.open(folder, 'a/b').shape).toEqual([30, 44]);
    expect(() => ZarrArray.open(folder)).toThrowError(
      expect.objectContaining({ code: 'NOT_ZARR', hint: 'Name one of a, a/b.' }),
    );
  });
});
