import type { Tensor4D } from '../engine/tf.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';

export interface DecoderOptions {
  /** What the encoder hands over, finest first. */
  readonly features: readonly FeatureSpec[];
  readonly classCount: number;
}

/** feature maps, finest first, [batch, height / stride, width / stride, channels] → logits [batch, height, width, class] */
export type BuiltDecoder = (
  features: readonly Tensor4D[],
  size: { readonly height: number; readonly width: number },
  context: ForwardContext,
) => Tensor4D;

export interface DecoderFamily {
  readonly id: string;
  readonly build: (scope: Scope, options: DecoderOptions) => BuiltDecoder;
}

export const defineDecoder = (id: string, family: Omit<DecoderFamily, 'id'>): DecoderFamily => ({
  id,
  ...family,
});
