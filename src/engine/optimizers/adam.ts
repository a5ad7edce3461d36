import { isNative } from '../engine.js';
import { tf } from '../tf.js';
import type { UpdateRule } from './slot.js';

export interface AdamOptions {
  /** Defaults 0.9, 0.999, 1e-8: PyTorch's. */
  readonly beta1?: number;
  readonly beta2?: number;
  readonly epsilon?: number;
  /** Divides by the largest second moment so far (Reddi et al. 2018); default false. */
  readonly amsgrad?: boolean;
  /** Weight decay shrinks the value itself (AdamW) rather than joining the gradient (Adam). */
  readonly isDecoupled: boolean;
}

/**
 * Adam as PyTorch computes it: value − rate · m̂ / (√v̂ + ε), with m̂ and v̂ corrected for their zero start; AdamW
 * multiplies the value by 1 − rate · weightDecay before.
 */
export function adamRule(options: AdamOptions): UpdateRule {
  const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, amsgrad = false, isDecoupled } = options;
  return {
    memory: ['mean', 'square', ...(amsgrad ? ['largestSquare'] : [])],
    prepare({ rate, weightDecay, count }) {
      const power1 = beta1 ** count;
      const power2 = beta2 ** count;
      // TensorFlow adds ε to √v before the correction, PyTorch after it
      const numbers = [power1, power2, rate, beta1, beta2, epsilon * Math.sqrt(1 - power2)];
      const scalars = isNative() ? numbers.map((number) => tf.scalar(number)) : [];
      return {
        decay: isDecoupled ? 1 - rate * weightDecay : 1,
        coupledDecay: isDecoupled ? 0 : weightDecay,
        compute(value, gradient, [mean, square, largest]) {
          const newMean = tf.add(tf.mul(mean!, beta1), tf.mul(gradient, 1 - beta1));
          const newSquare = tf.add(tf.mul(square!, beta2), tf.mul(tf.square(gradient), 1 - beta2));
          const newLargest = largest && tf.maximum(largest, newSquare);
          const spread = tf.div(tf.sqrt(newLargest ?? newSquare), Math.sqrt(1 - power2));
          const move = tf.mul(tf.div(newMean, tf.add(spread, epsilon)), rate / (1 - power1));
          const memory = [newMean, newSquare, ...(newLargest ? [newLargest] : [])];
          return { value: tf.sub(value, move), memory };
        },
        fuse: (gradient) =>
          amsgrad
            ? { op: 'ResourceApplyAdamWithAmsgrad', inputs: [...scalars, gradient] }
            : {
                op: 'ResourceApplyAdam',
                inputs: [...scalars, gradient],
                attributes: { use_nesterov: { bool: false } },
              },
      };
    },
  };
}
