import type { Mode } from '../datasets/faults.js';
import { InputError } from '../errors.js';
import type { AnswerTask } from '../manifests/answer-task.js';

/** Tasks whose predictions are scored pixel by pixel or image by image. */
export type MetricTask = AnswerTask;

export interface MetricOptions {
  /** Classes or labels; a regression has none. */
  readonly classCount?: number;
  /** Target that does not count, wherever it lies; of a regression its no-data value. Default null: all count. */
  readonly ignoreIndex?: number | null;
  /** `as-published`: names, means and divisions of the benchmark's own evaluator. Default `corrected`. */
  readonly mode?: Mode;
  /** Whose evaluator is meant as published; default PANGAEA's. */
  readonly evaluator?: 'pangaea' | 'torchmetrics';
  /** Probability from which a label is set; default 0.5. */
  readonly threshold?: number;
}

/** Numbers in memory order. */
export type Numbers = ArrayLike<number>;

/**
 * Adds up a split batch by batch and divides once, at the end. Predictions and targets of
 * - `segmentation`, `change_detection`: the class of every pixel, any number of pixels;
 * - `classification`: the class of every image, or its scores [image, class], higher for likelier;
 * - `multilabel`: probabilities [image, label] and 0 or 1 [image, label];
 * - `regression`: values, in the unit of the stored target.
 */
export interface Metric {
  /** @throws InputError SHAPE_MISMATCH, LABEL_OUT_OF_RANGE; SCORE_INVALID for a prediction that is NaN */
  add(prediction: Numbers, target: Numbers, options?: AddOptions): void;
  /** Scores by name, see `scoreKinds`; null where there is nothing to divide by, never 0. */
  scores(): Record<string, number | null>;
  /** Scores by name, a class or label each, with its `support`; a regression has none. */
  perClass(): Record<string, readonly (number | null)[]>;
}

export interface AddOptions {
  /** Of the target's length, 0: does not count. */
  readonly validity?: Numbers | null;
}

/** The elements whose target counts. */
export const countsAt =
  (target: Numbers, ignoreIndex: number | null, validity: Numbers | null | undefined) =>
  (at: number): boolean =>
    target[at] !== ignoreIndex && (!validity || validity[at] !== 0);

/** A prediction that is NaN is none: it would count as a label that is not set, or spoil every sum. */
export const predictionInvalid = (at: number): InputError =>
  new InputError('SCORE_INVALID', `Prediction ${at} is NaN.`, {
    hint: 'Look for weights that became NaN: a lower learning rate, a clipped gradient.',
  });
