import { tf, type Tensor3D } from '../../engine/tf.js';
import type { ForwardContext } from '../../layers/layer.js';
import { ones, type Scope } from '../../layers/parameters.js';
import type { EncoderInput } from '../encoder.js';
import { missingInput, placesOf, timesOf } from '../metadata.js';
import { placeFeatures, timeFeatures, type SpaceTimeGrid } from './positions.js';

export interface CoordinateOptions {
  readonly width: number;
  /** What the variant was trained to know of an image. */
  readonly coordinates: readonly ('time' | 'location')[];
  /** Dates in one patch. */
  readonly datesPerPatch: number;
  /** What happens where the batch does not bring them. */
  readonly missingMetadata: 'refuse' | 'leave-out';
  /** Whether the dates of one patch keep a share of its tokens each, in place of their mean for all. */
  readonly splitsPatches: boolean;
}

/**
 * What is added to patch tokens for dates and places, each times a learned factor.
 * @returns tokens [batch, time · row · column, width] → the same
 * @throws InputError INPUT_MISSING, METADATA_INVALID
 */
export function coordinateEncoding(
  scope: Scope,
  options: CoordinateOptions,
): (tokens: Tensor3D, grid: SpaceTimeGrid, input: EncoderInput, context: ForwardContext) => Tensor3D {
  const { coordinates, missingMetadata, width } = options;
  const factorOf = (name: string) => scope.child(name).parameter('factor', [1], ones, 'table');
  const timeFactor = coordinates.includes('time') ? factorOf('temporal_embed_enc') : undefined;
  const placeFactor = coordinates.includes('location') ? factorOf('location_embed_enc') : undefined;
  const refuses = missingMetadata === 'refuse';

  return (tokens, grid, input, context) => {
    let x = tokens;
    const batch = tokens.shape[0];
    if (timeFactor) {
      const times = timesOf(input, batch, grid[0] * options.datesPerPatch);
      if (times) {
        const encoding = tf.mul(timeFeatures(times, width), timeFactor) as Tensor3D;
        context.observe?.('temporal_encoding', encoding);
        x = tf.add(x, perToken(encoding, grid, options));
      } else if (refuses) throw missingInput('dates', 'times', 'Give the year and day of every image.');
    }
    if (placeFactor) {
      const places = placesOf(input, batch);
      if (places) {
        const encoding = tf.mul(placeFeatures(places, width), placeFactor) as Tensor3D;
        context.observe?.('location_encoding', encoding);
        x = tf.add(x, encoding);
      } else if (refuses)
        throw missingInput('places', 'places', 'Give latitude and longitude of every image.');
    }
    return x;
  };
}

/** [batch, date, width] → [batch, time · row · column, width] */
function perToken(
  encoding: Tensor3D,
  [steps, rows, columns]: SpaceTimeGrid,
  { datesPerPatch, splitsPatches }: CoordinateOptions,
): Tensor3D {
  const [batch, dates, width] = encoding.shape;
  const tokens = rows * columns;
  if (splitsPatches) {
    const share = Math.floor((steps * tokens) / dates);
    return repeatRows(encoding, share);
  }
  const ofPatches = tf.mean<Tensor3D>(tf.reshape(encoding, [batch, steps, datesPerPatch, width]), 2);
  return repeatRows(ofPatches, tokens);
}

/** Every row so many times, [batch, row, width] → [batch, row · count, width]. */
export function repeatRows(x: Tensor3D, count: number): Tensor3D {
  const [batch, rows, width] = x.shape;
  return tf.reshape(tf.tile(tf.expandDims(x, 2), [1, 1, count, 1]), [batch, rows * count, width]);
}
