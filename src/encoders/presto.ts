import { z } from 'zod';
import { tf, type Tensor2D, type Tensor3D, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import type { ForwardContext } from '../layers/layer.js';
import { defineEncoder } from './define-encoder.js';
import type { AcquisitionTime, BuiltEncoder, EncoderInput } from './encoder.js';
import { seriesOf } from './images.js';
import { missingInput, placesOf, timesOf } from './metadata.js';
import { buildPresto, type Presto } from './presto/model.js';

const count = z.int().positive();
const columns = z.array(z.int().nonnegative()).min(1);

const hyperparameters = z.strictObject({
  width: count.default(128),
  depth: count.default(2),
  heads: count.default(8),
  mlpRatio: z.number().positive().default(4),
  normEpsilon: z.number().positive().default(1e-5),
  /** Shares of the channels that say which band group and which month a token is of. */
  groupShare: z.number().positive().default(0.25),
  monthShare: z.number().positive().default(0.25),
  /** Longest series. */
  maxDates: count.default(24),
  /** Columns of a pixel's series by group, in the order of the checkpoint's group table. */
  bandGroups: z.record(z.string(), columns).default({
    S1: [0, 1],
    S2_RGB: [2, 3, 4],
    S2_Red_Edge: [5, 6, 7],
    S2_NIR_10m: [8],
    S2_NIR_20m: [9],
    S2_SWIR: [10, 11],
    ERA5: [12, 13],
    SRTM: [14, 15],
    NDVI: [16],
  }),
  /** Dynamic World's number for no class. */
  missingClass: count.default(9),
});

type Hyperparameters = z.infer<typeof hyperparameters>;

/** Columns that each image of a batch fills: VV, VH; B2 … B8A, B11, B12; temperature, rain; elevation, slope. */
const IMAGE_COLUMNS: Readonly<Record<string, readonly number[]>> = {
  sar: [0, 1],
  optical: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  era5: [12, 13],
  srtm: [14, 15],
};
const LAND_COVER = 'dynamic-world';
const NDVI = { column: 16, red: 4, nearInfrared: 8 };
const COLUMN_COUNT = 17;

/** Pixels that are encoded at once. */
const CHUNK = 2048;

/**
 * Presto (Tseng et al. 2023): a small transformer over the series of one pixel. Images are encoded pixel by pixel:
 * `sar`, `optical`, `era5`, `srtm` and `dynamic-world` (class numbers), whichever there are, in the training's scale;
 * the vegetation index is computed. It needs dates and places. The one feature has the image's resolution.
 */
export const presto = defineEncoder('presto', {
  hyperparameters,
  build: (scope, options) => asEncoder(buildPresto(scope, options), options),
  weights: { rename: [[/^encoder\.(.+)$/, '$1']], discard: [/^decoder\./] },
});

function asEncoder(model: Presto, options: Hyperparameters): BuiltEncoder {
  const forward = (input: EncoderInput, context: ForwardContext): Tensor4D => {
    const pixels = pixelSeries(input, options);
    const parts: Tensor2D[] = [];
    for (let from = 0; from < pixels.values.shape[0]; from += CHUNK) {
      parts.push(tf.tidy(() => model.pool(model.encode(chunkOf(pixels, from), context))));
    }
    const [batch, height, width] = pixels.shape;
    return tf.reshape(tf.concat(parts, 0), [batch, height, width, options.width]);
  };
  return {
    dates: 'any',
    features: [{ channels: options.width, stride: 1 }],
    forward: (input, context) => [forward(input, context)],
    embed: (input, context) => tf.mean(forward(input, context), [1, 2]),
  };
}

interface PixelSeries {
  /** Batch, height, width. */
  readonly shape: readonly [number, number, number];
  /** [pixel, date, band] */
  readonly values: Tensor3D;
  /** Of the 17 columns: true where no image fills it. */
  readonly isMissing: readonly boolean[];
  /** [pixel · date] */
  readonly landCover: ArrayLike<number>;
  readonly places: readonly { readonly latitude: number; readonly longitude: number }[];
  /** [batch][date] */
  readonly months: readonly (readonly number[])[];
}

function pixelSeries(input: EncoderInput, options: Hyperparameters): PixelSeries {
  const names = Object.keys(IMAGE_COLUMNS).filter((name) => Object.hasOwn(input.images, name));
  const given = names.map((name) => ({ name, series: seriesOf(input, name, IMAGE_COLUMNS[name]!.length) }));
  const longest = given.reduce<Tensor5D | undefined>(
    (best, { series }) => (best && best.shape[1] >= series.shape[1] ? best : series),
    undefined,
  );
  if (!longest) throw noImages(input);
  const [batch, dates, height, width] = longest.shape;
  checkDates(dates, options.maxDates);
  const shape = [batch, height, width] as const;
  const filled = new Map(given.map(({ name, series }) => [name, pixelRows(name, series, longest)]));
  const pixelCount = batch * height * width;
  const parts = Object.entries(IMAGE_COLUMNS).map(
    ([name, { length }]): Tensor3D => filled.get(name) ?? tf.zeros([pixelCount, dates, length]),
  );
  const known = tf.concat(parts, 2);
  const optical = filled.get('optical');
  const index = optical ? vegetationIndex(known) : tf.zerosLike(tf.slice(known, [0, 0, 0], [-1, -1, 1]));
  const isMissing = Array.from({ length: COLUMN_COUNT }, (_, column) => {
    const source = Object.entries(IMAGE_COLUMNS).find(([, filledBy]) => filledBy.includes(column));
    return !filled.has(source?.[0] ?? 'optical');
  });
  const times = timesOf(input, batch, dates);
  if (!times) throw missingInput('dates', 'times', 'Give the year and day of every date.');
  const places = placesOf(input, batch);
  if (!places) throw missingInput('places', 'places', 'Give latitude and longitude of every image.');
  return {
    shape,
    values: tf.concat([known, index], 2),
    isMissing,
    landCover: landCoverOf(input, longest, options),
    places,
    months: times.map((ofImage) => ofImage.map(monthOf)),
  };
}

function noImages({ images }: EncoderInput): InputError {
  return new InputError(
    'MODALITIES',
    `Presto takes ${Object.keys(IMAGE_COLUMNS).join(', ')}, and there are: ${Object.keys(images).join(', ') || 'none'}.`,
    { where: 'images', hint: 'Give one of these at least.' },
  );
}

function checkDates(dates: number, maxDates: number): void {
  if (dates <= maxDates) return;
  throw new InputError('TIME_STEPS', `The series have ${dates} dates, and the encoder takes ${maxDates}.`, {
    where: 'images',
    hint: 'Choose dates, one a month as in the training.',
  });
}

/** [batch, date, height, width, band] → [pixel, date, band]; one date is repeated where the others have more. */
function pixelRows(name: string, series: Tensor5D, like: Tensor5D): Tensor3D {
  const [batch, dates, height, width] = like.shape;
  const bands = series.shape[4];
  const fits = [0, 2, 3].every((axis) => series.shape[axis] === like.shape[axis]);
  if (!fits || (series.shape[1] !== dates && series.shape[1] !== 1)) {
    throw new InputError(
      'SHAPE_MISMATCH',
      `${name} is [${series.shape.join(', ')}], the longest series is [${like.shape.join(', ')}].`,
      { where: `images.${name}`, hint: 'Give all images the same pixels and dates, or one date.' },
    );
  }
  const whole = series.shape[1] === dates ? series : tf.tile(series, [1, dates, 1, 1, 1]);
  return tf.reshape(tf.transpose(whole, [0, 2, 3, 1, 4]), [batch * height * width, dates, bands]);
}

/** (B8 − B4) / (B8 + B4), 0 where both are 0. */
function vegetationIndex(values: Tensor3D): Tensor3D {
  const band = (column: number): Tensor3D => tf.slice(values, [0, 0, column], [-1, -1, 1]);
  const [red, infrared] = [band(NDVI.red), band(NDVI.nearInfrared)];
  return tf.divNoNan(tf.sub(infrared, red), tf.add(infrared, red));
}

function landCoverOf(
  input: EncoderInput,
  like: Tensor5D,
  { missingClass }: Hyperparameters,
): ArrayLike<number> {
  const [batch, dates, height, width] = like.shape;
  if (!Object.hasOwn(input.images, LAND_COVER))
    return new Int32Array(batch * height * width * dates).fill(missingClass);
  const classes = pixelRows(LAND_COVER, seriesOf(input, LAND_COVER, 1), like).dataSync();
  return classes.map((value) => (value >= 0 && value < missingClass ? Math.round(value) : missingClass));
}

const monthOf = ({ year, dayOfYear }: AcquisitionTime): number =>
  new Date(Date.UTC(year, 0, Math.floor(dayOfYear))).getUTCMonth();

/** The pixels from one on, as the model takes them. */
function chunkOf({ shape, values, isMissing, landCover, places, months }: PixelSeries, from: number) {
  const [pixels, dates] = values.shape;
  const size = Math.min(CHUNK, pixels - from);
  const perImage = shape[1] * shape[2];
  const imageOf = (pixel: number): number => Math.floor((from + pixel) / perImage);
  const indices = Array.from({ length: size }, (_, pixel) => pixel);
  return {
    values: tf.slice(values, [from, 0, 0], [size, -1, -1]),
    isMasked: Array.from({ length: size * dates * COLUMN_COUNT }, (_, i) => isMissing[i % COLUMN_COUNT]!),
    landCover: Array.prototype.slice.call(landCover, from * dates, (from + size) * dates) as number[],
    places: indices.map((pixel) => places[imageOf(pixel)]!),
    months: indices.flatMap((pixel) => months[imageOf(pixel)]!),
  };
}
