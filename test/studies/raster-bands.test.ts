import { describe, expect, it } from 'vitest';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { rasterBands } from '../../src/studies/raster-bands.js';

const where = 'a.tif';
const crowns = readDatasetManifest('neon-crown-boxes');
const find = (names: readonly (string | null)[], settings = {}, manifest = crowns) =>
  rasterBands({ encoder: 'efficientnet-lite0', settings }, manifest, {
    ...{ names, where },
    places: names.map((_, at) => at + 1), // another band lies in front
  });

describe('the bands of a raster that a run is shown', () => {
  it('are found by their names, whatever their case and order, others are left out', async () => {
    expect(await find(['nir', 'Blue', 'green', 'RED'])).toEqual({
      ...{ modality: 'optical', bands: ['red', 'green', 'blue'] },
      places: [4, 3, 2],
    });
  });

  it('are found by other names of the same sensor', async () => {
    const burns = readDatasetManifest('hls-burn-scars');
    const own = Object.values(burns.modalities)[0]!.bands.map(({ id }) => id);
    const found = await rasterBands({ encoder: 'prithvi-v1-100m', settings: {} }, burns, {
      ...{ names: ['swir', ...own].toReversed(), where },
      places: [...own, ''].map((_, at) => at),
    });
    expect(found.bands).toEqual(own);
    expect(found.places).toEqual(own.map((_, at) => own.length - 1 - at));
  });

  it('are taken by their order where they have no names, if there are as many', async () => {
    expect((await find([null, null, null])).places).toEqual([1, 2, 3]);
  });

  it('are refused where one is missing, or names say something else', async () => {
    for (const names of [['red', 'green', 'nir'], [null, null], ['red'], ['green', 'red', null]])
      await expect(find(names)).rejects.toMatchObject({ code: 'RASTER_BANDS', where });
  });

  it('are those of the checkpoint alone where the encoder takes no others', async () => {
    const cashew = readDatasetManifest('gb2-everwatch');
    await expect(find(['red', 'green', 'blue'], {}, cashew)).resolves.toMatchObject({ places: [1, 2, 3] });
    const burns = readDatasetManifest('hls-burn-scars');
    const names = ['B2', 'B3', 'B4'];
    const of = (settings: object) => find(names, settings, burns);
    // EfficientNet-Lite0 sees red, green and blue of six bands, unless it is adapted to all
    expect((await of({})).places).toEqual([1, 2, 3]);
    await expect(of({ bands: 'adapt' })).rejects.toMatchObject({ code: 'RASTER_BANDS' });
    await expect(of({ encoderWeights: 'random' })).rejects.toMatchObject({ code: 'RASTER_BANDS' });
  });
});
