import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { MemorySource } from '../../../src/io/byte-source.js';
import { readGeoTiff } from '../../../src/io/geotiff.js';
import { Hdf5File } from '../../../src/io/hdf5/hdf5-file.js';
import { RunningStatistics } from '../../../src/io/statistics.js';
import { readTacoItems, TacoFile, type TacoItem } from '../../../src/io/taco/taco-file.js';
import { root } from '../../support/needs.js';
import { sharedData } from '../../support/shared-data.js';

interface Item {
  readonly id: string;
  readonly data: Uint8Array;
  readonly offset?: bigint;
}

/** A container in memory; `change` may spoil its header. */
function container(items: readonly Item[], change: (bytes: Buffer) => void = () => undefined): MemorySource {
  let at = 200;
  const offsets = items.map(({ data, offset }) => offset ?? BigInt((at += data.length) - data.length));
  const table = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'tortilla:id', data: items.map(({ id }) => id) },
        { name: 'tortilla:file_format', data: items.map(() => 'text') },
        { name: 'tortilla:offset', data: offsets, type: 'INT64' },
        { name: 'tortilla:length', data: items.map(({ data }) => BigInt(data.length)), type: 'INT64' },
      ],
    }),
  );
  const head = Buffer.alloc(200);
  head.write('#y');
  const body = Buffer.concat(items.map(({ data }) => data));
  head.writeBigUInt64LE(BigInt(200 + body.length), 2);
  head.writeBigUInt64LE(BigInt(table.length), 10);
  const bytes = Buffer.concat([head, body, table]);
  change(bytes);
  return new MemorySource(bytes, 'a.taco');
}
const hello = Buffer.from('hello');

describe('TACO containers', () => {
  it('give their items as bytes of their own', async () => {
    const file = await TacoFile.open(
      container([
        { id: 'a', data: Buffer.from('xyz') },
        { id: 'b', data: hello },
      ]),
    );
    const item = file.item('b');
    expect(item).toMatchObject({ format: 'text', split: null, offset: 203, length: 5, where: 'a.taco » b' });
    expect(Buffer.from(item.source.read(0, 5)).toString()).toBe('hello');
    expect(() => item.source.read(1, 5)).toThrowError(expect.objectContaining({ code: 'TRUNCATED' }));
    expect(() => file.item('c')).toThrowError(
      expect.objectContaining({ code: 'MEMBER_MISSING', hint: 'It has a, b.' }),
    );
  });

  it.each([
    ['an absolute id', '/etc/x'],
    ['an id of another drive', 'C:x'],
    ['an id that climbs', 'a/../../x'],
    ['an id that climbs the other way', 'a\\..\\x'],
    ['an id with a control letter', 'a\nb'],
  ])('refuse %s', async (_, id) => {
    await expect(TacoFile.open(container([{ id, data: hello }]))).rejects.toMatchObject({ code: 'UNSAFE' });
  });

  it.each([
    ['an item inside the header', container([{ id: 'a', data: hello, offset: 20n }]), 'BAD_HEADER'],
    ['an item beyond 2^53', container([{ id: 'a', data: hello, offset: 2n ** 60n }]), 'BAD_HEADER'],
    ['an item past the end', container([{ id: 'a', data: hello, offset: 9999n }]), 'TRUNCATED'],
    [
      'a table inside the header',
      container([{ id: 'a', data: hello }], (bytes) => bytes.writeBigUInt64LE(4n, 2)),
      'BAD_HEADER',
    ],
    [
      'a table past the end',
      container([{ id: 'a', data: hello }], (bytes) => bytes.writeBigUInt64LE(2n ** 63n, 10)),
      'TRUNCATED',
    ],
    ['a header that is cut off', new MemorySource(Buffer.from('#y123'), 'a.taco'), 'TRUNCATED'],
    ['an empty file', new MemorySource(new Uint8Array(0), 'a.taco'), 'EMPTY_FILE'],
  ])('refuse %s', async (_, source, code) => {
    await expect(TacoFile.open(source)).rejects.toMatchObject({
      code,
      where: expect.stringContaining('a.taco'),
    });
  });

  it('inside each other count from their own start', async () => {
    const bytes = readFileSync(path.join(root, 'test/fixtures/cases/tables/nested.tortilla'));
    const [sample] = await readTacoItems(new MemorySource(bytes, 'n.tortilla'));
    const [image] = await readTacoItems(sample!.source);
    expect(image).toMatchObject({ id: 'image', offset: 200, where: 'n.tortilla » sample_000 » image' });
    expect(Buffer.from(image!.source.read(0, 2)).toString()).toBe('II');
  });
});

interface ExpectedBand {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly std: number;
}
interface ExpectedRaster {
  /** [band, row, column], or [time, band, row, column]. */
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bands: readonly ExpectedBand[];
}
interface ExpectedContainer {
  readonly splits: Readonly<Record<string, number>>;
  readonly ids: readonly string[];
  readonly firstRow: Readonly<Record<string, ExpectedRaster>>;
}

const samples = sharedData.isMet
  ? Object.entries(sharedData.expected()).filter(([name]) => name.startsWith('geobench2-tortilla/'))
  : [];

describe.skipIf(!sharedData.isMet)('published containers of GEO-Bench-2', () => {
  it.each(samples)('%s has the published samples and numbers', async (name, given) => {
    const expected = given as ExpectedContainer;
    const file = await TacoFile.open(sharedData.path(name));
    expect(file.items.map(({ id }) => id)).toEqual(expected.ids);
    const splits: Record<string, number> = {};
    for (const { split } of file.items) splits[split!] = (splits[split!] ?? 0) + 1;
    expect(splits).toEqual(expected.splits);
    const inner = await readTacoItems(file.items[0]!.source);
    expect(inner.map(({ id }) => id)).toEqual(Object.keys(expected.firstRow));
    let compared = 0;
    for (const item of inner) compared += await compareItem(item, expected.firstRow[item.id]!);
    expect(compared).toBeGreaterThan(0);
    file.close();
  });
});

/** @returns how many bands or arrays were compared */
async function compareItem(item: TacoItem, due: ExpectedRaster): Promise<number> {
  if (item.format === 'GTiff') {
    const { data, height, width, bandCount, type } = await readGeoTiff(item.source);
    expect({ shape: [bandCount, height, width], dtype: type }).toEqual({
      shape: due.shape,
      dtype: due.dtype,
    });
    due.bands.forEach((band, index) => compareNumbers(Array.from(data), band, index, bandCount));
    return due.bands.length;
  }
  if (item.format !== 'HDF5') return 0;
  const file = await Hdf5File.open(item.source);
  const { shape, type, data } = file.read(file.datasetPaths[0]!);
  file.close();
  expect({ shape, dtype: type }).toEqual({ shape: due.shape, dtype: due.dtype });
  const pixels = shape.at(-1)! * shape.at(-2)!;
  const values = Array.from(data, Number);
  due.bands.forEach((band, index) => {
    const own = values.filter((_, at) => Math.floor(at / pixels) % due.bands.length === index);
    compareNumbers(own, band, 0, 1);
  });
  return due.bands.length;
}

function compareNumbers(values: readonly number[], due: ExpectedBand, start: number, stride: number): void {
  const statistics = new RunningStatistics(values.every(Number.isInteger));
  statistics.add(values, null, start, stride);
  const found = statistics.result();
  // they are given with seven digits
  for (const part of ['min', 'max', 'mean', 'std'] as const)
    expect(Math.abs(found[part]! - due[part])).toBeLessThanOrEqual(
      1e-6 * Math.max(1e-3, Math.abs(due[part])),
    );
}
