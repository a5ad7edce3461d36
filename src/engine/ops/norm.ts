import { tf, type Tensor, type Tensor2D } from '../tf.js';
import { isGradientTaken, withGradient } from './custom-gradient.js';
import { fusedLayerNorm, fusedLayerNormGradient, hasFusedKernels } from './fused.js';
import { sumToChannels } from './linear.js';
import { hasKernel, layerNormKernel } from './onednn.js';

/**
 * Normalises the last axis to mean 0 and variance 1, then scales and shifts. Differentiable in all three.
 * @param x [..., channels]
 * @param scale [channels]
 * @param offset [channels]
 * @param epsilon added to the variance, e.g. 1e-6
 */
export function layerNorm<T extends Tensor>(x: T, scale: Tensor, offset: Tensor, epsilon: number): T {
  const { shape } = x;
  const channels = shape.at(-1)!;
  if (!isGradientTaken() && hasKernel('layer-norm')) {
    return layerNormKernel(x, scale, offset, epsilon) as T;
  }
  if (hasFusedKernels()) return layerNormInOnePass(x, scale, offset, epsilon);
  return withGradient<T>([x, scale, offset], (input, gamma, beta) => {
    const centered = tf.sub(input!, tf.mean(input!, -1, true));
    const inverse = tf.rsqrt(tf.add(tf.mean(tf.square(centered), -1, true), epsilon));
    const normalized = tf.mul(centered, inverse);
    return {
      value: tf.add(tf.mul(normalized, gamma!), beta!) as T,
      saved: [normalized, inverse, gamma!],
      backward: (dy, [savedNormalized, savedInverse, savedGamma]) => {
        const along = tf.mul(dy, savedNormalized!);
        // means over the channels of dy · γ and dy · γ · x̂, as products with a vector: no pass for γ of its own
        const weights = tf.mul(savedGamma!, 1 / channels).reshape([channels, 1]);
        const weightedMean = (t: Tensor): Tensor =>
          tf.matMul(t.reshape([-1, channels]), weights as Tensor2D).reshape([...shape.slice(0, -1), 1]);
        return [
          () => {
            const slope = tf.sub(tf.mul(dy, savedGamma!), weightedMean(dy));
            return tf.mul(tf.sub(slope, tf.mul(savedNormalized!, weightedMean(along))), savedInverse!);
          },
          () => sumToChannels(along),
          () => sumToChannels(dy),
        ];
      },
    };
  });
}

function layerNormInOnePass<T extends Tensor>(x: T, scale: Tensor, offset: Tensor, epsilon: number): T {
  return withGradient<T>([x, scale, offset], (input, gamma, beta) => {
    const [value, mean, inverse] = fusedLayerNorm(input!, gamma!, beta!, epsilon);
    return {
      value: value as T,
      saved: [input!, mean!, inverse!, gamma!],
      backward: (dy, [savedInput, savedMean, savedInverse, savedGamma]) =>
        fusedLayerNormGradient(dy, savedInput!, savedMean!, savedInverse!, savedGamma!),
    };
  });
}

/**
 * Normalises each group of neighbouring channels over the whole image, then scales and shifts every channel.
 * Differentiable in all three.
 * @param x [batch, ...positions, channels]
 * @param scale [channels]
 * @param offset [channels]
 */
export function groupNorm<T extends Tensor>(
  x: T,
  scale: Tensor,
  offset: Tensor,
  { groups, epsilon }: { readonly groups: number; readonly epsilon: number },
): T {
  const { shape } = x;
  const [batch, channels] = [shape[0]!, shape.at(-1)!];
  const rows = [batch, x.size / (batch * channels), channels];
  /** [batch, position, channel] → mean of each channel, then of its group: [batch, 1, channel]. */
  const groupMean = (channelMeans: Tensor): Tensor => {
    const means = tf.mean(channelMeans.reshape([batch, groups, channels / groups]), 2, true);
    return tf.tile(means, [1, 1, channels / groups]).reshape([batch, 1, channels]);
  };
  const channelMean = (t: Tensor): Tensor => tf.mean(t, 1, true);
  return withGradient<T>([x, scale, offset], (input, gamma, beta) => {
    const image = input!.reshape(rows);
    const centered = tf.sub(image, groupMean(channelMean(image)));
    const inverse = tf.rsqrt(tf.add(groupMean(channelMean(tf.square(centered))), epsilon));
    const value = tf.add(tf.mul(centered, tf.mul(inverse, gamma!)), beta!);
    return {
      value: value.reshape(shape) as T,
      saved: [centered, inverse, gamma!],
      backward: (dy, [savedCentered, savedInverse, savedGamma]) => {
        const slope = dy.reshape(rows);
        const slopeMean = channelMean(slope);
        const alongMean = channelMean(tf.mul(slope, savedCentered!));
        const count = rows[0]! * rows[1]!;
        return [
          () => {
            // x̂ = centered · inverse: everything that is constant over an image's positions stays small
            const perSlope = tf.mul(savedInverse!, savedGamma!);
            const cube = tf.mul(tf.square(savedInverse!), savedInverse!);
            const perCentered = tf.neg(tf.mul(groupMean(tf.mul(alongMean, savedGamma!)), cube));
            const constant = tf.neg(tf.mul(groupMean(tf.mul(slopeMean, savedGamma!)), savedInverse!));
            const parts = tf.add(tf.mul(slope, perSlope), tf.mul(savedCentered!, perCentered));
            return tf.add(parts, constant).reshape(shape);
          },
          () => tf.mul(tf.mean(tf.mul(alongMean, savedInverse!), [0, 1]), count),
          () => tf.mul(tf.mean(slopeMean, [0, 1]), count),
        ];
      },
    };
  });
}

/**
 * Divides by the Euclidean length along an axis, or by epsilon where the length is smaller (PyTorch's
 * `normalize`). Differentiable in x.
 */
export function l2Normalize<T extends Tensor>(x: T, axis = -1, epsilon = 1e-12): T {
  return withGradient<T>([x], (input) => {
    const length = tf.sqrt(tf.sum(tf.square(input!), axis, true));
    const inverse = tf.reciprocal(tf.maximum(length, epsilon));
    const value = tf.mul(input!, inverse);
    return {
      value: value as T,
      saved: () => [value, inverse, tf.greater(length, epsilon).toFloat()],
      backward: (dy, [y, savedInverse, savedIsLong]) => {
        const along = tf.mul(tf.sum(tf.mul(dy, y!), axis, true), savedIsLong!);
        return [tf.mul(tf.sub(dy, tf.mul(y!, along)), savedInverse!)];
      },
    };
  });
}
