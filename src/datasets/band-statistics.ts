import type { PixelArray } from '../io/raster.js';
import type { SampleImage } from './sample.js';

/** Of one band over all its pixels and dates; null where no value counts. Spread over the whole (n below the line). */
export interface BandStatistics {
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly std: number | null;
  /** Values left out: NaN. */
  readonly nanCount: number;
  /** Values left out: those that mean "no value here". */
  readonly nodataCount: number;
}

/**
 * Statistics of every band of an image over stored values, in float64. Two passes, so that a small spread around a
 * large mean keeps its digits.
 * @param invalidValues left out and counted; NaN always is
 */
export function bandStatistics(
  { data, bands }: Pick<SampleImage, 'data' | 'bands'>,
  invalidValues: readonly number[] = [],
): BandStatistics[] {
  // a float32 file holds the float32 nearest to the stated value
  const invalid = data instanceof Float32Array ? invalidValues.map(Math.fround) : invalidValues;
  return bands.map((_, band) => ofBand(data, band, bands.length, invalid));
}

function ofBand(
  data: PixelArray,
  band: number,
  bandCount: number,
  invalid: readonly number[],
): BandStatistics {
  let [count, nanCount, nodataCount, sum] = [0, 0, 0, 0];
  let [min, max] = [Infinity, -Infinity];
  for (let at = band; at < data.length; at += bandCount) {
    const value = data[at]!;
    if (Number.isNaN(value)) nanCount++;
    else if (invalid.includes(value)) nodataCount++;
    else {
      count++;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  const left = { nanCount, nodataCount };
  if (count === 0) return { count, min: null, max: null, mean: null, std: null, ...left };
  const mean = sum / count;
  let squares = 0;
  for (let at = band; at < data.length; at += bandCount) {
    const value = data[at]!;
    if (!Number.isNaN(value) && !invalid.includes(value)) squares += (value - mean) ** 2;
  }
  return { count, min, max, mean, std: Math.sqrt(squares / count), ...left };
}
