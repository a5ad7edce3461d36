import { z } from 'zod';
import { gelu } from '../engine/ops/activations-smooth.js';
import { resize } from '../engine/ops/resize.js';
import { convolution, transposedConvolution } from '../layers/convolution.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import { sequence, type Layer } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { decoderHyperparameters, defineDecoder } from './decoder.js';
import { headHyperparameters } from './heads/head-hyperparameters.js';
import { pixelHead } from './heads/pixel-head.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  channels: count.default(256),
  /** Each doubles the sides. */
  convolutions: count.default(4),
  ...headHyperparameters,
});

/**
 * Blocks that double the sides: transposed convolution, 3 × 3 convolution, layer normalisation, GELU.
 * Reference: TerraTorch, FCNDecoder.
 */
export function fcnTrunk(
  scope: Scope,
  {
    inChannels,
    channels,
    convolutions,
  }: {
    readonly inChannels: number;
    readonly channels: number;
    readonly convolutions: number;
  },
): Layer {
  return sequence(
    Array.from({ length: convolutions }, (_, index) => {
      const at = scope.child('convs').child(index);
      const double = transposedConvolution(at.child(0), {
        ...{ inChannels: index === 0 ? inChannels : channels, outChannels: channels },
        ...{ kernelSize: 2, stride: 2 },
      });
      const convolve = convolution(at.child(1), {
        ...{ inChannels: channels, outChannels: channels, kernelSize: 3, bias: true },
      });
      const normalize = layerNormalization(at.child(2).child('ln'), { channels, epsilon: 1e-6 });
      return sequence([double, convolve, normalize, gelu]);
    }),
  );
}

/** The blocks above on the coarsest map, TerraTorch's head, bilinear resizing to the image. */
export const fcn = defineDecoder('fcn', {
  hyperparameters,
  build(scope, { features, classCount, task = 'segmentation', hyperparameters: given }) {
    const options = decoderHyperparameters('fcn', hyperparameters, given);
    const trunk = fcnTrunk(scope, { ...options, inChannels: features.at(-1)!.channels });
    const head = pixelHead(scope.child('head'), {
      ...{ inChannels: options.channels, classCount, task },
      ...{ channels: options.headChannels, upscaleLayers: options.upscaleLayers },
    });
    return (maps, { height, width }, context) =>
      resize(head(trunk(maps.at(-1)!, context), context), [height, width], { mode: 'bilinear' });
  },
});
