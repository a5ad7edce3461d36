import type { WeightArray } from '../encoder.js';

/** Red, green and blue among the twelve bands of Sentinel-2 level 2A. */
const RGB_OF_SENTINEL_2 = [3, 2, 1] as const;

/**
 * The filters of the first layer, [out, band, rows, columns], of twelve Sentinel-2 bands for an encoder of RGB: those
 * of red, green and blue, as PANGAEA's loader of GFM has it.
 * @returns the filters as they are for any other numbers of bands
 */
export function adaptBands(given: WeightArray, modelShape: readonly number[]): WeightArray {
  const [out, bands, rows, columns] = given.shape as [number, number, number, number];
  if (bands !== 12 || modelShape[1] !== 3) return given;
  const filter = rows * columns;
  const data = new Float32Array(out * 3 * filter);
  for (let channel = 0; channel < out; channel++) {
    for (const [to, from] of RGB_OF_SENTINEL_2.entries()) {
      const start = (channel * bands + from) * filter;
      data.set(given.data.subarray(start, start + filter), (channel * 3 + to) * filter);
    }
  }
  return { data, shape: [out, 3, rows, columns] };
}
