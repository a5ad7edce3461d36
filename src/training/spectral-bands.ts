import type { BandManifest, DatasetManifest } from '../manifests/dataset-manifest.js';
import type { Protocol } from '../manifests/protocol-manifest.js';
import { findBand, findSensorManifest } from '../manifests/sensor-manifest.js';

/** Bands of one modality of a dataset, or of several joined by `+`, that a model can be given. */
export const bandsBehind = (
  { modalities }: Pick<DatasetManifest, 'modalities'>,
  names: string,
): readonly BandManifest[] =>
  names.split('+').flatMap((name) => modalities[name]!.bands.filter(({ isAuxiliary }) => !isAuxiliary));

/** Of C-band radar, 5.405 GHz: Sentinel-1's. Encoders of wavelengths tell radar by it. */
const C_BAND_NM = 55_465_766;

/** Centre wavelengths of these bands of a modality, or null where one is not known. */
export function wavelengthsOfBands(bands: readonly BandManifest[], sensor: string): readonly number[] | null {
  const isRadar = findSensorManifest(sensor)?.kind === 'radar';
  const known = bands.flatMap(({ wavelengthNm }) => wavelengthNm ?? (isRadar ? C_BAND_NM : []));
  return known.length === bands.length ? known : null;
}

/**
 * Bands that go into an encoder which takes any by their wavelengths: with `rgb` red, green and blue; else those whose
 * wavelength is known; where none is known, as of radar, all.
 */
export function spectralBands(
  manifest: Pick<DatasetManifest, 'modalities'>,
  names: string,
  rule: Protocol['bands'],
): readonly BandManifest[] {
  const own = bandsBehind(manifest, names);
  const known = own.filter(({ wavelengthNm }) => wavelengthNm !== null);
  if (rule !== 'rgb') return known.length > 0 ? known : own;
  const sensor = findSensorManifest(manifest.modalities[names.split('+')[0]!]!.sensor);
  return ['red', 'green', 'blue'].flatMap((colour) => {
    const wanted = sensor && findBand(sensor, colour);
    return own.filter(({ id }) => id === colour || (wanted && sensor && findBand(sensor, id) === wanted));
  });
}
