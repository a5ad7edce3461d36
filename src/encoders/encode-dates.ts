import { tf, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import type { ForwardContext } from '../layers/layer.js';
import type { BuiltEncoder, EncoderInput } from './encoder.js';

/**
 * Feature maps of a series: as the encoder gives them where it takes several dates, else of one date after the other,
 * as [batch, time, height, width, channels]. Of a single date there is no time axis.
 */
export function encodeDates(
  encoder: BuiltEncoder,
  input: EncoderInput,
  context: ForwardContext,
): (Tensor4D | Tensor5D)[] {
  const dateCount = Math.max(
    ...Object.values(input.images).map(({ rank, shape }) => (rank === 5 ? shape[1] : 1)),
  );
  if (dateCount === 1 || (encoder.dates ?? 1) !== 1) return encoder.forward(input, context);
  const byDate = Array.from({ length: dateCount }, (_, date) =>
    encoder.forward(dateOf(input, date), context),
  );
  return encoder.features.map(
    (_, level) =>
      tf.stack(
        byDate.map((maps) => maps[level]!),
        1,
      ) as Tensor5D,
  );
}

/** What belongs to one date; images without a time axis belong to each. */
function dateOf(input: EncoderInput, date: number): EncoderInput {
  const images = Object.entries(input.images).map(([name, image]) => {
    const isSeries = image.rank === 5 && image.shape[1]! > 1;
    const begin = image.shape.map((_, axis) => (axis === 1 ? date : 0));
    const size = image.shape.map((_, axis) => (axis === 1 ? 1 : -1));
    return [name, isSeries ? tf.slice(image, begin, size) : image] as const;
  });
  return {
    ...input,
    images: Object.fromEntries(images),
    ...(input.times && { times: input.times.map((ofSample) => [ofSample[date]!]) }),
  };
}
