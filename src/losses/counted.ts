import { tf, type Tensor, type Tensor1D, type Tensor2D } from '../engine/tf.js';
import type { LossCallOptions, Reduction } from './loss.js';

/** A smaller divisor is a sum of nothing. */
const NOTHING = 1e-12;

/** What counts, 1 or 0, in the target's shape; undefined: all. */
function countedMask(
  target: Tensor,
  ignoreIndex: number | null,
  validity: Tensor | undefined,
): Tensor | undefined {
  const known = ignoreIndex === null ? undefined : tf.notEqual(target, ignoreIndex);
  const valid = validity && tf.cast(validity, 'bool');
  if (known && valid) return tf.logicalAnd(known, valid);
  return known ?? valid;
}

export interface ClassRows {
  /** [pixel, class] */
  readonly logits: Tensor2D;
  /** [pixel], int32; 0 where it does not count. */
  readonly labels: Tensor1D;
  /** [pixel], 1 where it counts, else 0; undefined: all do. */
  readonly counted: Tensor1D | undefined;
}

/** Pixels (or images) one below the other. */
export function classRows(
  logits: Tensor,
  target: Tensor,
  ignoreIndex: number | null,
  { validity }: LossCallOptions = {},
): ClassRows {
  const classCount = logits.shape.at(-1)!;
  const rows = tf.reshape(logits, [-1, classCount]) as Tensor2D;
  const labels = tf.reshape(tf.cast(target, 'int32'), [-1]) as Tensor1D;
  const mask = countedMask(labels, ignoreIndex, validity && tf.reshape(validity, [-1])) as
    Tensor1D | undefined;
  if (!mask) return { logits: rows, labels, counted: undefined };
  const known = tf.where(mask, labels, tf.zerosLike(labels));
  return { logits: rows, labels: known, counted: tf.cast(mask, 'float32') };
}

/** Prediction and target of one shape; the target is that of the prediction where it does not count. */
export interface ValuePairs {
  readonly prediction: Tensor;
  readonly target: Tensor;
  /** 1 where it counts, else 0; undefined: all do. */
  readonly counted: Tensor | undefined;
}

/** Values of pixels, or labels of images, side by side. */
export function valuePairs(
  prediction: Tensor,
  target: Tensor,
  ignoreIndex: number | null,
  { validity }: LossCallOptions = {},
): ValuePairs {
  const shaped = tf.reshape(prediction, target.shape);
  const values = tf.cast(target, 'float32');
  const mask = countedMask(values, ignoreIndex, validity && tf.reshape(validity, target.shape));
  if (!mask) return { prediction: shaped, target: values, counted: undefined };
  // no arithmetic with what does not count: it may be NaN
  return {
    prediction: shaped,
    target: tf.where(mask, values, tf.zerosLike(values)),
    counted: tf.cast(mask, 'float32'),
  };
}

/** Σ weight · loss, or that over Σ weight; 0 where no weight is. Without weights the plain sum or mean. */
export function reduced(losses: Tensor, weights: Tensor | undefined, reduction: Reduction = 'mean'): Tensor {
  if (!weights) return reduction === 'mean' ? tf.mean(losses) : tf.sum(losses);
  const sum = tf.sum(tf.mul(losses, weights));
  return reduction === 'mean' ? tf.div(sum, tf.maximum(tf.sum(weights), NOTHING)) : sum;
}
