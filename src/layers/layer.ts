import type { Tensor4D } from '../engine/tf.js';

export interface ForwardContext {
  /** True: batch statistics, dropout, moving averages. False: evaluation. */
  readonly training: boolean;
}

/** [batch, height, width, channels] → the same axes. */
export type Layer = (x: Tensor4D, context: ForwardContext) => Tensor4D;

/** One layer after the other. */
export const sequence =
  (layers: readonly Layer[]): Layer =>
  (x, context) =>
    layers.reduce((input, layer) => layer(input, context), x);
