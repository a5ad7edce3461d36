import { sigmoidCrossEntropy } from '../engine/ops/cross-entropy.js';
import { tf, type Scalar, type Tensor } from '../engine/tf.js';
import { classRows } from './counted.js';
import { CLASS_TASKS, type LossFamily, type LossParameters } from './loss.js';

/** Below it (1 − p)^gamma has no finite slope for powers under 1. */
const SMALLEST_MISS = 1e-12;

/**
 * Focal loss (Lin et al. 2017) as segmentation-models-pytorch has it: one against the rest for every class by its
 * sigmoid, (1 − p)^gamma · cross entropy, averaged over the elements that count and then over the classes. One logit is one
 * class.
 */
export const focalLoss: LossFamily = {
  tasks: CLASS_TASKS,
  takes: ['gamma', 'alpha', 'isNormalized', 'reduction', 'epsilon'],
  build:
    ({ ignoreIndex = null, ...parameters }) =>
    (logits, target, options) =>
      tf.tidy(() => {
        const { logits: rows, labels, counted } = classRows(logits, target, ignoreIndex, options);
        const classCount = rows.shape[1];
        const truth =
          classCount === 1
            ? tf.cast(labels.expandDims(1), 'float32')
            : tf.oneHot(labels, classCount).toFloat();
        return focal(rows, truth, counted?.expandDims(1), parameters);
      }),
};

function focal(
  rows: Tensor,
  truth: Tensor,
  counted: Tensor | undefined,
  { gamma = 2, alpha = null, isNormalized = false, reduction = 'mean', epsilon = 1e-7 }: LossParameters,
): Scalar {
  const [count, classCount] = rows.shape as [number, number];
  const entropy = sigmoidCrossEntropy(rows, truth);
  const miss = tf.maximum(tf.sub(1, tf.exp(tf.neg(entropy))), SMALLEST_MISS);
  const power = gamma === 0 ? tf.onesLike(entropy) : tf.pow(miss, gamma);
  const terms = counted ? tf.mul(power, counted) : power;
  let losses = tf.mul(terms, entropy);
  if (alpha !== null) {
    losses = tf.mul(losses, tf.add(tf.mul(truth, 2 * alpha - 1), 1 - alpha)); // alpha for 1, 1 − alpha for 0
  }
  if (isNormalized) losses = tf.div(losses, tf.maximum(tf.sum(terms, 0, true), epsilon));
  const sum = tf.div(tf.sum(losses), classCount);
  if (reduction === 'sum') return sum as Scalar;
  return tf.div(sum, counted ? tf.maximum(tf.sum(counted), 1) : count) as Scalar;
}
