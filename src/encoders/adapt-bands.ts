import { InputError } from '../errors.js';
import { findBand, readSensorManifest } from '../manifests/sensor-manifest.js';
import { createRandom } from '../random.js';
import type { WeightArray } from './encoder.js';
import type { BandAdaptation, NewBands } from './band-options.js';

export interface BandChange {
  /** Bands of the checkpoint, in its order. */
  readonly from: readonly string[];
  /** Bands of the model. */
  readonly to: readonly string[];
  /** Default `random`. */
  readonly newBands?: NewBands;
  /** Order of the numbers behind one output: `band-first` [band, …taps], as convolutions have it, or [tap, band]. */
  readonly order?: BandOrder;
  /** Of random values; default 0. */
  readonly seed?: number;
  /** Whose other names of bands count, so that `red` is `B4`. Default `sentinel-2`. */
  readonly sensor?: string;
}

export type BandOrder = 'band-first' | 'band-last';

/** Place of each wanted band among those of the checkpoint; −1: it is new. */
export function placesOf({ from, to, sensor = 'sentinel-2' }: BandChange): number[] {
  const known = readSensorManifest(sensor);
  const names = from.map((name) => findBand(known, name)?.name);
  return to.map((name) => {
    const same = from.indexOf(name);
    const band = same === -1 ? findBand(known, name)?.name : undefined;
    return band === undefined ? same : names.indexOf(band);
  });
}

/**
 * What a change does, in words.
 * @param images bands of the images
 */
export function describeBands(
  modality: string,
  change: BandChange,
  images: readonly string[],
): BandAdaptation {
  const { from, to, newBands = 'random', sensor } = change;
  const places = placesOf(change);
  const taken = placesOf({ from: images, to, ...(sensor !== undefined && { sensor }) });
  const added = to.filter((_, index) => places[index] === -1);
  return {
    ...{ modality, from, to, added },
    kept: to.filter((_, index) => places[index] !== -1),
    dropped: from.filter((_, place) => !places.includes(place)),
    zeros: to.filter((_, index) => taken[index] === -1),
    ignored: images.filter((_, place) => !taken.includes(place)),
    newBands: added.length > 0 ? newBands : null,
  };
}

/**
 * The kernel of a first layer for other bands: a band that the checkpoint knows keeps its filters at its new place, the
 * others start as `newBands` says, bands that are not wanted are left out. A kernel of another band count than the
 * checkpoint's stays as it is.
 * @param given [out, …], bands as `order` says
 * @param modelShape the same with the model's bands
 * @throws InputError BANDS_RGB for `mean-of-rgb` where the checkpoint has no red, green and blue
 */
export function selectBands(
  given: WeightArray,
  modelShape: readonly number[],
  change: BandChange,
): WeightArray {
  const { from, to, order = 'band-first', newBands = 'random', seed = 0 } = change;
  const outputs = given.shape[0]!;
  const taps = given.data.length / (outputs * from.length);
  const size = outputs * to.length * taps;
  const expected = modelShape.reduce((product, length) => product * length, 1);
  const isOther = given.shape.length > 2 && given.shape[1] !== from.length;
  if (isOther || !Number.isInteger(taps) || size !== expected || from.join() === to.join()) return given;
  const places = placesOf(change);
  const random = createRandom(seed).split('new bands');
  // Glorot & Bengio 2010: ±√(6 / (fan-in + fan-out))
  const bound = Math.sqrt(6 / (to.length * taps + outputs));
  const rgb = newBands === 'mean-of-rgb' && places.includes(-1) ? rgbOf(change) : [];
  const data = new Float32Array(size);
  const at = (bands: number, output: number, band: number, tap: number): number =>
    output * bands * taps + (order === 'band-first' ? band * taps + tap : tap * bands + band);
  for (let output = 0; output < outputs; output++) {
    const filter = (source: number, tap: number): number => given.data[at(from.length, output, source, tap)]!;
    for (const [band, source] of places.entries()) {
      for (let tap = 0; tap < taps; tap++) {
        data[at(to.length, output, band, tap)] =
          source !== -1
            ? filter(source, tap)
            : rgb.length > 0
              ? rgb.reduce((sum, color) => sum + filter(color, tap), 0) / rgb.length
              : (2 * random.uniform() - 1) * bound;
      }
    }
  }
  return { data, shape: modelShape };
}

/** Places of red, green and blue. @throws InputError BANDS_RGB */
function rgbOf({ from, sensor }: BandChange): number[] {
  const places = placesOf({ from, to: ['red', 'green', 'blue'], ...(sensor !== undefined && { sensor }) });
  if (!places.includes(-1)) return places;
  throw new InputError('BANDS_RGB', `The checkpoint has no red, green and blue: ${from.join(', ')}.`, {
    where: 'newBands',
    hint: 'Let new bands start at random: newBands: "random".',
  });
}
