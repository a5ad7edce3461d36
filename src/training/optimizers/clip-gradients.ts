import { tf, type Scalar, type Tensor } from '../../engine/tf.js';

/** Keeps the factor finite where all gradients are 0; PyTorch's. */
const SMALLEST_NORM = 1e-6;

/**
 * Shortens gradients that are longer together than `maximum` (their norm as one long vector) to that length.
 * @returns new gradients in the caller's scope, and the norm before
 */
export function clipGradients(
  gradients: readonly Tensor[],
  maximum: number,
): { readonly gradients: Tensor[]; readonly norm: Scalar } {
  const squares = gradients.map((gradient) => tf.sum(tf.square(gradient)));
  const norm = tf.sqrt(tf.addN(squares)) as Scalar;
  const factor = tf.minimum(1, tf.div(maximum, tf.add(norm, SMALLEST_NORM)));
  return { gradients: gradients.map((gradient) => tf.mul(gradient, factor)), norm };
}
