import type { SampleImage } from '../datasets/sample.js';
import { changeValues } from './band-values.js';
import { badOption, mapImages, type PreprocessingStep } from './step.js';

export interface PercentileClipOptions {
  /** Percentiles of the valid pixels of a band over all dates of a sample. Default 2 and 98. */
  readonly low?: number;
  readonly high?: number;
  /** What the two become. null: values are clipped and nothing else, which is no normalisation. Default 0 … 1. */
  readonly range?: readonly [number, number] | null;
  readonly modalities?: readonly string[];
}

/**
 * Clips every band of a sample to its own percentiles. It cannot be undone: each sample has its own.
 * @throws UsageError STEP_OPTION
 */
export function percentileClip(options: PercentileClipOptions = {}): PreprocessingStep {
  const name = 'percentile-clip';
  const { low = 2, high = 98, range = [0, 1], modalities } = options;
  if (!(low >= 0 && low < high && high <= 100))
    throw badOption(name, 'low', [low, high], 'below high, both from 0 to 100');
  return {
    name,
    options: { low, high, range, modalities: modalities ?? null },
    isRandom: false,
    normalizes: range !== null,
    apply: (sample) => mapImages(sample, modalities, (image) => clip(image, low, high, range)),
  };
}

function clip(
  image: SampleImage,
  low: number,
  high: number,
  range: readonly [number, number] | null,
): SampleImage {
  const limits = image.bands.map((_, band) => percentiles(image, band, [low, high]));
  const [start, end] = range ?? [0, 1];
  const changed = changeValues(
    image,
    (_, band) => {
      const [from, to] = limits[band] as [number, number];
      const width = to - from || 1;
      const clipped = (value: number): number => Math.min(to, Math.max(from, value));
      return range ? (value) => ((clipped(value) - from) / width) * (end - start) + start : clipped;
    },
    range ? { by: 'percentile-clip', expects: range } : image.normalization,
  );
  return changed;
}

/** Linear between the two nearest of the sorted values, as NumPy's default; NaN where no pixel is valid. */
function percentiles({ data, valid, bands }: SampleImage, band: number, wanted: readonly number[]): number[] {
  const values: number[] = [];
  for (let at = band; at < data.length; at += bands.length) {
    const value = data[at]!;
    if (value === value && (!valid || valid[at])) values.push(value);
  }
  const sorted = Float64Array.from(values).sort();
  return wanted.map((percent) => {
    const place = ((sorted.length - 1) * percent) / 100;
    const below = Math.floor(place);
    const least = sorted[below] ?? Number.NaN;
    return least + (place - below) * ((sorted[below + 1] ?? least) - least);
  });
}
