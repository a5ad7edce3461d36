import { describe, expect, it } from 'vitest';
import { matchBands } from '../../src/preprocessing/match-bands.js';
import { preprocess } from '../../src/preprocessing/preprocess.js';
import { codeOf, dataset, image, sample } from './sample.js';

const hls = dataset('hls-burn-scars');
const names = ['B2', 'B3', 'B4', 'B8A', 'B11', 'B12'];
const optical = image({ data: [2, 3, 4, 8, 11, 12], height: 1, width: 1, bands: names });
const match = (options: Parameters<typeof matchBands>[0]) =>
  preprocess(sample({ optical, extra: optical }), [matchBands(options)], { dataset: hls }).images;

describe('bands by name', () => {
  it('come in the order wanted; missing ones are masked zeros, modalities not named go', () => {
    const { optical: matched, extra } = match({ bands: { optical: ['B1', 'B4', 'B3', 'B12'] } });
    expect(extra).toBeUndefined();
    expect(matched!.bands).toEqual(['B1', 'B4', 'B3', 'B12']);
    expect([...matched!.data]).toEqual([0, 4, 3, 12]);
    expect([...matched!.valid!]).toEqual([0, 1, 1, 1]);
    expect(matched!.filledBands).toEqual(['B1']);
  });

  it('are known under the other names of the sensor', () => {
    const { optical: matched } = match({ bands: { optical: ['B04', 'B02'] } });
    expect([...matched!.data]).toEqual([4, 2]);
    expect(matched!.bands).toEqual(['B4', 'B2']); // the names of their statistics
    expect(matched!.valid).toBeNull();
  });

  it('are those that the reference takes for them where that known fault is on', () => {
    const channels = image({ data: [2, 3, 4], height: 1, width: 1, bands: ['B2', 'B3', 'B4'] });
    const reds = (isOn: boolean) =>
      preprocess(sample({ optical: channels }), [matchBands({ bands: { optical: ['B4', 'B3'] } })], {
        dataset: dataset('xview2', { 'band-names': isOn }),
      }).images.optical!;
    expect([...reds(false).data]).toEqual([4, 3]);
    expect([...reds(true).data]).toEqual([2, 3]);
  });

  it('can be dropped or be an error where they are missing', () => {
    const bands = { optical: ['B1', 'B4'] };
    expect(match({ bands, missing: 'drop' }).optical!.bands).toEqual(['B4']);
    expect(codeOf(() => match({ bands, missing: 'error' }))).toBe('BANDS_MISSING');
    expect(codeOf(() => match({ bands: { optical: ['B99'] } }))).toBe('BANDS_MISSING');
    expect(codeOf(() => match({ bands: { thermal: ['B10'] } }))).toBe('BANDS_MISSING');
    expect(codeOf(() => match({ bands: { optical: [] } }))).toBe('STEP_OPTION');
  });
});

describe('bands of a sensor without a manifest', () => {
  it('have no other names: those that are wanted under one are missing', () => {
    const own = dataset('hls-burn-scars', {}, (manifest) => ({
      ...manifest,
      modalities: { optical: { ...manifest.modalities.optical!, sensor: 'not said' } },
    }));
    const wanted = matchBands({ bands: { optical: ['B4', 'B04'] } });
    const { images } = preprocess(sample({ optical }), [wanted], { dataset: own });
    expect([...images.optical!.data]).toEqual([4, 0]);
  });
});

describe('bands by wavelength', () => {
  it('are the nearest, in nanometres or micrometres', () => {
    const { optical: matched } = match({
      by: 'wavelength',
      bands: {
        optical: [
          { name: 'red', nm: 655 },
          { name: 'blue', um: 0.482 },
          { name: 'nir', nm: 850 },
        ],
      },
    });
    expect([...matched!.data]).toEqual([4, 2, 8]);
    expect(matched!.bands).toEqual(['B4', 'B2', 'B8A']);
  });

  it('are missing where none is near enough', () => {
    const bands = {
      optical: [
        { name: 'thermal', um: 10.9 },
        { name: 'red', nm: 655 },
      ],
    };
    expect([...match({ by: 'wavelength', bands }).optical!.data]).toEqual([0, 4]);
    expect([...match({ by: 'wavelength', bands, within: 0.9 }).optical!.data]).toEqual([12, 4]);
  });

  it('need wavelengths on both sides', () => {
    expect(codeOf(() => match({ by: 'wavelength', bands: { optical: ['B4'] } }))).toBe('STEP_OPTION');
    const step = matchBands({ by: 'wavelength', bands: { optical: [{ name: 'red', nm: 655 }] } });
    expect(codeOf(() => preprocess(sample({ optical }), [step]))).toBe('WAVELENGTH_UNKNOWN');
  });
});
