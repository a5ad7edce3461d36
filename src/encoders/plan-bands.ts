import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { InputError, nearest } from '../errors.js';
import type { EncoderManifest, EncoderModality } from '../manifests/encoder-manifest.js';
import { encoderSheet } from '../manifests/manifest-sheets.js';
import { findBand, readSensorManifest } from '../manifests/sensor-manifest.js';
import { describeBands, placesOf, selectBands, type BandChange } from './adapt-bands.js';
import type { BandLayer, EncoderFamily, WeightAdaptation } from './encoder.js';
import type { BandAdaptation, BandOptions } from './band-options.js';

/** An encoder for other bands than its checkpoint's. */
export interface BandPlan {
  /** With the bands of the images. */
  readonly manifest: EncoderManifest;
  readonly hyperparameters: Readonly<Record<string, unknown>>;
  readonly rules: readonly WeightAdaptation[];
  /** Names of the kernels whose second axis is bands. */
  readonly kernels: readonly RegExp[];
  /** What is to be done to the checkpoint's bands. */
  readonly changes: readonly BandAdaptation[];
  /** What was done, once weights are loaded: nothing where the file has the wanted bands already. */
  readonly adaptations: () => readonly BandAdaptation[];
  /** By modality: place of each of the model's bands among those of the images; −1: zeros. None: they are the same. */
  readonly arrange: Readonly<Record<string, readonly number[]>>;
}

/**
 * What has to change so that a family takes images of the wanted bands.
 * @param seed of random filters
 * @throws InputError MODALITIES, BANDS_NONE, BANDS_FIXED, BANDS_WAVELENGTH
 */
export function planBands(
  family: EncoderFamily,
  given: EncoderManifest,
  options: BandOptions & { readonly hyperparameters?: Readonly<Record<string, unknown>> | undefined },
  seed: number,
): BandPlan {
  const wanted = wantedBands(given, options.bands);
  let hyperparameters: Readonly<Record<string, unknown>> = {
    ...given.hyperparameters,
    ...options.hyperparameters,
  };
  const layers = family.bandLayers?.(hyperparameters) ?? [];
  const modalities: Record<string, EncoderModality> = { ...given.modalities };
  const rules: WeightAdaptation[] = [];
  const changes: BandAdaptation[] = [];
  const done: BandAdaptation[] = [];
  const arrange: Record<string, readonly number[]> = {};
  for (const [index, [modality, row]] of Object.entries(given.modalities).entries()) {
    const known = (index === 0 ? given.weights?.bands : undefined) ?? row.bands;
    const images = wanted[modality] ?? row.bands;
    if (images.join() === known.join() && images.join() === row.bands.join()) continue;
    modalities[modality] = { bands: images };
    if (known.length === 0) {
      if (family.isFrozenOnly) continue; // it is told no wavelengths
      const wavelengths = options.bandWavelengths?.[modality] ?? wavelengthsOf(images, options.sensor);
      modalities[modality] = { bands: images, wavelengths };
      continue;
    }
    const change = changeOf({ known, taken: row.bands, images, modality }, options, given, seed);
    const places = placesOf({ from: images, to: change.to, ...sensorOf(options) });
    if (places.length !== images.length || places.some((place, band) => place !== band))
      arrange[modality] = places;
    const isOther = change.to.join() !== known.join() || known.join() !== row.bands.join();
    const layer = layers.find((one) => (one.modality ?? modality) === modality);
    const description = describeBands(modality, change, images);
    changes.push(description);
    const onDone = (): unknown => done.push(description);
    if (isOther && !layer) throw fixed(given, modality, known);
    if (isOther && layer) {
      hyperparameters = { ...hyperparameters, ...layer.withBands(change.to.length) };
      rules.push(ruleOf(layer, change, onDone));
    } else onDone();
  }
  const kernels = layers.map(({ kernel }) => kernel);
  const isOther = rules.length > 0 || wanted !== NONE;
  return {
    ...{ hyperparameters, rules, kernels, arrange, changes },
    manifest: isOther ? adapted(given, modalities, options.sensor) : given,
    adaptations: () => done,
  };
}

const NONE: Readonly<Record<string, readonly string[]>> = {};

