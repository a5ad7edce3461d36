import type { Sample, SampleImage } from '../datasets/sample.js';
import { Moments } from '../datasets/statistics/moments.js';
import type { InputWarning } from './step.js';

/** Pixels of a band that are looked at in each sample, evenly spread. */
const PIXELS = 1024;
/** Numbers of samples at which bands are judged; after the last one nothing more is counted. */
const STAGES = [1, 8, 32];

/**
 * Bounds for a mean and a spread over `samples` samples, of numbers that are to have mean 0 and spread 1 over a dataset.
 *
 * One image is no dataset: its own mean lies up to about three spreads off (a lake, a snow field), so that the mean of k
 * images may be off by 3 / √k, and half a spread more because train statistics do not hold exactly elsewhere. A spread
 * may be anything below in one image (open water is flat) and is judged from eight on: at least half of 1 in the long
 * run, less by 1 / √k; at most twice 1, and 4 / √k more for scenes with clouds. Faults lie far outside: raw 8-bit or
 * 16-bit numbers have means of tens to thousands, reflectance 0 … 1 has spreads near 0.03, and what was normalised twice
 * has means of −1 to −20 and a spread near 0.
 */
export function standardBounds(samples: number): { mean: number; least: number; greatest: number } {
  const error = 1 / Math.sqrt(samples);
  return {
    mean: 0.5 + 3 * error,
    least: samples < STAGES[1]! ? 0 : 0.5 * (1 - error),
    greatest: 2 + 4 * error,
  };
}

/** What the check has seen of one band. */
export interface InputRow {
  readonly modality: string;
  readonly band: string;
  readonly mean: number;
  readonly spread: number;
  readonly min: number;
  readonly max: number;
  readonly samples: number;
}

interface Watched {
  readonly modality: string;
  readonly band: string;
  readonly moments: Moments;
  samples: number;
  isTold: boolean;
}

/** Watches the normalised numbers of one dataset, sample by sample. */
export class InputCheck {
  readonly #bands = new Map<string, Watched>();
  readonly #dataset: string;

  constructor(dataset: string) {
    this.#dataset = dataset;
  }

  rows(): InputRow[] {
    return [...this.#bands.values()]
      .filter(({ samples }) => samples > 0)
      .map(({ modality, band, samples, moments: { mean, spread, min, max } }) => ({
        modality,
        band,
        mean,
        spread,
        min,
        max,
        samples,
      }));
  }

  /** Counts a sample. @returns a warning a band that does not lie as its normalisation promises; each is told once */
  see(sample: Sample): InputWarning[] {
    return Object.entries(sample.images).flatMap(([modality, image]) => {
      const { normalization } = image;
      if (!normalization?.expects) return [];
      return image.bands.flatMap((band, at) => {
        if (image.filledBands?.includes(band)) return [];
        const watched = this.#watched(modality, band);
        if (watched.isTold || watched.samples >= STAGES.at(-1)! || !count(watched, image, at)) return [];
        const fault = STAGES.includes(watched.samples) ? faultOf(watched, normalization.expects!) : undefined;
        if (fault === undefined) return [];
        watched.isTold = true;
        return [this.#warning(watched, normalization.by, fault)];
      });
    });
  }

  #watched(modality: string, band: string): Watched {
    const key = `${modality}/${band}`;
    const known = this.#bands.get(key) ?? {
      modality,
      band,
      moments: new Moments(),
      samples: 0,
      isTold: false,
    };
    this.#bands.set(key, known);
    return known;
  }

  #warning({ modality, band, samples, moments }: Watched, by: string, fault: string): InputWarning {
    const { mean, spread } = moments;
    const numbers = `mean ${mean.toPrecision(3)}, spread ${spread.toPrecision(3)}`;
    const over = samples === 1 ? 'the first sample' : `${samples} samples`;
    return {
      code: 'INPUT_UNUSUAL',
      dataset: this.#dataset,
      modality,
      band,
      mean,
      spread,
      samples,
      message:
        `After ${by}, band ${band} of ${modality} of ${this.#dataset} has ${numbers} over ${over}: ${fault}. ` +
        'Its statistics may belong to another band, unit or scale.',
    };
  }
}

/** @returns whether the sample has a valid pixel in this band */
function count(watched: Watched, { data, valid, bands }: SampleImage, band: number): boolean {
  const pixels = data.length / bands.length;
  const stride = Math.max(1, Math.floor(pixels / PIXELS));
  const { infiniteCount } = watched.moments;
  const part = watched.moments.add(data, valid, band, stride * bands.length);
  if (part === null && watched.moments.infiniteCount === infiniteCount) return false;
  watched.samples++;
  return true;
}

function faultOf(
  { samples, moments }: Watched,
  expects: 'standard' | readonly [number, number],
): string | undefined {
  const { mean, spread, min, max, infiniteCount } = moments;
  if (infiniteCount > 0) return 'it has infinite numbers';
  if (expects === 'standard') {
    const { mean: bound, least, greatest } = standardBounds(samples);
    if (!(Math.abs(mean) <= bound)) return `the mean is not near 0 (within ${bound.toFixed(1)})`;
    if (spread >= least && spread <= greatest) return undefined;
    return `the spread is not near 1 (${least.toFixed(1)} to ${greatest.toFixed(1)})`;
  }
  const [low, high] = expects;
  const width = high - low;
  // values of other splits may lie a little beyond the least and greatest of the train split
  if (!(mean >= low && mean <= high && min >= low - width && max <= high + width))
    return `it does not lie in ${low} … ${high}`;
  // raw reflectance of 0 … 0.3 divided by 10 000 lies in the range as well, with no spread to see
  return samples >= STAGES[1]! && spread < 0.01 * width
    ? `it hardly varies within ${low} … ${high}`
    : undefined;
}
