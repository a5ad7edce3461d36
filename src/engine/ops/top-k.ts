import { tf, type Tensor } from '../tf.js';
import { takeAlongLastAxis } from './gather.js';

/**
 * The `count` largest elements of the last axis, largest first; of equal ones the earlier comes first.
 * @param x [..., size]
 * @returns values [..., count], differentiable in x; indices [..., count], int32
 */
export function topK(x: Tensor, count: number): { readonly values: Tensor; readonly indices: Tensor } {
  return tf.tidy(() => {
    const { indices } = tf.topk(x, count, true);
    return { values: takeAlongLastAxis(x, indices), indices };
  });
}
