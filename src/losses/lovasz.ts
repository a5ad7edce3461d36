import { cumsum } from '../engine/ops/slice.js';
import { topK } from '../engine/ops/top-k.js';
import { withGradient } from '../engine/ops/custom-gradient.js';
import { softmax } from '../engine/ops/activations-smooth.js';
import { addRows, gather } from '../engine/ops/gather.js';
import { tf, type Scalar, type Tensor, type Tensor1D } from '../engine/tf.js';
import { classRows } from './counted.js';
import { CLASS_TASKS, type LossFamily } from './loss.js';

/**
 * Lovász-softmax (Berman et al. 2018), over all pixels of a batch together: a surface over the mean of 1 − IoU of the
 * classes that some pixel has.
 */
export const lovaszLoss: LossFamily = {
  tasks: CLASS_TASKS,
  takes: [],
  build:
    ({ ignoreIndex = null }) =>
    (logits, target, options) =>
      tf.tidy(() => {
        const { logits: rows, labels, counted } = classRows(logits, target, ignoreIndex, options);
        const classCount = rows.shape[1];
        const only = (x: Tensor): Tensor => (counted ? tf.mul(x, counted.expandDims(1)) : x);
        const truth = only(tf.oneHot(labels, classCount).toFloat());
        const errors = only(tf.abs(tf.sub(truth, softmax(rows, 1))));
        const present = tf.cast(tf.greater(tf.sum(truth, 0), 0), 'float32');
        const losses = lovaszSum(errors, truth);
        return tf.div(tf.sum(tf.mul(losses, present)), tf.maximum(tf.sum(present), 1)) as Scalar;
      }),
};

/** Σ slope · error of each class, [class]. The order of the errors, and with it the slopes, count as fixed. */
const lovaszSum = (errors: Tensor, truth: Tensor): Tensor =>
  withGradient([errors], (given) => {
    const slopes = lovaszSlopes(given!, truth);
    return {
      value: tf.sum(tf.mul(given!, slopes), 0),
      saved: [slopes],
      backward: (dy, [saved]) => [tf.mul(saved!, dy)],
    };
  });

/** How much the loss of a class grows with each error, [pixel, class]: 1 − IoU gained by it when errors fall in by size. */
function lovaszSlopes(errors: Tensor, truth: Tensor): Tensor {
  const [count, classCount] = errors.shape as [number, number];
  const truths = tf.unstack(truth, 1);
  const columns = tf.unstack(errors, 1).map((column, index) => {
    const { indices } = topK(column, count);
    const sorted = gather(truths[index]!, indices);
    const total = tf.sum(sorted);
    const missed = tf.sub(total, cumsum(sorted, 0));
    const union = tf.add(total, cumsum(tf.sub(1, sorted), 0));
    const loss = tf.sub(1, tf.div(missed, tf.maximum(union, 1)));
    const before = tf.concat([tf.zeros([1]), tf.slice(loss, 0, count - 1)], 0);
    // back to the order of the pixels
    return addRows(tf.sub(loss, before), indices as Tensor1D, count);
  });
  return tf.reshape(tf.stack(columns, 1), [count, classCount]);
}
