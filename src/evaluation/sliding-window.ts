import type { LoadedSample } from '../datasets/loaded-dataset.js';
import { coveringWindows, type Window } from '../io/window.js';
import type { ConfusionMatrix } from '../metrics/confusion-matrix.js';
import { cutTile, type Tile } from '../training/tiles.js';
import { matrixOf, type EvaluationOptions } from './evaluate-tiles.js';
import { batches, predictLogits } from './predict.js';

export interface WindowOptions extends EvaluationOptions {
  /** Side of the square windows, pixels. */
  readonly size: number;
  /** Windows are at most this far apart, pixels. */
  readonly stride: number;
}

/**
 * Counts over whole images, place by place: every pixel is predicted; where windows overlap, the class
 * scores are averaged before the class is chosen.
 * Differs: PANGAEA's evaluator picks windows by `rows · i + j`, which is right for square grids only.
 */
export async function slidingWindow(
  samples: readonly LoadedSample[],
  options: WindowOptions,
): Promise<Map<string, ConfusionMatrix>> {
  const byPlace = new Map<string, ConfusionMatrix>();
  for (const sample of samples) {
    const predicted = await predictWhole(sample, options);
    matrixOf(byPlace, sample.place, options.classCount, options.ignoreIndex).add(
      sample.target.data,
      predicted,
    );
  }
  return byPlace;
}

/** Windows of a sample as tiles, so that features of the same window are shared with later calls. */
export const windowTiles = (
  sample: LoadedSample,
  size: number,
  stride: number,
): (Tile & { readonly window: Window })[] =>
  coveringWindows(sample.image.height, sample.image.width, size, stride).map((window) => ({
    ...cutTile(sample, window),
    window,
  }));

/** Class of every pixel of an image: [height, width]. */
export async function predictWhole(sample: LoadedSample, options: WindowOptions): Promise<Uint8Array> {
  const { model, features, classCount, batchSize, size, stride, breathe } = options;
  const { height, width } = sample.image;
  const sums = new Float32Array(height * width * classCount);
  for (const batch of batches(windowTiles(sample, size, stride), batchSize)) {
    const logits = predictLogits(model, features, batch);
    const values = logits.dataSync<'float32'>();
    logits.dispose();
    const length = values.length / batch.length;
    for (const [index, { window }] of batch.entries()) {
      addWindow(sums, width, window, values.subarray(index * length, (index + 1) * length), classCount);
    }
    await breathe();
  }
  return chooseClasses(sums, classCount);
}

/** values: [window.height, window.width, class] */
function addWindow(
  sums: Float32Array,
  width: number,
  window: Window,
  values: Float32Array,
  classCount: number,
): void {
  for (let row = 0; row < window.height; row++) {
    for (let column = 0; column < window.width; column++) {
      const pixel = (window.row + row) * width + window.column + column;
      const source = (row * window.width + column) * classCount;
      for (let index = 0; index < classCount; index++)
        sums[pixel * classCount + index]! += values[source + index]!;
    }
  }
}

/** Highest score (a sum and a mean over the same windows choose alike); the first of several that are equal. */
function chooseClasses(sums: Float32Array, classCount: number): Uint8Array {
  const classes = new Uint8Array(sums.length / classCount);
  for (let pixel = 0; pixel < classes.length; pixel++) {
    let best = 0;
    for (let index = 1; index < classCount; index++) {
      if (sums[pixel * classCount + index]! > sums[pixel * classCount + best]!) best = index;
    }
    classes[pixel] = best;
  }
  return classes;
}
