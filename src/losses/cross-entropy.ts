import { logSoftmax } from '../engine/ops/activations-smooth.js';
import { sparseCrossEntropy } from '../engine/ops/cross-entropy.js';
import { gather } from '../engine/ops/gather.js';
import { tf, type Scalar, type Tensor, type Tensor1D, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { checkWeightCount } from './check-parameters.js';
import { classRows } from './counted.js';
import { CLASS_TASKS, type LossCallOptions, type LossFamily, type LossParameters } from './loss.js';

type Parameters = Pick<LossParameters, 'ignoreIndex' | 'classWeights' | 'labelSmoothing' | 'reduction'>;

export interface PixelCrossEntropy {
  /** [pixel], weighted by class; 0 where it does not count. */
  readonly losses: Tensor1D;
  /** [pixel], what a mean divides by: the weight of the pixel's class, 0 where it does not count; undefined: all 1. */
  readonly weights: Tensor1D | undefined;
}

/** Cross entropy of each pixel, as PyTorch weights and smooths it: the smooth part is weighted by class as well. */
export function pixelCrossEntropy(
  logits: Tensor,
  target: Tensor,
  { ignoreIndex = null, classWeights, labelSmoothing = 0 }: Parameters,
  options?: LossCallOptions,
): PixelCrossEntropy {
  const { logits: rows, labels, counted } = classRows(logits, target, ignoreIndex, options);
  checkWeightCount('classWeights', classWeights, rows.shape[1]);
  const byClass = classWeights && tf.tensor1d([...classWeights]);
  const weights = multiplied(byClass && gather(byClass, labels), counted) as Tensor1D | undefined;
  const sharp = multiplied(sparseCrossEntropy(rows, labels), weights)!;
  if (labelSmoothing === 0) return { losses: sharp as Tensor1D, weights };
  const all = tf.neg(tf.sum(multiplied(logSoftmax(rows), byClass)!, 1));
  const smooth = multiplied(tf.div(all, rows.shape[1]), counted)!;
  const losses = tf.add(tf.mul(sharp, 1 - labelSmoothing), tf.mul(smooth, labelSmoothing)) as Tensor1D;
  return { losses, weights };
}

const multiplied = (a: Tensor | undefined, b: Tensor | undefined): Tensor | undefined =>
  a && b ? tf.mul(a, b) : (a ?? b);

/** Σ loss / Σ weight over the pixels that count, or Σ loss. */
export const crossEntropyLoss: LossFamily = {
  tasks: CLASS_TASKS,
  takes: ['classWeights', 'labelSmoothing', 'reduction'],
  build:
    ({ reduction = 'mean', ...parameters }) =>
    (logits, target, options) =>
      tf.tidy(() => {
        const { losses, weights } = pixelCrossEntropy(logits, target, parameters, options);
        if (reduction === 'sum') return tf.sum(losses) as Scalar;
        if (!weights) return tf.mean(losses) as Scalar;
        return tf.div(tf.sum(losses), tf.maximum(tf.sum(weights), 1e-12)) as Scalar;
      }),
};

export interface SegmentationLossOptions {
  /** Pixels of this class are left out; null counts every pixel. */
  readonly ignoreIndex: number | null;
}

/**
 * Mean cross entropy over the pixels that count (0 if none does).
 * @param logits [batch, height, width, class]
 * @param target [batch, height, width], int32
 */
export const segmentationCrossEntropy = (
  logits: Tensor4D,
  target: Tensor3D,
  options: SegmentationLossOptions,
): Scalar => crossEntropyLoss.build(options)(logits, target);
