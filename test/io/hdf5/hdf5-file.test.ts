import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { MemorySource, partOf } from '../../../src/io/byte-source.js';
import { Hdf5File } from '../../../src/io/hdf5/hdf5-file.js';
import { readPickleAttribute } from '../../../src/io/pickle-attribute.js';
import { RunningStatistics } from '../../../src/io/statistics.js';
import { root } from '../../support/needs.js';
import { sharedData } from '../../support/shared-data.js';
import { tempFolder } from '../../support/temp-folder.js';

const fixture = (name: string): string => path.join(root, 'test/fixtures/cases/hdf5', name);

async function withFile<T>(name: string, use: (file: Hdf5File) => T): Promise<T> {
  const file = await Hdf5File.open(fixture(name));
  try {
    return use(file);
  } finally {
    file.close();
  }
}

/** What the index says of a chunk of two axes: bytes, no filter left out, place. */
function chunkKey(bytes: number, row: number, column: number): Buffer {
  const key = Buffer.alloc(32);
  key.writeUInt32LE(bytes, 0);
  key.writeBigUInt64LE(BigInt(row), 8);
  key.writeBigUInt64LE(BigInt(column), 16);
  return key;
}

/** Opens a fixture in which `found` is written over; without `instead`, the 16 bytes behind its head of 16 are zeros. */
async function withDamage(
  name: string,
  found: Buffer,
  instead: Buffer | undefined,
  use: (file: Hdf5File) => void,
): Promise<void> {
  const bytes = readFileSync(fixture(name));
  const at = bytes.indexOf(found);
  expect(at).toBeGreaterThan(0);
  if (instead) instead.copy(bytes, at);
  else bytes.fill(0, at + 16, at + 32);
  const file = await Hdf5File.open(new MemorySource(bytes, name));
  try {
    use(file);
  } finally {
    file.close();
  }
}

