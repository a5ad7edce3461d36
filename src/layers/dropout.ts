import { tf, type Tensor4D } from '../engine/tf.js';
import { fillUniform } from '../random.js';
import { sizeOf } from '../shapes.js';
import type { Layer } from './layer.js';

/**
 * In training, sets channels of a sample to 0, each with the given probability, and enlarges the others by as much, so
 * that sums keep their mean. Without a generator in the context, and in evaluation, it changes nothing.
 * @param rate share that is left out, 0 ≤ rate < 1
 */
export const channelDropout = (rate: number): Layer =>
  masking(rate, ([batch, , , channels]) => [batch, 1, 1, channels]);

/** The same for each number by itself. */
export const dropout = (rate: number): Layer => masking(rate, (shape) => shape);

type Shape = Tensor4D['shape'];

const masking =
  (rate: number, maskShape: (shape: Shape) => Shape): Layer =>
  (x, { training, random }) => {
    if (!training || !random || rate === 0) return x;
    const shape = maskShape(x.shape);
    const kept = fillUniform(new Float32Array(sizeOf(shape)), random, (uniform) =>
      uniform < rate ? 0 : 1 / (1 - rate),
    );
    return tf.mul<Tensor4D>(x, tf.tensor(kept, shape));
  };
