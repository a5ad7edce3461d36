import { InputError } from '../errors.js';
import { placeIn } from '../io/format-error.js';
import type { NpyArray } from '../io/npy.js';
import { plainNumbers } from '../io/numeric-array.js';
import type { LabelArray, PixelArray } from '../io/raster.js';
import { sampleImage } from './image.js';
import type { SampleImage, StoredType } from './sample.js';

/** Time, band, row and column of an array, slowest first: `tbyx` is [time, band, height, width]. */
export type Axes = 'tbyx' | 'byx' | 'byxt';

export interface ArrayImageParts {
  readonly axes: Axes;
  /** Ids of the array's bands from its first on; what it has beyond them is left out. */
  readonly bands: readonly string[];
  /** Time steps by place, in the order wanted. Default: all as they lie. */
  readonly steps?: readonly number[];
  /** One a chosen time step. Default: null each. */
  readonly dates?: readonly (string | null)[];
  /** Values that mean "no value here"; NaN always does. */
  readonly invalidValues?: readonly number[];
  /** File that errors name. */
  readonly where: string;
}

/**
 * An image, [time, height, width, band], of an array whose axes lie otherwise.
 * @throws InputError ARRAY_SHAPE where the array has other axes or too few bands
 */
export function imageOfArray(array: NpyArray, parts: ArrayImageParts): SampleImage {
  const { axes, bands, steps, where, ...rest } = parts;
  const { shape } = array;
  const size = (axis: string): number => (axes.includes(axis) ? (shape[axes.indexOf(axis)] ?? 0) : 1);
  if (shape.length !== axes.length || size('b') < bands.length) {
    throw new InputError(
      'ARRAY_SHAPE',
      `The array is [${shape.join(', ')}], and [${describeAxes(axes, bands.length)}] is wanted.`,
      { where, hint: 'The file is not the one of the release, or was converted with other axes.' },
    );
  }
  const stride = (axis: string): number =>
    axes.includes(axis)
      ? shape.slice(axes.indexOf(axis) + 1).reduce((product, next) => product * next, 1)
      : 0;
  const [height, width] = [size('y'), size('x')];
  const [overRows, overColumns, overBands] = [stride('y'), stride('x'), stride('b')];
  const times = steps ?? Array.from({ length: size('t') }, (_, time) => time);
  const from = plainNumbers(array.data, where);
  const data = new (from.constructor as new (length: number) => PixelArray)(
    times.length * height * width * bands.length,
  );
  for (const [time, step] of times.entries()) {
    for (let band = 0; band < bands.length; band++) {
      const start = step * stride('t') + band * overBands;
      let to = time * height * width * bands.length + band;
      for (let row = 0; row < height; row++) {
        for (let column = 0, at = start + row * overRows; column < width; column++, at += overColumns) {
          data[to] = from[at]!;
          to += bands.length;
        }
      }
    }
  }
  const storedType: StoredType = array.type === 'bool' ? 'uint8' : array.type;
  return sampleImage({ storedType, ...rest, data, bands, timeCount: times.length, height, width }, where);
}

const AXIS_NAMES: Readonly<Record<string, string>> = { t: 'time', y: 'height', x: 'width' };

const describeAxes = (axes: Axes, bandCount: number): string =>
  [...axes].map((axis) => AXIS_NAMES[axis] ?? `${bandCount} or more bands`).join(', ');

/**
 * A label map of an array [height, width], or of one plane of an array [plane, height, width].
 * @throws InputError ARRAY_SHAPE for other axes; LABEL_UNREADABLE for fractions and numbers beyond 32 bits
 */
export function labelsOfArray(array: NpyArray, where: string, plane?: number): LabelArray {
  const { shape } = array;
  const isPlane = plane !== undefined && shape.length === 3 && plane < shape[0]!;
  if (plane === undefined ? shape.length !== 2 : !isPlane) {
    const wanted = plane === undefined ? 'height, width' : `${plane + 1} or more planes, height, width`;
    throw new InputError('ARRAY_SHAPE', `The labels are [${shape.join(', ')}], and [${wanted}] is wanted.`, {
      where,
      hint: 'The file is not the label map of the release, or was converted with other axes.',
    });
  }
  const [height, width] = shape.slice(-2) as [number, number];
  const stored = plainNumbers(array.data, where);
  const data = new Int32Array(height * width);
  const start = (plane ?? 0) * data.length;
  for (let i = 0; i < data.length; i++) {
    const value = stored[start + i]!;
    data[i] = value;
    if (data[i] === value) continue;
    throw new InputError('LABEL_UNREADABLE', `The label map holds ${value}, which is no class.`, {
      where: plane === undefined ? where : placeIn(where, `plane ${plane}`),
      hint: `Pixel at row ${Math.floor(i / width)}, column ${i % width}; labels are whole numbers.`,
    });
  }
  return { data, height, width };
}

/**
 * Time steps that a release lacks: zeros like the given image.
 * @param isMeasured whether the zeros pass for values; else they are masked
 */
export function emptySteps(like: SampleImage, timeCount: number, isMeasured: boolean): SampleImage {
  const length = timeCount * like.height * like.width * like.bands.length;
  return {
    ...like,
    data: new (like.data.constructor as new (length: number) => PixelArray)(length),
    valid: isMeasured ? null : new Uint8Array(length),
    timeCount,
    dates: Array.from({ length: timeCount }, () => null),
  };
}
