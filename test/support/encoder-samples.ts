import type { EncoderInput } from '../../src/encoders/encoder.js';
import type { EncoderSample } from '../../src/encoders/encoder-sample.js';
import { tf } from '../../src/engine/tf.js';

/** A batch of tensors as the samples that an opened encoder takes. */
export function encoderSamples(input: EncoderInput): EncoderSample[] {
  const images = Object.entries(input.images).map(([name, given]) => {
    const image = tf.tidy(() => (given.rank === 4 ? tf.expandDims(given, 1) : given.clone()));
    return { name, shape: image.shape as number[], data: image.dataSync<'float32'>() };
  });
  const count = images[0]!.shape[0]!;
  return Array.from({ length: count }, (_, sample) => ({
    images: Object.fromEntries(
      images.map(({ name, shape, data }) => {
        const [, timeCount, height, width, bandCount] = shape as [number, number, number, number, number];
        const size = data.length / count;
        const bands = Array.from({ length: bandCount }, (_unused, band) => `band ${band + 1}`);
        const own = data.slice(sample * size, (sample + 1) * size);
        return [name, { timeCount, height, width, bands, data: own }];
      }),
    ),
    ...(input.times && { times: input.times[sample]! }),
    ...(input.places && { place: input.places[sample]! }),
    ...(typeof input.groundSamplingDistance === 'number' && {
      groundSamplingDistance: input.groundSamplingDistance,
    }),
  }));
}