/** By modality. @throws InputError MODALITIES, BANDS_NONE */
function wantedBands(
  { id, modalities }: EncoderManifest,
  bands: BandOptions['bands'],
): Readonly<Record<string, readonly string[]>> {
  if (bands === undefined) return NONE;
  const names = Object.keys(modalities);
  const wanted = isList(bands) ? { [names[0]!]: bands } : bands;
  for (const [modality, list] of Object.entries(wanted)) {
    if (!names.includes(modality)) {
      const guess = nearest(modality, names);
      throw new InputError('MODALITIES', `${id} has no modality ${modality}.`, {
        where: `bands.${modality}`,
        hint: `${guess ? `Did you mean "${guess}"? ` : ''}It takes ${names.join(', ')}.`,
      });
    }
    if (list.length > 0) continue;
    throw new InputError('BANDS_NONE', `No bands are named for ${modality}.`, {
      where: `bands.${modality}`,
      hint: 'Name at least one, in the order of the images.',
    });
  }
  return wanted;
}

const isList = (bands: NonNullable<BandOptions['bands']>): bands is readonly string[] => Array.isArray(bands);

interface ModalityBands {
  readonly modality: string;
  /** Of the checkpoint. */
  readonly known: readonly string[];
  /** Of the encoder as its manifest has it: those of the checkpoint, or more. */
  readonly taken: readonly string[];
  readonly images: readonly string[];
}

/** @throws InputError BANDS_NONE where the model would take none */
function changeOf(
  { modality, known, taken, images }: ModalityBands,
  { newBands, missingBands = 'drop', ...options }: BandOptions,
  { id, weights }: EncoderManifest,
  seed: number,
): BandChange {
  const initial = newBands === 'ignore' ? undefined : newBands;
  const named = { newBands: initial ?? weights?.newBands ?? 'random', seed, ...sensorOf(options) } as const;
  const own = newBands === 'ignore' ? taken : known;
  const places = placesOf({ from: own, to: images, ...named });
  const shared = images.filter((_, index) => places[index] !== -1);
  const added = newBands === 'ignore' ? [] : images.filter((_, index) => places[index] === -1);
  if (shared.length + added.length === 0) {
    throw new InputError('BANDS_NONE', `${id} takes none of the bands ${images.join(', ')} of ${modality}.`, {
      where: `bands.${modality}`,
      hint: `It takes ${own.join(', ')}. Correct the names, or let new bands start at random: newBands: "random".`,
    });
  }
  if (missingBands === 'zero') return { from: known, to: [...own, ...added], ...named };
  return { from: known, to: newBands === 'ignore' ? shared : images, ...named };
}

const sensorOf = ({ sensor }: BandOptions): { readonly sensor?: string } =>
  sensor === undefined ? {} : { sensor };

const ruleOf = (
  { kernel, order = 'band-first' }: BandLayer,
  change: BandChange,
  onDone: () => unknown,
): WeightAdaptation => ({
  match: kernel,
  adapt(given, modelShape) {
    const changed = selectBands(given, modelShape, { ...change, order });
    if (changed !== given) onDone();
    return changed;
  },
});

/** The numbers that the checkpoint was trained with, for the bands that have them; else they are not known. */
function adapted(
  given: EncoderManifest,
  modalities: EncoderManifest['modalities'],
  sensor: string | undefined,
): EncoderManifest {
  const { weights } = given;
  const [before, after] = [given, { modalities }].map(({ modalities: rows }) => Object.values(rows)[0]);
  const from = weights?.bands ?? before?.bands ?? [];
  const places = placesOf({ from, to: after?.bands ?? [], ...(sensor !== undefined && { sensor }) });
  const input =
    weights?.input && from.length > 0 && !places.includes(-1)
      ? {
          ...weights.input,
          mean: places.map((place) => weights.input!.mean[place]!),
          standardDeviation: places.map((place) => weights.input!.standardDeviation[place]!),
        }
      : null;
  return showAs<EncoderManifest>(
    { ...given, modalities, weights: weights && { ...weights, input } },
    { bundle: (manifest) => sheetBundle(encoderSheet(manifest)) },
  );
}

/** @throws InputError BANDS_WAVELENGTH */
function wavelengthsOf(bands: readonly string[], sensor = 'sentinel-2'): number[] {
  const known = readSensorManifest(sensor);
  return bands.map((name, index) => {
    const nm = findBand(known, name)?.wavelengthNm;
    if (nm !== undefined && nm !== null) return nm;
    throw new InputError('BANDS_WAVELENGTH', `The wavelength of ${name} is not known.`, {
      where: `bands[${index}], sensor ${sensor}`,
      hint: 'Name the sensor whose band it is (`sensor`), or leave `bands` out and give `wavelengths` with the samples.',
    });
  });
}

const fixed = ({ id }: EncoderManifest, modality: string, known: readonly string[]): InputError =>
  new InputError('BANDS_FIXED', `${id} takes the bands ${known.join(', ')} of ${modality}, and no others.`, {
    where: `bands.${modality}`,
    hint: 'Leave `bands` out: `encoderSteps` brings a sample to the bands of the encoder, zeros in the place of those it lacks.',
  });
