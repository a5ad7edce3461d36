import { sigmoid, softmax } from '../engine/ops/activations-smooth.js';
import { tf, type Scalar, type Tensor } from '../engine/tf.js';
import { classRows } from './counted.js';
import { CLASS_TASKS, type Loss, type LossFamily, type LossParameters } from './loss.js';

/** Sums over the pixels that count. */
interface Overlap {
  /** Of probability where the class is true. */
  readonly hits: Tensor;
  /** Of probability. */
  readonly predicted: Tensor;
  /** Of truth. */
  readonly true: Tensor;
}

/** Probability and truth of each class, [pixel, class]; one logit is one class by its sigmoid. */
export function probabilityAndTruth(
  rows: Tensor,
  labels: Tensor,
): { readonly probability: Tensor; readonly truth: Tensor } {
  const classCount = rows.shape[1]!;
  if (classCount === 1)
    return { probability: sigmoid(rows), truth: tf.cast(labels.expandDims(1), 'float32') };
  return { probability: softmax(rows, 1), truth: tf.oneHot(labels.toInt(), classCount).toFloat() };
}

/**
 * A loss of a share that probability and truth of a class have in common, over all pixels of a batch together, as
 * segmentation-models-pytorch computes it: the mean over all classes, where those that no pixel has count 0.
 */
const overlapLoss =
  (shareOf: (overlap: Overlap) => { readonly above: Tensor; readonly below: Tensor }) =>
  ({ ignoreIndex = null, smoothing = 0, isLogarithmic = false, epsilon = 1e-7 }: LossParameters): Loss =>
  (logits, target, options) =>
    tf.tidy(() => {
      const { logits: rows, labels, counted } = classRows(logits, target, ignoreIndex, options);
      const { probability, truth } = probabilityAndTruth(rows, labels);
      const only = (x: Tensor): Tensor => (counted ? tf.mul(x, counted.expandDims(1)) : x);
      const known = only(truth);
      const present = tf.sum(known, 0);
      const hits = tf.sum(tf.mul(probability, known), 0);
      const { above, below } = shareOf({ hits, predicted: tf.sum(only(probability), 0), true: present });
      const score = tf.div(tf.add(above, smoothing), tf.maximum(tf.add(below, smoothing), epsilon));
      const losses = isLogarithmic ? tf.neg(tf.log(tf.maximum(score, epsilon))) : tf.sub(1, score);
      return tf.mean(tf.mul(losses, tf.cast(tf.greater(present, 0), 'float32'))) as Scalar;
    });

const TAKES = ['smoothing', 'isLogarithmic', 'epsilon'] as const;

/** 1 − hits / half the sum of predicted and true, over the batch. */
export const batchDiceLoss: LossFamily = {
  tasks: CLASS_TASKS,
  takes: TAKES,
  build: overlapLoss(({ hits, predicted, true: due }) => ({
    above: hits,
    below: tf.div(tf.add(predicted, due), 2),
  })),
};

/** 1 − hits / union, over the batch. */
export const jaccardLoss: LossFamily = {
  tasks: CLASS_TASKS,
  takes: TAKES,
  build: overlapLoss(({ hits, predicted, true: due }) => ({
    above: hits,
    below: tf.sub(tf.add(predicted, due), hits),
  })),
};
