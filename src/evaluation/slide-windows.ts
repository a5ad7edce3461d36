import { InputError, RunError } from '../errors.js';
import type { Window } from '../io/window.js';
import { roundHalfEven } from '../round-half-even.js';
import {
  predictCrops,
  type Crop,
  type ImageBatch,
  type PredictBatch,
  type PredictionBatch,
} from './prediction-grid.js';

export interface SlideOptions {
  /** Side of the square windows, pixels. */
  readonly size: number;
  /** Windows are at most this far apart. null: as few windows as cover the image. Default null. */
  readonly stride?: number | null;
  /** Most windows that are predicted at once. null: all. Default null. */
  readonly batchSize?: number | null;
  /** `as-published` merges as PANGAEA's evaluator. Default `corrected`. */
  readonly mode?: 'corrected' | 'as-published';
}

/**
 * Starts of windows on one axis: spread evenly from 0 to the last place, halves rounded to even; as few as the stride (or
 * without one the size) allows.
 * @throws InputError WINDOW_TOO_LARGE
 */
export function windowStarts(length: number, size: number, stride: number | null = null): number[] {
  if (size > length) {
    throw new InputError('WINDOW_TOO_LARGE', `A window of ${size} pixels does not fit into ${length}.`, {
      hint: 'Pad the image to the size of a window, and cut the prediction back.',
    });
  }
  const count = stride === null ? Math.ceil(length / size) : Math.ceil((length - size) / stride) + 1;
  return Array.from({ length: count }, (_, at) =>
    count === 1 ? 0 : roundHalfEven((at * (length - size)) / (count - 1)),
  );
}

/**
 * Predicts whole images window by window; where windows overlap, predictions are averaged.
 *
 * As published, the prediction for row i and column j of the grid of windows is taken from place rows · i + j of a list
 * that has columns · i + j: right for square grids only. With more rows than columns that is past the end of the list.
 * @returns predictions [image, height, width, channel]
 * @throws InputError WINDOW_TOO_LARGE, PREDICTION_SIZE; RunError WINDOW_INDEX as published, where the reference fails
 */
export async function slideWindows(
  images: ImageBatch,
  predict: PredictBatch,
  options: SlideOptions,
): Promise<PredictionBatch> {
  const { size, stride = null, batchSize = null, mode = 'corrected' } = options;
  const rows = windowStarts(images.height, size, stride);
  const columns = windowStarts(images.width, size, stride);
  const windows = rows.flatMap((row) =>
    columns.map((column) => ({ row, column, height: size, width: size })),
  );
  const crops = windows.flatMap((window) =>
    Array.from({ length: images.count }, (_, image): Crop => ({ image, window })),
  );
  const places = placesOf(windows, rows.length, columns.length, mode);
  const merge = new Merge(images);
  let at = 0;
  for await (const { crop, values, channelCount } of predictCrops(images, crops, predict, batchSize)) {
    // windows come first, images within them
    for (const place of places[Math.floor(at / images.count)]!)
      merge.add(crop.image, place, values, channelCount);
    at++;
  }
  return merge.mean();
}

/** Windows to which the prediction of each window is added. */
function placesOf(
  windows: readonly Window[],
  rows: number,
  columns: number,
  mode: 'corrected' | 'as-published',
): Window[][] {
  if (mode === 'corrected') return windows.map((window) => [window]);
  const places: Window[][] = windows.map(() => []);
  for (const [at, window] of windows.entries()) {
    const taken = rows * Math.floor(at / columns) + (at % columns);
    const list = places[taken];
    if (!list) {
      throw new RunError('WINDOW_INDEX', `As published, window ${taken} of ${windows.length} is asked for.`, {
        hint: 'The reference fails on images with more rows than columns of windows: use the corrected mode.',
      });
    }
    list.push(window);
  }
  return places;
}

class Merge {
  readonly #images: ImageBatch;
  #sums = new Float64Array(0);
  #channels = 0;
  readonly #counts: Float64Array;

  constructor(images: ImageBatch) {
    this.#images = images;
    this.#counts = new Float64Array(images.count * images.height * images.width);
  }

  add(image: number, { row, column, height, width }: Window, values: Float32Array, channels: number): void {
    if (this.#channels === 0) {
      this.#channels = channels;
      this.#sums = new Float64Array(this.#counts.length * channels);
    }
    let from = 0;
    for (let y = row; y < row + height; y++) {
      for (let x = column; x < column + width; x++) {
        const pixel = (image * this.#images.height + y) * this.#images.width + x;
        this.#counts[pixel]!++;
        for (let channel = 0; channel < channels; channel++)
          this.#sums[pixel * channels + channel]! += values[from++]!;
      }
    }
  }

  mean(): PredictionBatch {
    const channels = this.#channels;
    const { count, height, width } = this.#images;
    const data = new Float32Array(this.#sums.length);
    for (let at = 0; at < data.length; at++)
      data[at] = this.#sums[at]! / this.#counts[Math.floor(at / channels)]!;
    return { data, count, height, width, channelCount: channels };
  }
}
