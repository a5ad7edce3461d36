import { tf, type Tensor } from './tf.js';

/** The numbers of a tensor, in memory order. */
export interface TensorValues {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** Numbers that a computation gives, nothing of it kept. (A tidy that returned them would look for tensors among them, one by one.) */
export function valuesOf(compute: () => Tensor): TensorValues {
  const result = tf.tidy(compute);
  try {
    return { data: result.dataSync<'float32'>(), shape: result.shape };
  } finally {
    result.dispose();
  }
}
