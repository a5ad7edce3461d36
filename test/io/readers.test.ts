import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as readers from '../../src/io/readers.js';
import { encodePng } from '../../src/io/png.js';
import { fixture } from '../support/fixture-copy.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeTiff } from '../support/tiff-writer.js';

const pixels = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);

describe('the readers that users get', () => {
  it('read a raster whole, by window and bands, and many in order', async () => {
    const folder = tempFolder();
    const files = ['a.tif', 'b.tif'].map((name) => path.join(folder, name));
    for (const file of files) writeFileSync(file, writeTiff(pixels, { height: 3, width: 2, bands: 2 }));
    expect((await readers.readGeoTiff(files[0]!)).data).toEqual(pixels);
    const window = { row: 1, column: 1, height: 2, width: 1 };
    const part = await readers.readGeoTiff(files[0]!, { window, bands: [1] });
    expect([...part.data]).toEqual([8, 12]);
    const open = await readers.openGeoTiff(files[0]!);
    expect(open.info).toMatchObject({ height: 3, width: 2, bandCount: 2 });
    open.close();
    let count = 0;
    for await (const { data } of readers.readGeoTiffs(files)) {
      expect(data).toEqual(pixels);
      count++;
    }
    expect(count).toBe(2);
  });

  it('read PNG, CSV and GeoJSON', async () => {
    const folder = tempFolder();
    const png = path.join(folder, 'a.png');
    writeFileSync(png, encodePng({ data: pixels, height: 2, width: 2, bandCount: 3 }));
    expect((await readers.readPng(png)).data).toEqual(pixels);
    const csv = path.join(folder, 'a.csv');
    writeFileSync(csv, 'id,label\n1,water\n');
    expect((await readers.readCsv(csv)).rows).toEqual([['1', 'water']]);
    const geo = path.join(folder, 'a.geojson');
    writeFileSync(geo, '{"type":"Point","coordinates":[1,2]}');
    expect((await readers.readGeoJson(geo)).features).toHaveLength(1);
  });

  it('open containers and files of benchmarks', async () => {
    const taco = await readers.openTaco(path.join(fixture('geobench2/caffe'), 'geobench_caffe.tortilla'));
    expect(taco.items.length).toBeGreaterThan(1);
    taco.close();
    const folder = fixture('geobench/m-eurosat/classification_v1.0/m-eurosat');
    const hdf5 = await readers.openHdf5(path.join(folder, 'id_0000.hdf5'));
    expect(hdf5.datasetPaths.length).toBeGreaterThan(10);
    hdf5.close();
    const metadata = await readers.readNpy(path.join(fixture('pangaea/pastis'), 'DATA_S2', 'S2_10000.npy'));
    expect(metadata.shape).toHaveLength(4);
  });

  it('name what a file is that is of another kind', async () => {
    const file = path.join(tempFolder(), 'page.tif');
    writeFileSync(file, '<!doctype html><title>Sign in</title>');
    await expect(readers.readGeoTiff(file)).rejects.toMatchObject({ code: 'NOT_A_RASTER' });
    await expect(readers.openHdf5(file)).rejects.toMatchObject({ code: 'NOT_HDF5' });
    await expect(readers.readParquet(file)).rejects.toMatchObject({ code: 'NOT_PARQUET' });
    await expect(readers.openTaco(file)).rejects.toMatchObject({ code: 'NOT_TACO' });
    await expect(readers.openZarr(path.dirname(file))).rejects.toMatchObject({ code: 'NOT_ZARR' });
    await expect(readers.openNpz(file)).rejects.toMatchObject({
      code: expect.stringMatching(/ZIP|NOT_/) as string,
    });
    await expect(readers.readJpeg(file)).rejects.toMatchObject({ code: 'NOT_A_RASTER' });
  });
});
