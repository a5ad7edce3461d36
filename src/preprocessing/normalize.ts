import type { RasterArray } from '../io/raster.js';

/** Mean and spread of each band. */
export interface BandStatistics {
  readonly mean: Float64Array;
  /** Population standard deviation (divided by the count). */
  readonly standardDeviation: Float64Array;
}

/** Exact over all pixels of all images, band by band: [band]. */
export function bandStatistics(images: readonly RasterArray[]): BandStatistics {
  const bandCount = images[0]?.bandCount ?? 0;
  const sum = new Float64Array(bandCount);
  const squares = new Float64Array(bandCount);
  let pixels = 0;
  for (const { data, height, width } of images) {
    pixels += height * width;
    for (let index = 0; index < data.length; index += bandCount) {
      for (let band = 0; band < bandCount; band++) {
        const value = data[index + band]!;
        sum[band]! += value;
        squares[band]! += value * value;
      }
    }
  }
  const mean = sum.map((total) => total / pixels);
  const standardDeviation = squares.map((total, band) =>
    Math.sqrt(Math.max(0, total / pixels - mean[band]! ** 2)),
  );
  return { mean, standardDeviation };
}

/** What is done to each band before the encoder: (pixel − shift) / scale. */
export interface Normalization {
  readonly shift: readonly number[];
  readonly scale: readonly number[];
}

export const NORMALIZATIONS = ['z-score', 'none'] as const;
export type NormalizationName = (typeof NORMALIZATIONS)[number];

/** `z-score` by the statistics of the train split; `none` leaves the values of the file. A constant band is only shifted. */
export function normalization(name: NormalizationName, train: BandStatistics): Normalization {
  const bands = [...train.mean.keys()];
  if (name === 'none') return { shift: bands.map(() => 0), scale: bands.map(() => 1) };
  return { shift: [...train.mean], scale: [...train.standardDeviation].map((spread) => spread || 1) };
}
