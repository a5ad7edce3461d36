import { InputError } from '../errors.js';
import type { PixelArray } from '../io/raster.js';
import type { SampleImage, StoredType } from './sample.js';

/** The type that an array holds by itself. */
export const storedTypeOf = (data: PixelArray): StoredType =>
  data.constructor.name.replace('Array', '').replace('Clamped', '').toLowerCase() as StoredType;

export interface ImageParts extends Partial<Omit<SampleImage, 'data' | 'valid'>> {
  readonly data: PixelArray;
  readonly height: number;
  readonly width: number;
  readonly bands: readonly string[];
  /** Values that mean "no value here"; NaN always does. Default: none. */
  readonly invalidValues?: readonly number[];
  /** A mask known already, like `data`; `invalidValues` and NaN are added to it. */
  readonly valid?: Uint8Array | null;
}

/**
 * An image with every member filled in: one time step, no place, a mask of NaN and `invalidValues`.
 * @throws InputError IMAGE_SIZE if `data` is not [timeCount, height, width, bands]
 */
export function sampleImage(parts: ImageParts, where = ''): SampleImage {
  const { invalidValues = [], valid = null, timeCount = 1, ...rest } = parts;
  const { data, height, width, bands } = rest;
  const size = timeCount * height * width * bands.length;
  if (data.length !== size) {
    throw new InputError(
      'IMAGE_SIZE',
      `${data.length} values are not ${timeCount} × ${height} × ${width} × ${bands.length} (time × height × width × band).`,
      {
        where,
        hint: `The manifest lists the bands ${bands.join(', ')}: the file has others, or another size.`,
      },
    );
  }
  return {
    storedType: storedTypeOf(data),
    dates: Array.from({ length: timeCount }, () => null),
    crs: null,
    transform: null,
    nodata: null,
    ...rest,
    timeCount,
    valid: maskInvalid(data, invalidValues, valid),
  };
}

/** Like `data`, 0 where it is NaN, one of the values, or masked before; null if nothing is. */
export function maskInvalid(
  data: PixelArray,
  values: readonly number[],
  before: Uint8Array | null = null,
): Uint8Array | null {
  const isFloat = data instanceof Float32Array || data instanceof Float64Array;
  // a float32 file holds the float32 nearest to the stated value
  const known = data instanceof Float32Array ? values.map(Math.fround) : values;
  if (!isFloat && known.length === 0) return before;
  let mask: Uint8Array | null = before === null ? null : before.slice();
  for (let i = 0; i < data.length; i++) {
    const value = data[i]!;
    if (value === value && !known.includes(value)) continue;
    mask ??= new Uint8Array(data.length).fill(1);
    mask[i] = 0;
  }
  return mask;
}

/** The image with `value` wherever it has no value, and no mask: what the references feed their models. */
export function fillInvalid(image: SampleImage, value: number): SampleImage {
  const { data, valid } = image;
  if (!valid) return image;
  const filled = data.slice();
  for (let i = 0; i < filled.length; i++) if (valid[i] === 0) filled[i] = value;
  return { ...image, data: filled, valid: null };
}

type ArrayMaker = new (length: number) => PixelArray;

/**
 * Time steps of equal size, one after the other.
 * @throws InputError IMAGE_SIZE if sizes or bands differ
 */
export function stackTimes(images: readonly SampleImage[], where = ''): SampleImage {
  const first = images[0];
  if (!first) throw new InputError('IMAGE_SIZE', 'There is no time step.', { where });
  for (const image of images) checkEqualSize(first, image, image.bands.length === first.bands.length, where);
  const length = images.reduce((sum, { data }) => sum + data.length, 0);
  const data = new (first.data.constructor as ArrayMaker)(length);
  const valid = images.some((image) => image.valid) ? new Uint8Array(length).fill(1) : null;
  let at = 0;
  for (const image of images) {
    data.set(image.data, at);
    if (image.valid) valid!.set(image.valid, at);
    at += image.data.length;
  }
  const timeCount = images.reduce((sum, image) => sum + image.timeCount, 0);
  const steps = images.every((image) => image.steps) ? images.flatMap((image) => image.steps!) : undefined;
  const dates = images.flatMap((image) => image.dates);
  return { ...first, data, valid, timeCount, dates, ...(steps && { steps }) };
}

/**
 * Bands of images of equal time and size, side by side; place and type of the first.
 * @throws InputError IMAGE_SIZE if times or sizes differ
 */
export function joinBands(images: readonly SampleImage[], where = ''): SampleImage {
  const first = images[0];
  if (!first) throw new InputError('IMAGE_SIZE', 'There is no band.', { where });
  for (const image of images) checkEqualSize(first, image, image.timeCount === first.timeCount, where);
  const bands = images.flatMap((image) => image.bands);
  const pixels = first.timeCount * first.height * first.width;
  const Maker = widest(images.map(({ data }) => data));
  const data = new Maker(pixels * bands.length);
  const valid = images.some((image) => image.valid) ? new Uint8Array(data.length).fill(1) : null;
  let offset = 0;
  for (const image of images) {
    const own = image.bands.length;
    for (let pixel = 0; pixel < pixels; pixel++) {
      for (let band = 0; band < own; band++) {
        const to = pixel * bands.length + offset + band;
        data[to] = image.data[pixel * own + band]!;
        if (image.valid) valid![to] = image.valid[pixel * own + band]!;
      }
    }
    offset += own;
  }
  const sources = images.every((image) => image.sources)
    ? images.flatMap((image) => image.sources!)
    : undefined;
  return { ...first, data, valid, bands, ...(sources && { sources }) };
}

/** The first array's kind if all are of it, else float64, which holds every other exactly. */
function widest(arrays: readonly PixelArray[]): ArrayMaker {
  const kinds = new Set(arrays.map((array) => array.constructor));
  return kinds.size === 1 ? (arrays[0]!.constructor as ArrayMaker) : Float64Array;
}

function checkEqualSize(a: SampleImage, b: SampleImage, isEqual: boolean, where: string): void {
  if (isEqual && a.height === b.height && a.width === b.width) return;
  const size = (image: SampleImage): string =>
    `${image.timeCount} × ${image.height} × ${image.width} × ${image.bands.length}`;
  throw new InputError('IMAGE_SIZE', `${size(b)} does not fit ${size(a)} (time × height × width × band).`, {
    where,
    hint: 'Files of one sample have one size: restore the one that differs.',
  });
}

/** Upsamples by a whole factor, every pixel repeated `factor` × `factor` times. */
export function repeatPixels(image: SampleImage, factor: number): SampleImage {
  if (factor === 1) return image;
  const { timeCount, height, width } = image;
  const bandCount = image.bands.length;
  const grow = <T extends PixelArray>(from: T): T => {
    const to = new (from.constructor as ArrayMaker)(from.length * factor * factor) as T;
    let at = 0;
    for (let row = 0; row < timeCount * height * factor; row++) {
      const start = Math.floor(row / factor) * width * bandCount;
      for (let column = 0; column < width * factor; column++) {
        const pixel = start + Math.floor(column / factor) * bandCount;
        for (let band = 0; band < bandCount; band++) to[at++] = from[pixel + band]!;
      }
    }
    return to;
  };
  return {
    ...image,
    data: grow(image.data),
    valid: image.valid && grow(image.valid),
    height: height * factor,
    width: width * factor,
    transform: image.transform && scaleTransform(image.transform, factor),
  };
}

const scaleTransform = (
  [a, b, c, d, e, f]: NonNullable<SampleImage['transform']>,
  factor: number,
): NonNullable<SampleImage['transform']> => [a / factor, b / factor, c, d / factor, e / factor, f];
