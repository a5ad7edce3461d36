import type { ImageNormalization, SampleImage } from '../datasets/sample.js';
import type { StatisticsOptions } from './statistics.js';
import type { OptionValue } from './step.js';

/** How one number of a band at a date changes. */
export type Change = (value: number) => number;

/**
 * Every number of an image through the function of its band and date, as float32. Bands that no file has stay as they
 * are. Invalid pixels go through it like the others: their mask says that they mean nothing.
 */
export function changeValues(
  image: SampleImage,
  changeOf: (time: number, band: number) => Change,
  normalization?: ImageNormalization,
): SampleImage {
  const { data, timeCount, bands, filledBands } = image;
  const out = new Float32Array(data.length);
  const length = data.length / timeCount;
  for (let time = 0; time < timeCount; time++) {
    for (const [band, name] of bands.entries()) {
      const change: Change = filledBands?.includes(name) ? (value) => value : changeOf(time, band);
      for (let at = time * length + band; at < (time + 1) * length; at += bands.length)
        out[at] = change(data[at]!);
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
