import type { Tensor5D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import type { EncoderInput } from './encoder.js';
import type { EncoderSample } from './encoder-sample.js';

type TensorFlow = (typeof import('../engine/tf.js'))['tf'];

/**
 * Samples of one size as a batch.
 * @throws InputError BATCH_SIZES
 */
export function batchOf(samples: readonly EncoderSample[], tf: TensorFlow): EncoderInput {
  const first = samples[0];
  if (!first) {
    throw new InputError('BATCH_SIZES', 'A batch needs a sample.', {
      where: 'samples',
      hint: 'Give at least one.',
    });
  }
  const images = Object.fromEntries(
    Object.keys(first.images).map((modality) => [modality, imagesTensor(samples, modality, tf)]),
  );
  const all = <K extends 'times' | 'place' | 'groundSamplingDistance'>(
    key: K,
  ): NonNullable<EncoderSample[K]>[] | undefined => {
    const values = samples.flatMap((sample) => (sample[key] === undefined ? [] : [sample[key]]));
    return values.length === samples.length ? values : undefined;
  };
  const [times, places, distances] = [all('times'), all('place'), all('groundSamplingDistance')];
  return {
    images,
    ...(times && { times }),
    ...(places && { places }),
    ...(distances && { groundSamplingDistance: distances }),
  };
}

function imagesTensor(samples: readonly EncoderSample[], modality: string, tf: TensorFlow): Tensor5D {
  const { timeCount, height, width, bands } = samples[0]!.images[modality]!;
  const shape = [timeCount, height, width, bands.length] as const;
  const size = shape.reduce((product, axis) => product * axis, 1);
  const data = new Float32Array(samples.length * size);
  for (const [index, { images }] of samples.entries()) {
    const image = images[modality];
    const own = image && [image.timeCount, image.height, image.width, image.bands.length];
    if (own?.join() !== shape.join()) {
      throw new InputError(
        'BATCH_SIZES',
        `${modality} of sample ${index} is ${own ? `[${own.join(', ')}]` : 'missing'}, of the first [${shape.join(', ')}].`,
        {
          where: `samples[${index}]`,
          hint: 'Crop, resize or pad samples to one size, or encode them one by one.',
        },
      );
    }
    data.set(image!.data, index * size);
  }
  return tf.tensor5d(data, [samples.length, ...shape]);
}
