import type { ImageNormalization, SampleImage } from '../datasets/sample.js';
import type { StatisticsOptions } from './statistics.js';
import type { OptionValue } from './step.js';

/** How one number of a band at a date changes. */
export type Change = (value: number) => number;

/** (value − shift) / scale, the commonest change. */
export interface Linear {
  readonly shift: number;
  readonly scale: number;
}

const IDENTITY: Linear = { shift: 0, scale: 1 };

/**
 * Every number of an image through the function of its band and date, as float32. Bands that no file has stay as they
 * are. Invalid pixels go through it like the others: their mask says that they mean nothing.
 */
export function changeValues(
  image: SampleImage,
  changeOf: (time: number, band: number) => Change | Linear,
  normalization?: ImageNormalization,
): SampleImage {
  const { data, timeCount, bands, filledBands } = image;
  const out = new Float32Array(data.length);
  const length = data.length / timeCount;
  for (let time = 0; time < timeCount; time++) {
    for (const [band, name] of bands.entries()) {
      const change = filledBands?.includes(name) ? IDENTITY : changeOf(time, band);
      const [from, to, step] = [time * length + band, (time + 1) * length, bands.length];
      if (typeof change === 'function') {
        for (let at = from; at < to; at += step) out[at] = change(data[at]!);
      } else {
        const { shift, scale } = change;
        for (let at = from; at < to; at += step) out[at] = (data[at]! - shift) / scale;
      }
    }
  }
  const { normalization: _, ...rest } = image;
  return { ...rest, data: out, ...(normalization && { normalization }) };
}

/** Statistics as a record keeps them. */
export const statisticsJson = ({ statistics, source }: StatisticsOptions): Record<string, OptionValue> => ({
  statistics: statistics ? (JSON.parse(JSON.stringify(statistics)) as OptionValue) : 'manifest',
  source: source ?? null,
});
