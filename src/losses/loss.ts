import type { Scalar, Tensor } from '../engine/tf.js';
import type { AnswerTask } from '../manifests/answer-task.js';

/** Tasks that are trained by a loss of their outputs; detectors bring losses of their own. */
export type LossTask = AnswerTask;

/**
 * What training makes small, over images and pixels alike.
 *
 * - Classes (`segmentation`, `change_detection`, `classification`): logits [batch, …, class], target [batch, …], int32.
 *   Some losses also take one logit, [batch, …, 1], whose target is 0 or 1.
 * - Labels (`multilabel`): logits [batch, label], target the same, 0 or 1.
 * - Values (`regression`): logits [batch, …, 1] or [batch, …], target [batch, …].
 *
 * A target of the ignore index does not count, wherever that index lies, nor does what is not valid; where nothing
 * counts the loss is 0 and its gradient zeros. Other targets have to be classes: `checkTarget` looks before they become
 * a tensor, since to look here would stop the device.
 */
export type Loss = (logits: Tensor, target: Tensor, options?: LossCallOptions) => Scalar;

export interface LossCallOptions {
  /** Of the target's shape, 1 or true: counts. Default: all do. */
  readonly validity?: Tensor;
}

/** A loss takes those it names; the ignore index and faults are given to any. */
export interface LossParameters {
  /** Target that does not count; default null, all do. A number of float targets is compared as it is. */
  readonly ignoreIndex?: number | null;
  /** Known faults of the references that are on, by id: `dice-ignored-pixels`, `rmse-root-twice`. Default: none. */
  readonly faults?: Readonly<Record<string, boolean>>;
  /** Over what counts; default `mean`. */
  readonly reduction?: Reduction;
  /** Of each class; a mean divides by the weights of what counts. See `inverseShareWeights`. */
  readonly classWeights?: readonly number[];
  /** Share of the truth that is spread over all classes evenly, 0 … 1; default 0. */
  readonly labelSmoothing?: number;
  /** Of the positives of each label. */
  readonly positiveWeights?: readonly number[];
  /** Power of the focal term; default 2. */
  readonly gamma?: number;
  /** Weight of positives, 1 − alpha that of negatives; default null, both 1. */
  readonly alpha?: number | null;
  /** Divides by the sum of the focal terms; default false. */
  readonly isNormalized?: boolean;
  /** Added above and below of an overlap; default 0. */
  readonly smoothing?: number;
  /** −log of the overlap in place of 1 − overlap; default false. */
  readonly isLogarithmic?: boolean;
  /** Error at which the loss becomes straight; default 1. */
  readonly bend?: number;
  /** Keeps divisions by nothing finite; default that of the reference. */
  readonly epsilon?: number;
}

export type Reduction = 'mean' | 'sum';

/** One kind of loss, as the registry holds it. */
export interface LossFamily {
  readonly tasks: readonly LossTask[];
  /** Parameters that it knows, but for the ignore index and faults. */
  readonly takes: readonly (keyof LossParameters)[];
  readonly build: (parameters: LossParameters) => Loss;
}

export const CLASS_TASKS = ['segmentation', 'change_detection', 'classification'] as const;
