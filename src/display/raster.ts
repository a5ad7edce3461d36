import { formatCount } from './numbers.js';

/** Elements of a raster, of any integer or float type. */
export type RasterData =
  | Uint8Array
  | Uint8ClampedArray
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** An image or a label map, `data` [height, width, band] with the band fastest. */
export interface RasterLike {
  readonly data: RasterData;
  readonly height: number;
  readonly width: number;
  /** Default: `channels`, else what the length of `data` gives. */
  readonly bandCount?: number;
  readonly channels?: number;
  /** Value of hidden pixels; NaN and infinities are hidden in any case. */
  readonly nodata?: number | null;
}

/** True for an object with a typed array of height × width × bands numbers. */
export function isRasterLike(value: object): value is RasterLike {
  const { data, height, width, bandCount, channels } = value as Partial<RasterLike>;
  if (!ArrayBuffer.isView(data) || !('length' in data) || typeof data[0] === 'bigint') return false;
  if (!isSize(height) || !isSize(width)) return false;
  const bands = bandCount ?? channels;
  if (bands === undefined) return data.length > 0 && data.length % (height * width) === 0;
  return isSize(bands) && data.length === height * width * bands;
}

const isSize = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0;

export const bandsOf = ({ data, height, width, bandCount, channels }: RasterLike): number =>
  bandCount ?? channels ?? data.length / (height * width);

/** `uint16`. */
export const elementOf = ({ data }: RasterLike): string =>
  data.constructor.name.replace(/(Clamped)?Array$/, '').toLowerCase();

/** `512 × 384 × 6, uint16`: height, width, bands, element. */
export const describeRaster = (raster: RasterLike): string => {
  const { height, width } = raster;
  return `${formatCount(height)} × ${formatCount(width)} × ${bandsOf(raster)} (height × width × band), ${elementOf(raster)}`;
};

/** Values of one band over the pixels that are not hidden. */
export interface BandSummary {
  readonly minimum: number | null;
  readonly mean: number | null;
  readonly maximum: number | null;
  /** Share of hidden pixels, 0 … 1. */
  readonly hidden: number;
}

export interface RasterSummary {
  readonly bands: readonly BandSummary[];
  /** Every how many rows were read; 1: all. */
  readonly rowStep: number;
}

/** Numbers looked at; of a larger raster only every so many rows are read, so that a cell answers at once. */
const MAXIMUM_NUMBERS = 40_000_000;

/** Least, mean and greatest value of each band and its share of hidden pixels. */
export function summarizeRaster(raster: RasterLike): RasterSummary {
  const { data, height, width } = raster;
  const bandCount = bandsOf(raster);
  const rowStep = Math.ceil(data.length / MAXIMUM_NUMBERS);
  const isHidden = hiddenTest(raster);
  const bands = Array.from({ length: bandCount }, (_, band): BandSummary => {
    let [sum, count, seen, minimum, maximum] = [0, 0, 0, Infinity, -Infinity];
    for (let row = 0; row < height; row += rowStep) {
      const start = row * width * bandCount + band;
      for (let index = start; index < start + width * bandCount; index += bandCount) {
        const value = data[index]!;
        seen++;
        if (isHidden(value)) continue;
        sum += value;
        count++;
        if (value < minimum) minimum = value;
        if (value > maximum) maximum = value;
      }
    }
    if (count === 0) return { minimum: null, mean: null, maximum: null, hidden: 1 };
    return { minimum, mean: sum / count, maximum, hidden: 1 - count / seen };
  });
  return { bands, rowStep };
}

/** Says of a value whether its pixel is hidden: the raster's no-data value, NaN, ±Infinity. */
export function hiddenTest({ nodata }: Pick<RasterLike, 'nodata'>): (value: number) => boolean {
  if (typeof nodata !== 'number') return (value) => !Number.isFinite(value);
  const single = Math.fround(nodata); // −9999.9 as pixels of float32 have it
  return (value) => value === nodata || value === single || !Number.isFinite(value);
}
