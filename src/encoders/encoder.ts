import type { Tensor4D } from '../engine/tf.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import type { EncoderManifest } from '../manifests/encoder-manifest.js';

/** One feature map that an encoder hands to a decoder. */
export interface FeatureSpec {
  readonly channels: number;
  /** Input pixels per feature pixel. */
  readonly stride: number;
}

export interface BuiltEncoder {
  /** Finest first. */
  readonly features: readonly FeatureSpec[];
  /** [batch, height, width, band] → one [batch, height / stride, width / stride, channels] per feature. */
  readonly forward: (images: Tensor4D, context: ForwardContext) => Tensor4D[];
}

/** How checkpoint names become parameter names; the first rule that matches a name applies. */
export interface WeightRules {
  readonly rename: readonly (readonly [RegExp, string])[];
  /** Tensors of the file that this use of the encoder leaves out, on purpose. */
  readonly discard: readonly RegExp[];
}

/** One family of encoders; its variants are manifests. */
export interface EncoderFamily {
  readonly id: string;
  readonly build: (scope: Scope, manifest: EncoderManifest, bandCount: number) => BuiltEncoder;
  readonly weights: WeightRules;
}

export const defineEncoder = (id: string, family: Omit<EncoderFamily, 'id'>): EncoderFamily => ({
  id,
  ...family,
});
