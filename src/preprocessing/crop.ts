import type { Sample } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import { coveringWindows, gridWindows, type Window } from '../io/window.js';
import type { Random } from '../random.js';
import { cropMove } from './grid-move.js';
import { frameOf, moveSample, type Outside } from './move-sample.js';
import {
  badOption,
  sizeJson,
  sizeOption,
  stepContext,
  type PreprocessingStep,
  type PreprocessOptions,
  type Size,
  type StepContext,
} from './step.js';

export interface CropOptions {
  /** Height and width of the crop in pixels of the first modality; one number is a square. */
  readonly size: number | Size;
}

/** The window of a sample. @throws InputError CROP_FRACTION */
export const cropSample = (sample: Sample, window: Window, context: StepContext, outside?: Outside): Sample =>
  moveSample(sample, cropMove(frameOf(sample), window), context, outside);

/** @throws InputError CROP_TOO_LARGE */
export function checkFits(sample: Sample, size: Size): Size {
  const { height, width } = frameOf(sample);
  if (size.height <= height && size.width <= width) return { height, width };
  throw new InputError(
    'CROP_TOO_LARGE',
    `A crop of ${size.height} × ${size.width} does not fit into ${height} × ${width} pixels.`,
    { where: `sample ${sample.id}`, hint: 'Choose a smaller size, or pad before: padTo({ size }).' },
  );
}

/** A window of this size anywhere in the image; nothing is drawn where there is one place only. */
export function drawWindow(frame: Size, size: Size, random: Random): Window {
  if (frame.height === size.height && frame.width === size.width) return { row: 0, column: 0, ...size };
  const row = random.integer(frame.height - size.height + 1);
  return { row, column: random.integer(frame.width - size.width + 1), ...size };
}

/** A crop at a place drawn anew for every sample. @throws UsageError STEP_OPTION; InputError CROP_TOO_LARGE, CROP_FRACTION */
export function randomCrop(options: CropOptions): PreprocessingStep {
  const size = sizeOption('random-crop', options.size);
  return {
    name: 'random-crop',
    options: { size: sizeJson(size) },
    isRandom: true,
    apply(sample, context) {
      const frame = checkFits(sample, size);
      return cropSample(sample, drawWindow(frame, size, context.random), context);
    },
  };
}

/** The middle, rounded to the upper left. @throws UsageError STEP_OPTION; InputError CROP_TOO_LARGE, CROP_FRACTION */
export function centerCrop(options: CropOptions): PreprocessingStep {
  const size = sizeOption('center-crop', options.size);
  return {
    name: 'center-crop',
    options: { size: sizeJson(size) },
    isRandom: false,
    apply(sample, context) {
      const { height, width } = checkFits(sample, size);
      const [row, column] = [Math.floor((height - size.height) / 2), Math.floor((width - size.width) / 2)];
      return cropSample(sample, { row, column, ...size }, context);
    },
  };
}

export interface TileOptions {
  /** Side of the square tiles, pixels of the first modality. */
  readonly size: number;
  /** Tiles are at most this far apart and cover every pixel. Default: side by side, what is left over is dropped. */
  readonly stride?: number;
}

/**
 * All tiles of a sample, row by row: samples of their own, named `<id>/r<row>-c<column>`. They can be preprocessed like
 * any other.
 * @throws UsageError STEP_OPTION; InputError CROP_TOO_LARGE, CROP_FRACTION
 */
export function tileSample(sample: Sample, options: TileOptions, settings: PreprocessOptions = {}): Sample[] {
  const { size, stride } = options;
  const { height: side } = sizeOption('tiles', size);
  if (stride !== undefined && !(Number.isInteger(stride) && stride >= 1 && stride <= side))
    throw badOption('tiles', 'stride', stride, 'a number of pixels from 1 to the size');
  const { height, width } = checkFits(sample, { height: side, width: side });
  const windows =
    stride === undefined ? gridWindows(height, width, side) : coveringWindows(height, width, side, stride);
  const context = stepContext(settings);
  return windows.map((window) => ({
    ...cropSample(sample, window, context),
    id: `${sample.id}/r${window.row}-c${window.column}`,
  }));
}
