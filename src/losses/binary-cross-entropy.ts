import { sigmoidCrossEntropy } from '../engine/ops/cross-entropy.js';
import { tf, type Scalar, type Tensor } from '../engine/tf.js';
import { checkWeightCount } from './check-parameters.js';
import { reduced, valuePairs } from './counted.js';
import type { LossFamily } from './loss.js';

const TASKS = ['multilabel', 'segmentation', 'change_detection'] as const;

/** Every label by its own sigmoid, averaged over all that count; positives may weigh more. */
export const binaryCrossEntropyLoss: LossFamily = {
  tasks: TASKS,
  takes: ['positiveWeights', 'reduction'],
  build:
    ({ ignoreIndex = null, positiveWeights, reduction = 'mean' }) =>
    (logits, target, options) =>
      tf.tidy(() => {
        const { prediction, target: truth, counted } = valuePairs(logits, target, ignoreIndex, options);
        checkWeightCount('positiveWeights', positiveWeights, logits.shape.at(-1)!);
        const entropy = sigmoidCrossEntropy(prediction, truth);
        if (!positiveWeights) return reduced(entropy, counted, reduction) as Scalar;
        const extra = tf.sub(tf.tensor1d([...positiveWeights]), 1);
        const losses = tf.mul(entropy, tf.add(1, tf.mul(truth, extra)));
        return reduced(losses, counted, reduction) as Scalar;
      }),
};

/** GEO-Bench's multi-label loss: the mean over the positives plus the mean over the negatives of a batch; one that is empty is 0. */
export const balancedBinaryCrossEntropyLoss: LossFamily = {
  tasks: TASKS,
  takes: [],
  build:
    ({ ignoreIndex = null }) =>
    (logits, target, options) =>
      tf.tidy(() => {
        const { prediction, target: truth, counted } = valuePairs(logits, target, ignoreIndex, options);
        const entropy = sigmoidCrossEntropy(prediction, truth);
        const only = (x: Tensor): Tensor => (counted ? tf.mul(x, counted) : x);
        const positives = reduced(entropy, only(truth));
        return tf.add(positives, reduced(entropy, only(tf.sub(1, truth)))) as Scalar;
      }),
};
