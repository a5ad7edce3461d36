import { isNative } from '../engine.js';
import { tf, type Scalar, type Tensor, type Tensor1D, type Tensor2D } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { rawOp } from './raw.js';

/**
 * −log softmax of the right class, one value a row, without reduction.
 * @param logits [rows, class]
 * @param labels [rows], int32, each 0 … class − 1 (mask ignored rows before: see losses/cross-entropy.ts)
 * @returns [rows]; differentiable in the logits
 */
export function sparseCrossEntropy(logits: Tensor2D, labels: Tensor1D): Tensor1D {
  return withGradient<Tensor1D>([logits], (input) => {
    const [loss, slope] = (isNative() ? nativeLoss : composedLoss)(input as Tensor2D, labels);
    return {
      value: loss,
      saved: [slope],
      backward: (dy, [savedSlope]) => [tf.mul(savedSlope!, dy.expandDims(1))],
    };
  });
}

function nativeLoss(logits: Tensor2D, labels: Tensor1D): [Tensor1D, Tensor2D] {
  const attributes = { T: { type: 'float32' }, Tlabels: { type: 'int32' } } as const;
  const [loss, slope] = rawOp('SparseSoftmaxCrossEntropyWithLogits', [logits, labels], attributes, 2);
  return [loss as Tensor1D, slope as Tensor2D];
}

function composedLoss(logits: Tensor2D, labels: Tensor1D): [Tensor1D, Tensor2D] {
  const truth = tf.oneHot(labels, logits.shape[1]).toFloat() as Tensor2D;
  const shifted = tf.sub(logits, tf.max(logits, 1, true)) as Tensor2D;
  const logSum = tf.log(tf.sum(tf.exp(shifted), 1, true));
  const logProbability = tf.sub(shifted, logSum) as Tensor2D;
  const loss = tf.neg(tf.sum(tf.mul(logProbability, truth), 1)) as Tensor1D;
  return [loss, tf.sub(tf.exp(logProbability), truth) as Tensor2D];
}

/**
 * Cross entropy averaged over the rows, each with its weight: Σ wᵢ·lossᵢ / Σ wᵢ (PyTorch's rule). Without
 * weights the plain mean; 0 where all weights are 0.
 */
export function crossEntropy(logits: Tensor2D, labels: Tensor1D, weights?: Tensor1D): Scalar {
  return tf.tidy(() => {
    const losses = sparseCrossEntropy(logits, labels);
    if (!weights) return losses.mean() as Scalar;
    const total = tf.maximum(weights.sum(), 1e-12);
    return tf.div(tf.mul(losses, weights).sum(), total) as Scalar;
  });
}

/**
 * −y · log σ(x) − (1 − y) · log(1 − σ(x)), one value an element, exact for logits of any size.
 * @param targets of the shape of the logits, 0 … 1
 * @returns the shape of the logits; differentiable in them
 */
export function sigmoidCrossEntropy<T extends Tensor>(logits: T, targets: Tensor): T {
  return withGradient<T>([logits], (input) => {
    // max(x, 0) − x · y + log(1 + e^−|x|)
    const rest = tf.log1p(tf.exp(tf.neg(tf.abs(input!))));
    return {
      value: tf.add(tf.sub(tf.relu(input!), tf.mul(input!, targets)), rest) as T,
      saved: () => [tf.sub(tf.sigmoid(input!), targets)],
      backward: (dy, [slope]) => [tf.mul(dy, slope!)],
    };
  });
}
