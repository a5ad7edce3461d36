import type { Tensor, Tensor4D } from '../engine/tf.js';
import type { Random } from '../random.js';

export interface ForwardContext {
  /** True: batch statistics, dropout, moving averages. False: evaluation. */
  readonly training: boolean;
  /** Where dropout draws from in training; without it nothing is dropped. */
  readonly random?: Random;
  /**
   * Told of intermediates by the names that the reference gives them, inside the tidy of the pass: for comparing
   * with a reference and for looking into a model.
   */
  readonly observe?: Observer;
}

/** `channels-last`: axes 2 … of the reference follow its channel axis 1, which ours has last. */
export type Observer = (name: string, value: Tensor, axes?: 'as-they-are' | 'channels-last') => void;

/** [batch, height, width, channels] → the same axes. */
export type Layer = (x: Tensor4D, context: ForwardContext) => Tensor4D;

/** One layer after the other. */
export const sequence =
  (layers: readonly Layer[]): Layer =>
  (x, context) =>
    layers.reduce((input, layer) => layer(input, context), x);
