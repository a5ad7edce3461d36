import { tf } from '../engine/tf.js';
import type { EncoderSample } from '../encoders/encoder-sample.js';
import type { Answer } from '../training/answer.js';
import type { InputSource } from '../training/input-source.js';
import type { TaskModel } from '../training/task-model.js';
import type { ImageBatch, PredictionBatch } from './prediction-grid.js';
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
  answer: Answer,
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
    const outputs = tf.tidy(() => {
      const context = { training: false };
      const logits = options.model.decode.forward(
        options.source.maps(batch, context),
        { height, width },
        context,
      );
      return { data: logits.dataSync<'float32'>(), channelCount: logits.shape.at(-1)! };
    });
    return { ...outputs, count: pieces.count, height, width };
  };
  const [height = images.height, width = images.width] = answer.shape;
  const isSmall = size === null || (images.height <= size && images.width <= size);
  if (isSmall) return predict(images);
  const given = padded(images, size);
  const whole =
    how === 'tiled'
      ? await tiledInference(images, predict, {
          crop: size,
          stride: protocol.windowStride ?? Math.round(size * TILE_STRIDE),
        })
      : await slideWindows(given, predict, {
          size,
          stride: protocol.windowStride,
          batchSize: WINDOWS_AT_ONCE,
          mode,
        });
  return cut(whole, height, width);
}

/** terratorch's default: 192 of 224. */
const TILE_STRIDE = 192 / 224;

/** An image narrower or lower than a window, filled up with zeros at the right and below. */
function padded(images: ImageBatch, size: number): ImageBatch {
  const { count, timeCount, bandCount } = images;
  const [height, width] = [Math.max(images.height, size), Math.max(images.width, size)];
  if (height === images.height && width === images.width) return images;
  const data = new Float32Array(count * timeCount * height * width * bandCount);
  const line = images.width * bandCount;
  for (let plane = 0; plane < count * timeCount; plane++) {
    for (let row = 0; row < images.height; row++) {
      const from = (plane * images.height + row) * line;
      data.set(images.data.subarray(from, from + line), (plane * height + row) * width * bandCount);
    }
  }
  return { data, count, timeCount, height, width, bandCount };
}

/** The upper left part of a prediction. */
function cut(whole: PredictionBatch, height: number, width: number): PredictionBatch {
  if (whole.height === height && whole.width === width) return whole;
  const { channelCount } = whole;
  const data = new Float32Array(height * width * channelCount);
  for (let row = 0; row < height; row++) {
    const from = row * whole.width * channelCount;
    data.set(whole.data.subarray(from, from + width * channelCount), row * width * channelCount);
  }
  return { data, count: 1, height, width, channelCount };
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
  let offset = 0;
  for (const [, image] of parts) {
    const own = image.bands.length;
    for (let time = 0; time < image.timeCount; time++, offset += own) {
      for (let pixel = 0; pixel < pixels; pixel++) {
        for (let band = 0; band < own; band++)
          data[pixel * bandCount + offset + band] = image.data[(time * pixels + pixel) * own + band]!;
      }
    }
  }
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
