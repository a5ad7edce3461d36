import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../src/cli/commands/inspect.js';
import type { CommandResult, Options } from '../../../src/cli/command.js';
import { createNotices } from '../../../src/cli/notices.js';
import { root } from '../../support/needs.js';
import { tempFolder } from '../../support/temp-folder.js';

const fixture = (name: string): string => path.join(root, 'test/fixtures/cases', name);
const run = (file: string, options: Options = {}): Promise<CommandResult> =>
  inspect(
    {
      json: true,
      signal: new AbortController().signal,
      stderr: process.stderr,
      notices: createNotices(process.stderr),
      endsByItself: () => undefined,
    },
    [file],
    options,
  );

describe('gondwana inspect', () => {
  it('shows a raster as facts and a table of its bands', async () => {
    const { text, document } = await run(fixture('rasters/hls_scale_offset_nodata.tif'));
    expect(text).toMatch(/^crs +EPSG:32633$/m);
    expect(text).toMatch(/^nodata +-9999$/m);
    expect(text).toMatch(/^Blue +reflectance +3910 +50 +3365 /m);
    expect(JSON.parse(JSON.stringify(document))).toMatchObject({
      kind: 'GeoTIFF',
      facts: { shape: [60, 66, 6] },
      bands: [{ name: 'Blue', count: 3910 }, {}, {}, {}, {}, {}],
    });
  });

  it.each([
    ['hdf5/types.hdf5', /^kind +HDF5$/m, /^\/float16 {2}dataset, shape \[7, 9\], type float16$/m],
    ['npy/bundle_deflated.npz', /^kind +NPZ$/m, /shape \[/],
    ['zarr/v3_zstd_missing_chunk.zarr', /^kind +Zarr$/m, /^shape +\[30, 44\]$/m],
    ['tables/metadata_snappy.parquet', /^kind +Parquet$/m, /^rows +\d+$/m],
    ['tables/collection.taco', /^kind +TACO$/m, /^ {2}\S+ {2}item/m],
  ])('shows %s with what is in it', async (name, kind, part) => {
    const { text } = await run(fixture(name));
    expect(text).toMatch(kind);
    expect(text).toMatch(part);
  });

  it('shows the tensors of a weight file', async () => {
    const { text } = await run(
      path.join(root, 'test/fixtures/checkpoint/safetensors_all_dtypes/model.safetensors'),
    );
    expect(text).toMatch(/^kind +checkpoint$/m);
  });

  it('leaves the numbers out where they are not wanted', async () => {
    const { document } = await run(fixture('rasters/lzw_u8.tif'), { statistics: false });
    expect(document).toMatchObject({ bands: [{ name: 'band 1' }] });
    expect((document as { bands: object[] }).bands[0]).not.toHaveProperty('count');
  });

  it('fails as the reader of the format does', async () => {
    await expect(run(fixture('rasters/bad_html_page.tif'))).rejects.toMatchObject({ code: 'NOT_A_RASTER' });
    await expect(run(fixture('rasters/bad_empty.tif'))).rejects.toMatchObject({ code: 'EMPTY_FILE' });
    await expect(run(fixture('rasters'))).rejects.toMatchObject({ code: 'FORMAT_UNKNOWN' });
    await expect(run('/no/such/file.tif')).rejects.toMatchObject({ code: 'FILE_MISSING' });
  });

  it('says what else a file without a known ending is', async () => {
    const file = path.join(tempFolder(), 'download');
    writeFileSync(file, '<!DOCTYPE html><title>404</title>');
    await expect(run(file)).rejects.toMatchObject({
      code: 'FORMAT_UNKNOWN',
      message: expect.stringMatching(/HTML page/) as string,
    });
    writeFileSync(file, Uint8Array.of(7, 7, 7, 7));
    await expect(run(file)).rejects.toMatchObject({
      hint: expect.stringMatching(/TIFF.*safetensors/) as string,
    });
  });
});
