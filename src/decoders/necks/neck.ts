import { InputError } from '../../errors.js';
import type { Tensor4D } from '../../engine/tf.js';
import type { FeatureSpec } from '../../encoders/encoder.js';
import type { ForwardContext } from '../../layers/layer.js';

/** What stands between an encoder and a decoder: other maps of the same images. */
export interface Neck {
  /** Of the maps that it gives. */
  readonly features: readonly FeatureSpec[];
  /** [batch, height, width, channels] each. */
  readonly run: (maps: readonly Tensor4D[], context: ForwardContext) => Tensor4D[];
}

/** @throws InputError FEATURE_COUNT where there are not as many maps as a neck takes */
export function featureCount(neck: string, features: readonly FeatureSpec[], wanted: number): void {
  if (features.length === wanted) return;
  throw new InputError(
    'FEATURE_COUNT',
    `There are ${features.length} feature maps, and ${neck} takes ${wanted}.`,
    { where: 'features', hint: `Choose ${wanted} feature maps of the encoder, or another neck.` },
  );
}