describe('HDF5 files', () => {
  it('list what they hold, links named', () =>
    withFile('layouts.hdf5', (file) => {
      expect(file.datasetPaths).toContain('/group/deep/er');
      expect(file.entries.find(({ path: at }) => at === '/soft')).toEqual({
        path: '/soft',
        kind: 'dataset',
        target: '/group/deep/er',
      });
      expect(file.has('group/deep')).toBe(true);
      expect(file.dataset('/chunked_edge')).toMatchObject({
        shape: [33, 41],
        type: 'int16',
        chunks: [8, 16],
        filters: ['shuffle', 'deflate', 'fletcher32'],
      });
    }));

  it.each(['/contiguous', '/chunked_edge', '/chunked_plain'])('read a part of %s as of the whole', (name) =>
    withFile('layouts.hdf5', (file) => {
      const whole = file.read(name).data;
      const part = file.read(name, { start: [5, 9], count: [20, 30] });
      expect(part.shape).toEqual([20, 30]);
      const due = Array.from(
        { length: 600 },
        (_, at) => whole[(5 + Math.floor(at / 30)) * 41 + 9 + (at % 30)],
      );
      expect(Array.from(part.data as ArrayLike<unknown>)).toEqual(due);
      expect(() => file.read(name, { start: [5, 9], count: [29, 30] })).toThrowError(
        expect.objectContaining({ code: 'SELECTION_OUTSIDE' }),
      );
    }),
  );

  it('read a part of a dataset packed with LZF', () =>
    withFile('filter_lzf.hdf5', (file) => {
      const whole = file.read('/x').data;
      const part = file.read('/x', { start: [3, 2], count: [9, 7] });
      const due = Array.from({ length: 63 }, (_, at) => whole[(3 + Math.floor(at / 7)) * 24 + 2 + (at % 7)]);
      expect(Array.from(part.data as ArrayLike<unknown>)).toEqual(due);
    }));

  it('keep attributes exact, and name what is not read', () =>
    withFile('types.hdf5', (file) => {
      expect(Object.fromEntries(file.attributes())).toEqual({
        text: 'blau',
        bytes: 'fixed',
        count: 7,
        list: [1, 2, 3],
      });
      expect(file.attribute('/', 'nothing')).toBeUndefined();
      expect(file.texts('/names').texts).toEqual(['blau', 'grün', 'naïve']);
    }));

  it('are read where they lie inside another file', async () => {
    const inner = readFileSync(fixture('types.hdf5'));
    const outer = Buffer.concat([Buffer.alloc(333, 7), inner, Buffer.alloc(50, 7)]);
    const source = partOf(new MemorySource(outer, 'a.bin'), 333, inner.length, 'a.bin » inner');
    const file = await Hdf5File.open(source);
    expect(Array.from(file.read('/int64_labels').data as ArrayLike<unknown>)).toEqual([
      -3n,
      4n,
      11n,
      18n,
      25n,
    ]);
    expect(() => file.read('/nothing')).toThrowError(
      expect.objectContaining({ code: 'MEMBER_MISSING', where: 'a.bin » inner' }),
    );
    file.close();
    expect(() => file.read('/int64_labels')).toThrowError(expect.objectContaining({ code: 'FILE_CLOSED' }));
  });

  it('open several at once', async () => {
    const files = await Promise.all(
      ['types.hdf5', 'layouts.hdf5', 'types.hdf5'].map((name) => Hdf5File.open(fixture(name))),
    );
    expect(files.map((file) => file.datasetPaths.length)).toEqual([11, 7, 11]);
    files[0]!.close();
    expect(files[2]!.read('/scalar').data[0]).toBe(1);
    files.slice(1).forEach((file) => file.close());
  });

  it.each(['filter_gzip_fletcher.hdf5', 'filter_lzf.hdf5'])(
    'say so when a chunk of %s is damaged, and print nothing',
    async (name) => {
      const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const bytes = readFileSync(fixture(name));
      const at = name.includes('gzip') ? bytes.indexOf(Buffer.of(0x78, 0x5e)) : 4976; // the chunk of `same`
      expect(at).toBeGreaterThan(0);
      bytes.fill(0xff, at + 2, at + 12);
      const file = await Hdf5File.open(new MemorySource(bytes, 'x.hdf5'));
      expect(() => file.datasetPaths.map((path) => file.read(path))).toThrowError(
        expect.objectContaining({ code: 'CORRUPT_DATA', where: expect.stringContaining('x.hdf5 » /') }),
      );
      file.close();
      expect(print).not.toHaveBeenCalled();
      print.mockRestore();
    },
  );

  it('read the numbers that were written through shuffle, deflate and a checksum', () =>
    withFile('layouts.hdf5', (file) => {
      const due = file.read('/contiguous'); // the same numbers in one piece
      expect(file.read('/chunked_edge').data).toEqual(due.data);
      expect(file.read('/chunked_plain').data).toEqual(due.data);
    }));

  it('refuse a chunk of another size than it should have: the library would hand out its own memory', async () => {
    const key = chunkKey(200, 20, 10);
    await withDamage('layouts.hdf5', key, chunkKey(0, 20, 10), (file) => {
      expect(() => file.read('/chunked_plain')).toThrowError(
        expect.objectContaining({
          code: 'CORRUPT_DATA',
          message: expect.stringContaining('0 bytes, not 200'),
        }),
      );
      expect(file.read('/chunked_plain', { start: [0, 0], count: [10, 10] }).data.length).toBe(100);
    });
    await withDamage('layouts.hdf5', key, chunkKey(200, 21, 10), (file) => {
      expect(() => file.read('/chunked_plain')).toThrowError(expect.objectContaining({ code: 'BAD_HEADER' }));
    });
  });

  it('say so when the list of their content is damaged, and do not take it for empty', () =>
    withDamage('filter_scaleoffset.hdf5', Buffer.from('HEAP'), Buffer.alloc(4), (file) => {
      expect(() => file.datasetPaths).toThrowError(expect.objectContaining({ code: 'BAD_HEADER' }));
    }));

  it('refuse texts of variable length whose sizes lead nowhere: the library would never come back', () =>
    withDamage('geobench_classification.hdf5', Buffer.from('GCOL'), undefined, (file) => {
      expect(() => file.attribute('/', 'pickle')).toThrowError(
        expect.objectContaining({ code: 'CORRUPT_DATA', message: expect.stringContaining('0 bytes') }),
      );
      expect(file.read('/02 - Blue').data.length).toBeGreaterThan(0); // the rest is read as before
    }));

  it('refuse an array above the limit before it is read', async () => {
    const file = await Hdf5File.open(fixture('layouts.hdf5'), { maxBytes: 100 });
    expect(() => file.read('/contiguous')).toThrowError(expect.objectContaining({ code: 'TOO_LARGE' }));
    expect(file.read('/contiguous', { start: [0, 0], count: [1, 41] }).data.length).toBe(41);
    file.close();
  });

  it('leave no file open behind them', async () => {
    const folder = tempFolder();
    const copy = path.join(folder, 'copy.hdf5');
    writeFileSync(copy, readFileSync(fixture('types.hdf5')).subarray(0, 4000));
    await expect(Hdf5File.open(copy)).rejects.toMatchObject({ code: 'TRUNCATED', where: copy });
    await expect(Hdf5File.open(path.join(folder, 'none.hdf5'))).rejects.toMatchObject({
      code: 'FILE_MISSING',
    });
  });
});

interface ExpectedBand {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly min?: number;
  readonly max?: number;
  readonly mean?: number;
  readonly std?: number;
  readonly histogram?: Readonly<Record<string, number>>;
}

describe.skipIf(!sharedData.isMet)('published samples of GEO-Bench', () => {
  const samples = sharedData.isMet
    ? Object.entries(sharedData.expected()).filter(([name]) => name.startsWith('geobench-hdf5/'))
    : [];

  it.each(samples)('%s has the published numbers', async (name, expected) => {
    const bands = expected as Readonly<Record<string, ExpectedBand>>;
    const file = await Hdf5File.open(sharedData.path(name));
    expect(file.datasetPaths.map((at) => at.slice(1)).sort()).toEqual(Object.keys(bands).sort());
    for (const [key, due] of Object.entries(bands)) {
      const { shape, type, data } = file.read(`/${key}`);
      expect({ shape, type }).toEqual({ shape: due.shape, type: due.dtype });
      const statistics = new RunningStatistics(!type.startsWith('float'));
      statistics.add(Array.from(data, Number));
      const found = statistics.result();
      for (const part of ['min', 'max', 'mean', 'std'] as const) {
        // they are given with seven digits
        if (due[part] !== undefined)
          expect(found[part]).toBeCloseTo(
            due[part],
            6 - Math.floor(Math.log10(Math.max(1, Math.abs(due[part])))) - 1,
          );
      }
      if (!due.histogram) continue;
      const histogram: Record<string, number> = {};
      for (const value of data) histogram[String(value)] = (histogram[String(value)] ?? 0) + 1;
      expect(histogram).toEqual(due.histogram);
    }
    const { dangerous } = readPickleAttribute(file);
    expect(dangerous).toEqual([]);
    file.close();
  });
});
