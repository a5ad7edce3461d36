import { tf, type Scalar, type Tensor } from '../engine/tf.js';
import { classRows } from './counted.js';
import type { LossFamily } from './loss.js';
import { probabilityAndTruth } from './overlap.js';

/** Probability of ignored pixels stays in the divisor (PANGAEA's code). */
const IGNORED_COUNT = 'dice-ignored-pixels';

/**
 * PANGAEA's DICE: 1 − the mean over images and classes of (2 Σ p·y + ε) / (Σ p + Σ y + ε), images without a pixel that
 * counts left out; ε 1e-6. Softmax over the classes, or the sigmoid of one logit.
 * Differs: pixels that do not count leave both sums; with the fault `dice-ignored-pixels` their probability stays below.
 */
export const diceLoss: LossFamily = {
  tasks: ['segmentation', 'change_detection'],
  takes: ['epsilon'],
  build:
    ({ ignoreIndex = null, epsilon = 1e-6, faults = {} }) =>
    (logits, target, options) =>
      tf.tidy(() => {
        const { logits: rows, labels, counted } = classRows(logits, target, ignoreIndex, options);
        const { probability, truth } = probabilityAndTruth(rows, labels);
        const [batch, classCount] = [logits.shape[0]!, rows.shape[1]];
        const mask = counted?.expandDims(1);
        const only = (x: Tensor): Tensor => (mask ? tf.mul(x, mask) : x);
        const perImage = (x: Tensor): Tensor => tf.sum(tf.reshape(x, [batch, -1, classCount]), 1);
        const known = only(truth);
        const hits = perImage(tf.mul(probability, known));
        const below = perImage(tf.add(faults[IGNORED_COUNT] ? probability : only(probability), known));
        const scores = tf.div(tf.add(tf.mul(hits, 2), epsilon), tf.add(below, epsilon));
        const losses = tf.mean(tf.sub(1, scores), 1);
        if (!counted) return tf.mean(losses) as Scalar;
        const hasPixels = tf.cast(tf.greater(tf.sum(tf.reshape(counted, [batch, -1]), 1), 0), 'float32');
        return tf.div(tf.sum(tf.mul(losses, hasPixels)), tf.maximum(tf.sum(hasPixels), 1)) as Scalar;
      }),
};
