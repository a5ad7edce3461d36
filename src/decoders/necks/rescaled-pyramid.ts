import { InputError } from '../../errors.js';
import { gelu } from '../../engine/ops/activations-smooth.js';
import { maxPool2d } from '../../engine/ops/pool.js';
import type { FeatureSpec } from '../../encoders/encoder.js';
import { batchNormalization } from '../../layers/batch-normalization.js';
import { transposedConvolution } from '../../layers/convolution.js';
import { sequence, type Layer } from '../../layers/layer.js';
import type { Scope } from '../../layers/parameters.js';
import type { Neck } from './neck.js';

/** Factors of the maps of a plain transformer, shallowest first. */
const FACTORS = [4, 2, 1, 0.5] as const;

export interface RescaledPyramidOptions {
  /** Factor of each map's sides: 4, 2, 1, 0.5 or 0.25; default 4, 2, 1, 0.5, as many as there are maps. */
  readonly factors?: readonly number[];
  /** Of the batch normalisation; default 1e-5. */
  readonly epsilon?: number;
}

/**
 * Maps of one size become a pyramid, and keep their channels: transposed convolutions enlarge, pooling shrinks.
 * Reference: PANGAEA, Feature2Pyramid.
 * @throws InputError FEATURE_COUNT, NECK_FACTOR
 */
export function rescaledPyramid(
  scope: Scope,
  features: readonly FeatureSpec[],
  { factors = FACTORS.slice(0, features.length), epsilon = 1e-5 }: RescaledPyramidOptions = {},
): Neck {
  if (factors.length !== features.length) {
    throw new InputError(
      'FEATURE_COUNT',
      `There are ${features.length} feature maps, and factors for ${factors.length}.`,
      { where: 'neck', hint: 'Choose at most four feature maps of the encoder, or give a factor for each.' },
    );
  }
  const layers = features.map(({ channels }, level) =>
    rescale(scope.child('ops').child(level), channels, factors[level]!, epsilon),
  );
  return {
    features: features.map(({ channels, stride }, level) => ({ channels, stride: stride / factors[level]! })),
    run: (maps, context) =>
      maps.map((map, level) => {
        const rescaled = layers[level]!(map, context);
        context.observe?.(`neck.${level}`, rescaled, 'channels-last');
        return rescaled;
      }),
  };
}

function rescale(scope: Scope, channels: number, factor: number, epsilon: number): Layer {
  const double = (index: number): Layer =>
    transposedConvolution(scope.child(index), {
      ...{ inChannels: channels, outChannels: channels, kernelSize: 2, stride: 2 },
    });
  if (factor === 1) return (map) => map;
  if (factor === 2) return double(0);
  if (factor === 4)
    return sequence([double(0), batchNormalization(scope.child(1), { channels, epsilon }), gelu, double(3)]);
  if (factor === 0.5 || factor === 0.25) {
    const window = 1 / factor;
    return (map) => maxPool2d(map, { kernel: window, stride: window });
  }
  throw new InputError('NECK_FACTOR', `A map cannot be rescaled by ${factor}.`, {
    where: 'neck',
    hint: 'Known factors: 4, 2, 1, 0.5, 0.25.',
  });
}
