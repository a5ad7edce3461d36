import { resolveEncoder } from '../encoders/register-encoder.js';
import { InputError } from '../errors.js';
import type { BandManifest, DatasetManifest } from '../manifests/dataset-manifest.js';
import { findBand, findSensorManifest } from '../manifests/sensor-manifest.js';
import type { RunDefinition } from '../results/run-record.js';
import { bandsBehind, spectralBands } from '../training/spectral-bands.js';

/** Which bands of a raster a run is shown, and as what. */
export interface RasterBands {
  /** Of the dataset. */
  readonly modality: string;
  /** Ids of the manifest. */
  readonly bands: readonly string[];
  /** Of each, its place in the raster. */
  readonly places: readonly number[];
}

export interface RasterFacts {
  /** Names of the bands as the file, or the user, gives them; null: none. Without the band of opacity. */
  readonly names: readonly (string | null)[];
  /** Of each of these bands, its place in the file. */
  readonly places: readonly number[];
  /** File that errors name. */
  readonly where: string;
}

/**
 * Finds the bands that a run needs: by their names, or other names of the same sensor; where none has such a name, by their
 * order, if the raster has as many as the dataset's images.
 * @throws InputError RASTER_BANDS
 */
export async function rasterBands(
  definition: Pick<RunDefinition, 'encoder' | 'settings'>,
  manifest: DatasetManifest,
  { names, places, where }: RasterFacts,
): Promise<RasterBands> {
  const modalities = Object.keys(manifest.modalities);
  for (const modality of modalities) {
    const needed = await neededBands(definition, manifest, modality);
    const found = needed.map((band) => placeOf(band, names, manifest.modalities[modality]!.sensor));
    if (needed.length > 0 && !found.includes(-1))
      return { modality, bands: needed.map(({ id }) => id), places: found.map((at) => places[at]!) };
  }
  const [modality, ...others] = modalities;
  const all = others.length === 0 && modality !== undefined ? bandsBehind(manifest, modality) : [];
  const isNamed = names.some(
    (name) => name !== null && all.some((band) => isBand(band, name, manifest, modality!)),
  );
  if (modality !== undefined && all.length === names.length && !isNamed)
    return { modality, bands: all.map(({ id }) => id), places };
  const wanted = await Promise.all(
    modalities.map(async (name) =>
      (await neededBands(definition, manifest, name)).map(({ id }) => id).join(', '),
    ),
  );
  const named = names.flatMap((name) => name ?? []);
  const given = named.length > 0 ? named.join(', ') : 'without names';
  throw new InputError(
    'RASTER_BANDS',
    `The raster has ${names.length} bands (${given}), and the run needs ${wanted.join(' or ')}.`,
    {
      where,
      hint: 'Name the bands of the raster in the order of the file, e.g. --bands red,green,blue.',
    },
  );
}

/** Bands of a modality that reach the encoder: all, unless it takes those of its checkpoint alone. */
async function neededBands(
  { encoder, settings }: Pick<RunDefinition, 'encoder' | 'settings'>,
  manifest: DatasetManifest,
  modality: string,
): Promise<readonly BandManifest[]> {
  const rule = settings['bands'];
  const own = bandsBehind(manifest, modality);
  if (rule === 'rgb') return spectralBands(manifest, modality, 'rgb');
  if (rule === 'adapt' || settings['encoderWeights'] === 'random') return own;
  const taken = Object.values((await resolveEncoder(encoder)).manifest.modalities).flatMap(
    ({ bands }) => bands,
  );
  const shared = own.filter((band) => taken.some((name) => isBand(band, name, manifest, modality)));
  return shared.length > 0 ? shared : own;
}

const isBand = ({ id }: BandManifest, name: string, manifest: DatasetManifest, modality: string): boolean => {
  if (id.toLowerCase() === name.toLowerCase()) return true;
  const sensor = findSensorManifest(manifest.modalities[modality]!.sensor);
  const known = sensor && findBand(sensor, id);
  return known !== undefined && findBand(sensor!, name) === known;
};

function placeOf({ id }: BandManifest, names: readonly (string | null)[], sensorId: string): number {
  const exact = names.findIndex((name) => name?.toLowerCase() === id.toLowerCase());
  if (exact >= 0) return exact;
  const sensor = findSensorManifest(sensorId);
  const known = sensor && findBand(sensor, id);
  return known ? names.findIndex((name) => name !== null && findBand(sensor, name) === known) : -1;
}
