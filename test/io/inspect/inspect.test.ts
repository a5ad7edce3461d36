import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { describers, type DescribedFormat } from '../../../src/io/inspect/describers.js';
import type { DescribeOptions, FileDescription } from '../../../src/io/inspect/description.js';
import { formatOf } from '../../../src/io/inspect/format-of.js';
import { root } from '../../support/needs.js';
import { tempFolder } from '../../support/temp-folder.js';

const fixture = (name: string): string => path.join(root, 'test/fixtures/cases', name);

async function describeFile(name: string, options: DescribeOptions = {}): Promise<FileDescription> {
  const format = (await formatOf(fixture(name))) as DescribedFormat;
  return (await describers[format]())(fixture(name), options);
}

describe('the kind of a file', () => {
  it.each([
    ['hdf5/types.hdf5', 'hdf5'],
    ['npy/uint8.npy', 'npy'],
    ['npy/bundle_deflated.npz', 'npz'],
    ['zarr/v3_zstd_missing_chunk.zarr', 'zarr'],
    ['tables/metadata_snappy.parquet', 'parquet'],
    ['tables/collection.taco', 'taco'],
    ['tables/labels_for_subsets.csv', 'csv'],
    ['hdf5/html_page.hdf5', 'hdf5'],
  ])('%s is %s', async (name, format) => {
    expect(await formatOf(fixture(name))).toBe(format);
  });

  it('is told by the content, whatever the name', async () => {
    const file = path.join(tempFolder(), 'image.npy');
    writeFileSync(file, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    expect(await formatOf(file)).toBe('raster');
    writeFileSync(file, 'PAR1');
    expect(await formatOf(file)).toBe('parquet');
  });
});

describe('descriptions', () => {
  it('show the tree of an HDF5 file, with links that are not followed', async () => {
    const { kind, parts } = await describeFile('hdf5/external_link.hdf5');
    expect(kind).toBe('HDF5');
    expect(parts).toMatchObject([
      { name: '/here', facts: { shape: [6], type: 'int64' }, bands: [{ min: 0, max: 5, mean: 2.5 }] },
      { name: '/there', kind: 'link to another file', facts: { target: '../outside.hdf5' } },
    ]);
  });

  it('show a hostile pickle as data, and say what it would do', async () => {
    const { parts } = await describeFile('hdf5/hostile_pickle.hdf5');
    expect(parts![0]).toMatchObject({ kind: 'pickle', facts: { names: ['posix.system'] } });
    expect(parts![0]!.notes!.join()).toContain('would run code');
  });

  it('name a part that cannot be read, and show the others', async () => {
    const { parts } = await describeFile('npy/bad_bundle_object_member.npz');
    expect(parts).toMatchObject([
      { name: 'good', bands: [{ count: 126 }] },
      { name: 'meta', facts: {}, notes: [expect.stringMatching(/^UNSAFE: /)] },
    ]);
  });

  it('show the containers inside a container', async () => {
    const { facts, parts } = await describeFile('tables/nested.tortilla', { maxParts: 2 });
    expect(facts).toMatchObject({ items: 4, splits: { train: 2, validation: 1, test: 1 } });
    expect(parts).toHaveLength(2);
    expect(parts![0]!.parts!.map(({ name }) => name)).toEqual(['image', 'label']);
  });

  it('show the columns of a table with their nulls and numbers', async () => {
    const { facts, parts } = await describeFile('tables/metadata_zstd.parquet');
    expect(facts).toMatchObject({ rows: 23, rowGroups: 3, codecs: ['ZSTD'] });
    const column = (name: string): FileDescription => parts!.find((part) => part.name === name)!;
    expect(column('value')).toMatchObject({
      facts: { type: 'DOUBLE', nulls: 5 },
      bands: [{ count: 17, nanCount: 1 }],
    });
    expect(column('big').facts['first']).toBe('9007199254740993');
  });

  it('show arrays of a store, a table and a list of numbers', async () => {
    expect((await describeFile('zarr/v2_missing_chunk_nan.zarr')).facts).toMatchObject({
      version: 2,
      fill: 'NaN',
      codecs: ['bytes', 'gzip'],
    });
    expect((await describeFile('tables/labels_for_subsets.csv')).facts).toMatchObject({
      rows: 200,
      columns: ['id', 'label'],
    });
    const { facts, bands } = await describeFile('npy/big_endian_fortran_i4.npy');
    expect(facts).toMatchObject({ shape: [2, 7, 9], dtype: '>i4', order: 'Fortran' });
    expect(bands).toMatchObject([{ min: 47, max: 199 }]);
  });

  it('show kinds and extent of places, in GeoParquet and GeoJSON', async () => {
    const folder = tempFolder();
    const point = (x: number, y: number): Uint8Array => {
      const bytes = Buffer.alloc(21);
      bytes.writeUInt8(1);
      bytes.writeUInt32LE(1, 1);
      bytes.writeDoubleLE(x, 5);
      bytes.writeDoubleLE(y, 13);
      return bytes;
    };
    const crs = { id: { authority: 'EPSG', code: 32633 } };
    const geo = { primary_column: 'place', columns: { place: { geometry_types: ['Point'], crs } } };
    const table = parquetWriteBuffer({
      columnData: [
        { name: 'place', data: [point(10, 45), point(12, 44)], type: 'BYTE_ARRAY' },
        { name: 'n', data: [1n, 2n], type: 'INT64' },
      ],
      kvMetadata: [{ key: 'geo', value: JSON.stringify(geo) }],
    });
    writeFileSync(path.join(folder, 'a.parquet'), new Uint8Array(table));
    const described = await (await describers.parquet())(path.join(folder, 'a.parquet'));
    expect(described).toMatchObject({ kind: 'GeoParquet', facts: { geometry: 'place', crs: 'EPSG:32633' } });
    expect(described.parts).toMatchObject([
      { name: 'place', facts: { geometries: { Point: 2 }, extent: [10, 44, 12, 45] } },
      { name: 'n', bands: [{ min: 1, max: 2 }] },
    ]);
    const feature = {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [1, 2] },
      properties: { name: 'a' },
    };
    const collection = { type: 'FeatureCollection', features: [feature, { ...feature, geometry: null }] };
    writeFileSync(path.join(folder, 'a.geojson'), JSON.stringify(collection));
    expect((await (await describers.geojson())(path.join(folder, 'a.geojson'))).facts).toEqual({
      features: 2,
      geometries: { Point: 1, 'no place': 1 },
      extent: [1, 2, 1, 2],
      crs: 'OGC:CRS84',
      properties: ['name'],
    });
  });

  it('leave the numbers unread when they are told to', async () => {
    expect((await describeFile('npy/c_order_f4.npy', { statistics: false })).bands).toBeUndefined();
    expect((await describeFile('npy/c_order_f4.npy', { maxBytes: 10 })).bands).toBeUndefined();
  });

  it('are plain JSON', async () => {
    for (const name of [
      'hdf5/types.hdf5',
      'tables/metadata_snappy.parquet',
      'zarr/v3_gzip_fill_infinity.zarr',
    ]) {
      const description = await describeFile(name);
      expect(JSON.parse(JSON.stringify(description))).toEqual(description);
    }
  });
});
