import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runRasterCase } from '../../../src/parity/cases/rasters.js';
import { root } from '../../support/needs.js';

interface Case {
  readonly file: string;
  readonly [name: string]: unknown;
}

const folder = path.join(root, 'test/fixtures/cases');
const { cases } = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as { cases: Case[] };
const rasters = cases.filter(({ file }) => file.startsWith('rasters/'));
const run = (entry: Case): Promise<string | undefined> =>
  runRasterCase(path.join(folder, entry.file), entry as never);
const named = (name: string): Case => rasters.find(({ file }) => file === `rasters/${name}.tif`)!;

describe('input cases: rasters', () => {
  it.each(rasters.map((entry) => [entry.file, entry] as const))('%s', async (_, entry) => {
    expect(await run(entry)).toBeUndefined();
  });
});

describe('the judge of rasters', () => {
  it.each<[string, object, RegExp]>([
    ['hls_scale_offset_nodata', { nodata: 0 }, /nodata is -9999, not 0/],
    ['hls_scale_offset_nodata', { scaled: { band1Mean: 0.33 } }, /scaled mean is 0\.336/],
    ['s2_named_bands_odd_order', { pick: { bands: ['B04'], means: [1] } }, /mean of B04 is 3126/],
    ['rotated', { transform: [10, 0, 500_000, 0, -10, 4_000_000] }, /the transform is \[8\.66/],
    ['crs_without_epsg', { crs: { epsg: 3035 } }, /crs is \{"epsg":null\}/],
    ['gcps_only', { gcps: [] }, /control points is/],
    ['overviews_only', { overviews: [] }, /overviews is \[\[48,55\],\[24,28\]\]/],
    ['three_pages', { pageSizes: [[14, 18]] }, /page sizes/],
    ['alpha_band', { alphaBand: 3 }, /alpha band is 4, not 3/],
    ['labels_with_ignore', { histogram: { 0: 1591 } }, /histogram is/],
    ['time_series_time_major', { cube: { shape: [4, 3, 24, 28], means: [] } }, /shape of the series/],
    ['geobench_band_pickle_tag', { pickle: { globals: [], class: 'plain data' } }, /names in the pickle/],
    ['bad_ifd_loop', { errorKind: 'TRUNCATED' }, /TRUNCATED is due, but: BAD_HEADER/],
  ])('%s with another answer fails', async (name, other, reason) => {
    expect(await run({ ...named(name), ...other })).toMatch(reason);
  });

  it('looks at every pixel that the case names, and at its validity', async () => {
    const entry = named('nodata_zero_text') as Case & { pixels: { values: number[]; valid: boolean[] }[] };
    const wrong = (pixel: object): Case => ({ ...entry, pixels: [{ ...entry.pixels[0], ...pixel }] });
    expect(await run(wrong({ values: [4001] }))).toMatch(/row 0, column 0, band 1 is 0, not 4001/);
    expect(await run(wrong({ valid: [true] }))).toMatch(/is hidden, which is wrong/);
  });
});
