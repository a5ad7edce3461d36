import { valuesOf } from '../engine/values-of.js';
import type { EncoderSample } from '../encoders/encoder-sample.js';
import type { NumberAnswer } from '../training/answer.js';
import { cropRaster } from '../io/window.js';
import { interleave } from '../training/interleave.js';
import type { InputSource } from '../training/input-source.js';
import type { TaskModel } from '../training/task-model.js';
import { padImages, type ImageBatch, type PredictionBatch } from './prediction-grid.js';
import { slideWindows } from './slide-windows.js';
import { tiledInference } from './tiled-inference.js';

export interface WholeImageOptions {
  readonly model: TaskModel;
  readonly source: InputSource;
  readonly protocol: { readonly windowStride: number | null };
  /** Side of the windows. */
  readonly size: number | null;
  readonly mode: 'corrected' | 'as-published';
}

/** Windows that are predicted at once: PANGAEA's; terratorch takes 16 of its smaller ones. */
const WINDOWS_AT_ONCE = 8;

/**
 * Outputs of a whole image, [height, width, channel], from windows of the size that the model was trained on: averaged
 * where they overlap (PANGAEA), or blended (GEO-Bench-2). An image no larger than a window is predicted whole.
 * @param id of the image among all of a dataset's
 * @throws what slideWindows and tiledInference throw
 */
export async function predictWhole(
  id: string,
  input: EncoderSample,
  answer: Pick<NumberAnswer, 'shape'>,
  how: 'sliding-window' | 'tiled',
  options: WholeImageOptions,
): Promise<PredictionBatch> {
  const { size, protocol, mode } = options;
  const { images, inputOf } = joinImages(input);
  let count = 0;
  const predict = async (pieces: ImageBatch): Promise<PredictionBatch> => {
    const requests = Array.from({ length: pieces.count }, (_, index) => ({
      // pieces come in one order for one image, size and stride
      name: `${how}-${size}-${protocol.windowStride}/${id}/${count + index}`,
      read: () => Promise.resolve({ input: inputOf(pieces, index), answer: null, place: '' }),
    }));
    count += pieces.count;
    const batch = await options.source.load(requests);
    const { height, width } = pieces;
    const context = { training: false };
    const { data, shape } = valuesOf(() =>
      options.model.decode.forward(options.source.maps(batch, context), { height, width }, context),
    );
    return { data, channelCount: shape.at(-1)!, count: pieces.count, height, width };
  };
  const [height = images.height, width = images.width] = answer.shape;
  const isSmall = size === null || (images.height <= size && images.width <= size);
  if (isSmall) return predict(images);
  const whole =
    how === 'tiled'
      ? await tiledInference(images, predict, {
          crop: size,
          stride: protocol.windowStride ?? Math.round(size * TILE_STRIDE),
        })
      : await slideWindows(filledUp(images, size), predict, {
          size,
          stride: protocol.windowStride,
          batchSize: WINDOWS_AT_ONCE,
          mode,
        });
  return upperLeft(whole, height, width);
}

/** terratorch's default: 192 of 224. */
const TILE_STRIDE = 192 / 224;

/** An image narrower or lower than a window, filled up with zeros at the right and below. */
const filledUp = (images: ImageBatch, size: number): ImageBatch =>
  padImages(
    images,
    {
      ...{ top: 0, left: 0 },
      bottom: Math.max(0, size - images.height),
      right: Math.max(0, size - images.width),
    },
    'constant',
  );

/** The upper left part of the prediction of one image. */
function upperLeft(
  { data, channelCount, ...whole }: PredictionBatch,
  height: number,
  width: number,
): PredictionBatch {
  const window = { row: 0, column: 0, height, width };
  const part = cropRaster({ ...whole, data, bandCount: channelCount }, window).data as Float32Array;
  return { data: part, count: 1, height, width, channelCount };
}

/**
 * All modalities of a sample side by side as bands of one image, and the way back for pieces of it: dates of a modality
 * that is alone stay dates, else they are bands.
 */
function joinImages(input: EncoderSample): {
  readonly images: ImageBatch;
  readonly inputOf: (pieces: ImageBatch, index: number) => EncoderSample;
} {
  const parts = Object.entries(input.images);
  const [[, first]] = parts as [(typeof parts)[number]];
  const { height, width } = first;
  const pixels = height * width;
  const bandCount = parts.reduce((sum, [, { timeCount, bands }]) => sum + timeCount * bands.length, 0);
  const data = new Float32Array(pixels * bandCount);
  const dates = parts.flatMap(([, { data: series, timeCount, bands }]) =>
    Array.from({ length: timeCount }, (_, time) => {
      const length = pixels * bands.length;
      return { values: series.subarray(time * length, (time + 1) * length), width: bands.length };
    }),
  );
  interleave(
    data,
    dates.map(({ values }) => values),
    dates.map(({ width: own }) => own),
  );
  const inputOf = (pieces: ImageBatch, index: number): EncoderSample => {
    const size = pieces.height * pieces.width;
    let from = index * size * bandCount;
    const images = parts.map(([name, image]) => {
      const own = image.bands.length;
      const cutOut = new Float32Array(image.timeCount * size * own);
      for (let time = 0; time < image.timeCount; time++, from += own) {
        for (let pixel = 0; pixel < size; pixel++) {
          for (let band = 0; band < own; band++)
            cutOut[(time * size + pixel) * own + band] = pieces.data[from + pixel * bandCount + band]!;
        }
      }
      return [name, { ...image, data: cutOut, height: pieces.height, width: pieces.width }] as const;
    });
    return { ...input, images: Object.fromEntries(images) };
  };
  return { images: { data, count: 1, timeCount: 1, height, width, bandCount }, inputOf };
}
