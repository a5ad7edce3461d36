import { InputError } from '../errors.js';
import type { Tensor4D } from '../engine/tf.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';

export interface DecoderOptions {
  /** What the encoder, or the neck between, hands over, finest first. */
  readonly features: readonly FeatureSpec[];
  /** Of a regression: values a pixel. */
  readonly classCount: number;
  /** Whether logits of classes or values themselves are asked for; default `segmentation`. */
  readonly task?: 'segmentation' | 'regression';
  /** What the decoder is made of, by its own names; default what its reference has. */
  readonly hyperparameters?: Readonly<Record<string, unknown>>;
}

/** feature maps, finest first, [batch, height / stride, width / stride, channels] → logits [batch, height, width, class] */
export type BuiltDecoder = (
  features: readonly Tensor4D[],
  size: { readonly height: number; readonly width: number },
  context: ForwardContext,
) => Tensor4D;

export interface DecoderFamily {
  readonly id: string;
  /** Its maps have to halve from one to the next: in front of maps of one size `assembleDecoder` puts a neck. */
  readonly takesPyramid?: boolean;
  readonly build: (scope: Scope, options: DecoderOptions) => BuiltDecoder;
}

export const defineDecoder = (id: string, family: Omit<DecoderFamily, 'id'>): DecoderFamily => ({
  id,
  ...family,
});

/**
 * Fills in defaults of a decoder's hyperparameters.
 * @throws InputError HYPERPARAMETERS_INVALID
 */
export function decoderHyperparameters<H>(
  id: string,
  schema: { parse(given: unknown): H },
  given: Readonly<Record<string, unknown>> = {},
): H {
  try {
    return schema.parse(given);
  } catch (cause) {
    const issues = (cause as { issues?: readonly { path: readonly PropertyKey[]; message: string }[] })
      .issues;
    const reason = issues?.map(({ path, message }) => `${path.map(String).join('.') || 'all'}: ${message}`);
    throw new InputError(
      'HYPERPARAMETERS_INVALID',
      `The hyperparameters do not fit the decoder ${id}: ${reason?.join('; ') ?? String(cause)}`,
      { where: id, hint: 'docs/guide/decoders.md lists what each decoder takes.', cause },
    );
  }
}
