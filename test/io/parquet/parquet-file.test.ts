import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { MemorySource } from '../../../src/io/byte-source.js';
import { ParquetFile } from '../../../src/io/parquet/parquet-file.js';
import { readThrift, ThriftFault } from '../../../src/io/parquet/thrift.js';
import { root } from '../../support/needs.js';

const fixture = (name: string): string => path.join(root, 'test/fixtures/cases/tables', name);

const write = (
  columns: Parameters<typeof parquetWriteBuffer>[0]['columnData'],
  schema?: Parameters<typeof parquetWriteBuffer>[0]['schema'],
): MemorySource =>
  new MemorySource(
    new Uint8Array(parquetWriteBuffer({ columnData: columns, ...(schema && { schema }) })),
    'x.parquet',
  );

describe('Parquet files', () => {
  it('keep integers, decimals and times to their last digit', async () => {
    const source = write(
      [
        { name: 'big', data: [2n ** 62n + 1n, -1n] },
        { name: 'price', data: [1234567890123456.05, -0.1] },
        { name: 'when', data: [1n, -1n] },
      ],
      [
        { name: 'root', num_children: 3 },
        { name: 'big', type: 'INT64', repetition_type: 'REQUIRED' },
        {
          name: 'price',
          type: 'INT64',
          converted_type: 'DECIMAL',
          scale: 2,
          precision: 18,
          repetition_type: 'REQUIRED',
        },
        {
          name: 'when',
          type: 'INT64',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' },
          repetition_type: 'REQUIRED',
        },
      ] as never,
    );
    const file = await ParquetFile.open(source);
    expect(file.columns).toEqual([
      { name: 'big', type: 'INT64' },
      { name: 'price', type: 'INT64 (DECIMAL)' },
      { name: 'when', type: 'INT64 (TIMESTAMP)' },
    ]);
    expect(await file.column('big')).toEqual([2n ** 62n + 1n, -1n]);
    expect((await file.column('price'))[1]).toBe('-0.10');
    expect(await file.column('when')).toEqual([
      '1970-01-01T00:00:00.000000001Z',
      '1969-12-31T23:59:59.999999999Z',
    ]);
  });

  it('give rows as records, and only the columns that are asked for', async () => {
    const file = await ParquetFile.open(fixture('metadata_zstd.parquet'));
    const [first, second] = await file.rows({ columns: ['small', 'props', 'flag', 'labels'] });
    expect(first).toEqual({ small: 0, props: { crs: 'EPSG:32633', n: 0 }, flag: true, labels: [] });
    expect(second).toEqual({ small: 1, props: { crs: 'EPSG:32633', n: 1 }, flag: null, labels: [0] });
    await expect(file.column('nothing at all')).rejects.toMatchObject({ code: 'MISSING_COLUMN' });
    file.close();
  });

  it('refuse a page that claims more than it holds, before it is decoded', async () => {
    const bytes = readFileSync(fixture('metadata_snappy.parquet'));
    // the levels of the first page of "id": a run of eight, as a repeat of 2^27
    const at = bytes.indexOf(Buffer.of(2, 0, 0, 0, 16, 1));
    expect(at).toBeGreaterThan(0);
    const hostile = Buffer.concat([
      bytes.subarray(0, at),
      Buffer.of(2, 0, 0, 0, 0xfe, 1),
      bytes.subarray(at + 6),
    ]);
    const file = await ParquetFile.open(new MemorySource(hostile, 'x.parquet'));
    await expect(file.column('id')).rejects.toMatchObject({ code: 'CORRUPT_DATA' });
  });

  it.each([
    ['a page of a web server', Buffer.from('<!DOCTYPE html>'), 'NOT_PARQUET'],
    ['an encrypted table', Buffer.from('PARE....PARE'), 'UNSUPPORTED'],
    ['a file that ends early', Buffer.from('PAR1'), 'TRUNCATED'],
    ['a footer of nonsense', Buffer.from('PAR1abcdefgh\x08\0\0\0PAR1'), 'BAD_HEADER'],
    [
      'a footer that is nested without end',
      Buffer.concat([
        Buffer.from('PAR1'),
        Buffer.alloc(5000, 0x1c),
        Buffer.of(0x88, 0x13, 0, 0),
        Buffer.from('PAR1'),
      ]),
      'BAD_HEADER',
    ],
  ])('refuse %s', async (_, content, code) => {
    await expect(ParquetFile.open(new MemorySource(content, 'x.parquet'))).rejects.toMatchObject({ code });
  });
});

describe('structures of Thrift', () => {
  it('are never larger than their bytes', () => {
    // field 1: a list of 2^28 booleans
    expect(() => readThrift(Uint8Array.of(0x19, 0xf1, 0x80, 0x80, 0x80, 0x80, 1))).toThrow(ThriftFault);
    expect(readThrift(Uint8Array.of(0x15, 3, 0x11, 0, 99))).toEqual({
      value: new Map<number, unknown>([
        [1, -2],
        [2, true],
      ]),
      end: 4,
    });
  });
});
