import type { Window } from '../io/window.js';
import type { Random } from '../random.js';
import { roundHalfEven } from '../round-half-even.js';
import { cropSample, type CropOptions } from './crop.js';
import { frameOf } from './move-sample.js';
import { resizeTo } from './resize.js';
import { badOption, sizeJson, sizeOption, type PreprocessingStep, type Size } from './step.js';

export interface RandomResizedCropOptions extends CropOptions {
  /** Least and greatest share of the image's area. Default 0.08 … 1. */
  readonly scale?: readonly [number, number];
  /** Least and greatest width / height. Default 3/4 … 4/3. */
  readonly ratio?: readonly [number, number];
  /** Default true. */
  readonly antialias?: boolean;
}

/** Windows that are drawn before the middle of the image is taken. */
const TRIALS = 10;

/**
 * A window of random area and shape, resized bilinearly to `size`; labels to the nearest.
 * @throws UsageError STEP_OPTION; InputError CROP_FRACTION
 */
export function randomResizedCrop(options: RandomResizedCropOptions): PreprocessingStep {
  const name = 'random-resized-crop';
  const size = sizeOption(name, options.size);
  const { scale = [0.08, 1], ratio = [3 / 4, 4 / 3], antialias = true } = options;
  for (const [option, [low, high]] of Object.entries({ scale, ratio })) {
    if (!(low > 0 && low <= high))
      throw badOption(name, option, [low, high], 'two numbers above 0, least first');
  }
  const resize = resizeTo({ size, antialias });
  return {
    name,
    options: { size: sizeJson(size), scale, ratio, antialias },
    isRandom: true,
    apply(sample, context) {
      const window = drawShape(frameOf(sample), scale, ratio, context.random);
      return resize.apply(cropSample(sample, window, context), context);
    },
  };
}

function drawShape(
  { height, width }: Size,
  scale: readonly [number, number],
  ratio: readonly [number, number],
  random: Random,
): Window {
  const between = (low: number, high: number): number => low + random.uniform() * (high - low);
  for (let trial = 0; trial < TRIALS; trial++) {
    const area = height * width * between(...scale);
    const shape = Math.exp(between(Math.log(ratio[0]), Math.log(ratio[1])));
    const [rows, columns] = [roundHalfEven(Math.sqrt(area / shape)), roundHalfEven(Math.sqrt(area * shape))];
    if (rows < 1 || columns < 1 || rows > height || columns > width) continue;
    const row = random.integer(height - rows + 1);
    return { row, column: random.integer(width - columns + 1), height: rows, width: columns };
  }
  return middle({ height, width }, ratio);
}

/** As large as the shapes allow. */
function middle({ height, width }: Size, [narrow, wide]: readonly [number, number]): Window {
  const shape = width / height;
  const rows = shape < narrow ? roundHalfEven(width / narrow) : height;
  const columns = shape > wide ? roundHalfEven(height * wide) : width;
  return {
    row: Math.floor((height - rows) / 2),
    column: Math.floor((width - columns) / 2),
    height: rows,
    width: columns,
  };
}
