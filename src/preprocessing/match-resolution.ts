import type { SampleImage } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import { resample, type Resampling } from './resample.js';
import { badOption, mapImages, type PreprocessingStep } from './step.js';

export interface MatchResolutionOptions {
  /** Side of the squares that are averaged, pixels; or one of the two below. */
  readonly factor?: number;
  /** Ground sampling distance to imitate, metres; the factor is its ratio to that of the dataset, rounded. */
  readonly gsdM?: number;
  /** Ground sampling distance of the images. Default: that of the manifest. */
  readonly fromGsdM?: number;
  /** How the coarse image becomes the old size again. Default `nearest`; `none` leaves it small. */
  readonly back?: 'nearest' | 'bilinear' | 'none';
  /** Default all. */
  readonly modalities?: readonly string[];
}

/**
 * Images as a coarser sensor would see them: the mean over squares of k × k pixels, valid ones alone, then the old size
 * again. What is left over at the right and below is averaged over fewer pixels.
 * @throws UsageError STEP_OPTION, MODALITY_UNKNOWN; InputError RESOLUTION_UNKNOWN
 */
export function matchResolution(options: MatchResolutionOptions): PreprocessingStep {
  const name = 'match-resolution';
  const { factor, gsdM, fromGsdM, back = 'nearest', modalities } = options;
  if ((factor === undefined) === (gsdM === undefined))
    throw badOption(name, 'factor', factor ?? null, 'a number of pixels, or gsdM is given in its place');
  if (factor !== undefined && !(Number.isInteger(factor) && factor >= 1))
    throw badOption(name, 'factor', factor, 'a whole number from 1 on');
  if (gsdM !== undefined && !(gsdM > 0)) throw badOption(name, 'gsdM', gsdM, 'a number of metres above 0');
  return {
    name,
    options: {
      factor: factor ?? null,
      gsdM: gsdM ?? null,
      fromGsdM: fromGsdM ?? null,
      back,
      modalities: modalities ?? null,
    },
    isRandom: false,
    apply(sample, { manifest, dataset }) {
      const k = factor ?? Math.max(1, Math.round(gsdM! / (fromGsdM ?? manifest?.gsdM ?? unknown(dataset))));
      return mapImages(sample, modalities, (image) => coarsen(image, k, back));
    },
  };
}

function unknown(dataset: string): never {
  throw new InputError('RESOLUTION_UNKNOWN', 'The ground sampling distance of the images is not known.', {
    where: `dataset ${dataset}`,
    hint: 'Give it: matchResolution({ gsdM: 30, fromGsdM: 10 }), or the factor.',
  });
}

function coarsen(image: SampleImage, k: number, back: 'nearest' | 'bilinear' | 'none'): SampleImage {
  if (k === 1) return image;
  const { timeCount: times, height, width, bands, transform } = image;
  const channels = bands.length;
  const small = averageSquares(image, k);
  if (back === 'none') {
    const grown: SampleImage['transform'] = transform && [
      transform[0] * k,
      transform[1] * k,
      transform[2],
      transform[3] * k,
      transform[4] * k,
      transform[5],
    ];
    return { ...image, ...small, transform: grown };
  }
  // the step keeps every square in its place where the last one is not whole
  const how: Resampling = { kind: back, step: { down: 1 / k, across: 1 / k } };
  const grid = { times, height: small.height, width: small.width, channels };
  return { ...image, ...resample(small.data, small.valid, grid, { height, width }, how) };
}

/** Means of the valid pixels of each square, [time, ⌈height / k⌉, ⌈width / k⌉, band]. */
function averageSquares(
  { data, valid, timeCount, height, width, bands }: SampleImage,
  k: number,
): Pick<SampleImage, 'data' | 'valid' | 'height' | 'width'> {
  const channels = bands.length;
  const [rows, columns] = [Math.ceil(height / k), Math.ceil(width / k)];
  const sums = new Float64Array(timeCount * rows * columns * channels);
  const counts = new Uint32Array(sums.length);
  let at = 0;
  for (let line = 0; line < timeCount * height; line++) {
    const row = Math.floor(line / height) * rows + Math.floor((line % height) / k);
    for (let column = 0; column < width; column++) {
      const to = (row * columns + Math.floor(column / k)) * channels;
      for (let channel = 0; channel < channels; channel++, at++) {
        if (valid && !valid[at]) continue;
        sums[to + channel]! += data[at]!;
        counts[to + channel]!++;
      }
    }
  }
  const means = new Float32Array(sums.length);
  const mask = valid && new Uint8Array(sums.length);
  for (const [place, count] of counts.entries()) {
    means[place] = count > 0 ? sums[place]! / count : Number.NaN;
    if (mask && count > 0) mask[place] = 1;
  }
  return {
    data: means,
    valid: mask,
    height: rows,
    width: columns,
  };
}
