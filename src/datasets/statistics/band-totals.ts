import type { PixelArray } from '../../io/raster.js';
import type { StoredType } from '../sample.js';
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
  private count = 0;
  private min = Infinity;
  private max = -Infinity;
  /** Near the values, so that squares of differences keep their digits. */
  private near = NaN;
  private differences = 0;
  private squares = 0;
  /** Of the means of the samples that have a value. */
  private samples = 0;
  private sampleMeans = 0;
  private sampleSquares = 0;
  private readonly quantiles: Quantiles | null;

  constructor(storedType: StoredType, withQuantiles: boolean) {
    this.quantiles = withQuantiles ? new Quantiles(storedType) : null;
  }

  /**
   * Adds every `stride`-th value from `start` on: one band of a sample.
   * @param valid like `data`, 0 = no value; null: all count
   */
  add(data: PixelArray, valid: Uint8Array | null, start: number, stride: number): void {
    const { quantiles } = this;
    let { near, min, max } = this;
    let [count, differences, squares] = [0, 0, 0];
    for (let at = start; at < data.length; at += stride) {
      const value = data[at]!;
      if ((valid !== null && valid[at] === 0) || value - value !== 0) continue;
      if (Number.isNaN(near)) near = value;
      const difference = value - near;
      count++;
      differences += difference;
      squares += difference * difference;
      if (value < min) min = value;
      if (value > max) max = value;
      if (quantiles !== null) quantiles.add(value);
    }
    this.seen += Math.ceil((data.length - start) / stride);
    if (count === 0) return;
    this.count += count;
    this.differences += differences;
    this.squares += squares;
    Object.assign(this, { near, min, max });
    const shifted = differences / count;
    this.samples++;
    this.sampleMeans += shifted;
    this.sampleSquares += shifted * shifted;
  }

  /** Samples with a value in this band. */
  get sampleCount(): number {
    return this.samples;
  }

  /**
   * Standard error of the mean when samples, not pixels, are drawn: pixels of one sample are alike. Null for fewer than
   * three samples.
   */
  get standardError(): number | null {
    const { samples, sampleMeans, sampleSquares } = this;
    if (samples < 3) return null;
    const variance = (sampleSquares - (sampleMeans * sampleMeans) / samples) / (samples - 1);
    return Math.sqrt(Math.max(0, variance) / samples);
  }

  summary(band: string): BandSummary {
    const { count, seen, near, differences, squares, quantiles } = this;
    const none = count === 0;
    const variance = (squares - (differences * differences) / count) / count;
    const names = Object.keys(PERCENTILES) as Percentile[];
    const values = quantiles?.at(names.map((name) => PERCENTILES[name]));
    return {
      band,
      count,
      invalidShare: seen === 0 ? 0 : 1 - count / seen,
      mean: none ? null : near + differences / count,
      std: none ? null : Math.sqrt(Math.max(0, variance)),
      min: none ? null : this.min,
      max: none ? null : this.max,
      percentiles: values
        ? (Object.fromEntries(
            names.map((name, place) => [name, values[place]!]),
          ) as BandSummary['percentiles'])
        : null,
      isExact: quantiles?.isExact ?? true,
    };
  }
}
