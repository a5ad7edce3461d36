import type { PixelArray } from '../../io/raster.js';
import type { StoredType } from '../sample.js';
import { Moments } from './moments.js';
import { Quantiles } from './quantiles.js';

/** Shares of the percentiles that are told. */
export const PERCENTILES = { '1': 0.01, '2': 0.02, '98': 0.98, '99': 0.99 } as const;
export type Percentile = keyof typeof PERCENTILES;

/** Of one band over many samples, over the pixels that count. Null where none does. */
export interface BandSummary {
  readonly band: string;
  /** Pixels that count. */
  readonly count: number;
  /** 0 … 1: masked, NaN or infinite. */
  readonly invalidShare: number;
  readonly mean: number | null;
  /** Of the population. */
  readonly std: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Null where they were not asked for. */
  readonly percentiles: Readonly<Record<Percentile, number | null>> | null;
  /** Whether the percentiles are exact; else they are at most 0.1 % away. */
  readonly isExact: boolean;
}

/** Numbers of one band that grow sample by sample; nothing of a sample is kept. */
export class BandTotals {
  private seen = 0;
  private readonly pixels = new Moments();
  /** Of the means of the samples that have a value. */
  private readonly means = new Moments();
  private readonly quantiles: Quantiles | null;

  constructor(storedType: StoredType, withQuantiles: boolean) {
    this.quantiles = withQuantiles ? new Quantiles(storedType) : null;
  }

  /**
   * Adds every `stride`-th value from `start` on: one band of a sample.
   * @param valid like `data`, 0 = no value; null: all count
   */
  add(data: PixelArray, valid: Uint8Array | null, start: number, stride: number): void {
    this.seen += Math.ceil((data.length - start) / stride);
    const part = this.pixels.add(data, valid, start, stride);
    if (part === null) return;
    this.means.add([part.mean]);
    if (this.quantiles === null) return;
    for (let at = start; at < data.length; at += stride) {
      if (valid?.[at] !== 0 && Number.isFinite(data[at]!)) this.quantiles.add(data[at]!);
    }
  }

  /** Samples with a value in this band. */
  get sampleCount(): number {
    return this.means.count;
  }

  /**
   * Standard error of the mean when samples, not pixels, are drawn: pixels of one sample are alike. Null for fewer than
   * three samples.
   */
  get standardError(): number | null {
    const { count, squares } = this.means;
    return count < 3 ? null : Math.sqrt(squares / (count - 1) / count);
  }

  summary(band: string): BandSummary {
    const { seen, quantiles } = this;
    const { count, mean, spread, min, max } = this.pixels;
    const known = (value: number): number | null => (count === 0 ? null : value);
    const names = Object.keys(PERCENTILES) as Percentile[];
    const values = quantiles?.at(names.map((name) => PERCENTILES[name]));
    return {
      band,
      count,
      invalidShare: seen === 0 ? 0 : 1 - count / seen,
      mean: known(mean),
      std: known(spread),
      min: known(min),
      max: known(max),
      percentiles: values
        ? (Object.fromEntries(
            names.map((name, place) => [name, values[place]!]),
          ) as BandSummary['percentiles'])
        : null,
      isExact: quantiles?.isExact ?? true,
    };
  }
}
