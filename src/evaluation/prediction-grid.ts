import type { SampleImage } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { Window } from '../io/window.js';
import { movePixels, padMove, type Edges, type PadMode } from '../preprocessing/grid-move.js';

/** Images of a batch: [image, time, height, width, band], band fastest. */
export interface ImageBatch {
  readonly data: Float32Array;
  readonly count: number;
  readonly timeCount: number;
  readonly height: number;
  readonly width: number;
  readonly bandCount: number;
}

/**
 * Images of equal size as a batch of numbers, e.g. `samples.map(({ images }) => images.optical!)`.
 * @throws InputError BATCH_SIZES naming the first that differs
 */
export function imageBatch(images: readonly SampleImage[]): ImageBatch {
  const first = images[0];
  const shape = ({ timeCount, height, width, bands }: SampleImage): number[] => [
    timeCount,
    height,
    width,
    bands.length,
  ];
  const wanted = first ? shape(first) : [];
  const at = images.findIndex((image) => shape(image).join() !== wanted.join());
  if (!first || at >= 0) {
    throw new InputError(
      'BATCH_SIZES',
      first
        ? `Image ${at} of the batch is [${shape(images[at]!).join(', ')}], the first [${wanted.join(', ')}].`
        : 'A batch needs an image.',
      { hint: 'Crop or resize samples to one size, and pad their dates: padDates(samples).' },
    );
  }
  const { length } = first.data;
  const data = new Float32Array(images.length * length);
  for (const [place, image] of images.entries()) data.set(image.data, place * length);
  const { timeCount, height, width, bands } = first;
  return { data, count: images.length, timeCount, height, width, bandCount: bands.length };
}

/** Predictions of a batch: [image, height, width, channel], channel fastest. */
export interface PredictionBatch {
  readonly data: Float32Array;
  readonly count: number;
  readonly height: number;
  readonly width: number;
  readonly channelCount: number;
}

/** Predicts images of the size of a window; a prediction has the size of its image. */
export type PredictBatch = (images: ImageBatch) => PredictionBatch | Promise<PredictionBatch>;

/** Images with more pixels at the edges, see `padMove`; the same where no edge has any. */
export function padImages(images: ImageBatch, edges: Edges, mode: PadMode): ImageBatch {
  if (Object.values(edges).every((pixels) => pixels === 0)) return images;
  const { height, width, bandCount } = images;
  const move = padMove(edges, mode)(images);
  const data = movePixels(images.data, { height, width }, bandCount, move);
  return { ...images, data, height: move.height, width: move.width };
}

/** One window of one image. */
export interface Crop {
  readonly image: number;
  readonly window: Window;
}

/** The pixels of crops of one size, as a batch. */
export function cutCrops(images: ImageBatch, crops: readonly Crop[]): ImageBatch {
  const { height, width } = crops[0]!.window;
  const { timeCount, bandCount } = images;
  const line = width * bandCount;
  const data = new Float32Array(crops.length * timeCount * height * line);
  let to = 0;
  for (const { image, window } of crops) {
    for (let time = 0; time < timeCount; time++) {
      for (let row = 0; row < height; row++) {
        const source = (image * timeCount + time) * images.height + window.row + row;
        const from = (source * images.width + window.column) * bandCount;
        data.set(images.data.subarray(from, from + line), to);
        to += line;
      }
    }
  }
  return { data, count: crops.length, timeCount, height, width, bandCount };
}

/** Predictions of crops in groups of at most `batchSize`, in their order. */
export async function* predictCrops(
  images: ImageBatch,
  crops: readonly Crop[],
  predict: PredictBatch,
  batchSize: number | null,
): AsyncGenerator<{ readonly crop: Crop; readonly values: Float32Array; readonly channelCount: number }> {
  const step = batchSize ?? crops.length;
  for (let start = 0; start < crops.length; start += step) {
    const group = crops.slice(start, start + step);
    const { height, width } = group[0]!.window;
    const predicted = await predict(cutCrops(images, group));
    const { data, channelCount } = predicted;
    const length = height * width * channelCount;
    if (predicted.height !== height || predicted.width !== width || data.length !== group.length * length) {
      throw new InputError(
        'PREDICTION_SIZE',
        `The model predicts ${predicted.count} × ${predicted.height} × ${predicted.width} pixels for ${group.length} windows of ${height} × ${width}.`,
        { hint: 'Predictions have the size of the images that they are made of: resize them in the model.' },
      );
    }
    for (const [at, crop] of group.entries())
      yield { crop, values: data.subarray(at * length, (at + 1) * length), channelCount };
  }
}
