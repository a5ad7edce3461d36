import { tf, type Scalar, type Tensor } from '../engine/tf.js';
import { reduced, valuePairs } from './counted.js';
import type { LossFamily, LossParameters } from './loss.js';

/** Reduces a function of the error, prediction − target, over the pixels that count. */
const errorLoss = (
  takes: LossFamily['takes'],
  lossOf: (error: Tensor, parameters: LossParameters) => Tensor,
  finish: (mean: Tensor, parameters: LossParameters) => Tensor = (mean) => mean,
): LossFamily => ({
  tasks: ['regression'],
  takes,
  build:
    ({ ignoreIndex = null, ...parameters }) =>
    (prediction, target, options) =>
      tf.tidy(() => {
        const pairs = valuePairs(prediction, target, ignoreIndex, options);
        const error = tf.sub(pairs.prediction, pairs.target);
        const mean = reduced(lossOf(error, parameters), pairs.counted, parameters.reduction);
        return finish(mean, parameters) as Scalar;
      }),
});

/** Mean of the squares. */
export const squaredErrorLoss = errorLoss(['reduction'], (error) => tf.square(error));

/** Mean of the sizes. */
export const absoluteErrorLoss = errorLoss(['reduction'], (error) => tf.abs(error));

/** A square up to `bend`, then straight: error² / 2 and bend · (|error| − bend / 2). */
export const huberLoss = errorLoss(['reduction', 'bend'], (error, { bend = 1 }) => {
  const { bent, rest } = parted(error, bend);
  return tf.add(tf.div(tf.square(bent), 2), tf.mul(rest, bend));
});

/** Huber's divided by `bend`; with bend 0 the mean of the sizes. */
export const smoothAbsoluteErrorLoss = errorLoss(['reduction', 'bend'], (error, { bend = 1 }) =>
  smoothAbsoluteError(error, bend),
);

/** error² / (2 · bend) up to the bend, then straight; with bend 0 the size. One value an element. */
export function smoothAbsoluteError(error: Tensor, bend: number): Tensor {
  if (bend === 0) return tf.abs(error);
  const { bent, rest } = parted(error, bend);
  return tf.add(tf.div(tf.square(bent), 2 * bend), rest);
}

/** Size of an error up to the bend, and what is beyond it. */
function parted(error: Tensor, bend: number): { readonly bent: Tensor; readonly rest: Tensor } {
  const size = tf.abs(error);
  const bent = tf.minimum(size, bend);
  return { bent, rest: tf.sub(size, bent) };
}

/** Where all is right the root has no finite slope. */
const SMALLEST_SQUARE = 1e-20;

const root = (mean: Tensor): Tensor => tf.sqrt(tf.maximum(mean, SMALLEST_SQUARE));

/**
 * Root of the mean of the squares.
 * Differs: TerraTorch takes the root twice; the fault `rmse-root-twice` does so.
 */
export const rootMeanSquareLoss = errorLoss(
  [],
  (error) => tf.square(error),
  (mean, { faults = {} }) => (faults['rmse-root-twice'] ? root(root(mean)) : root(mean)),
);
