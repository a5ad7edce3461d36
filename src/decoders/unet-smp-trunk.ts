import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import { sequence, type ForwardContext, type Layer } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { decoderMisfit } from './decoder.js';
import { numberedUnit, spatialChannelGates } from './smp-layers.js';

export interface UnetTrunkOptions {
  /** Finest first. */
  readonly features: readonly FeatureSpec[];
  /** Of the blocks, coarsest first: one a map. */
  readonly channels: readonly number[];
  /** Gates in front of and behind the convolutions of each block; default none. */
  readonly attention?: 'scse' | null;
  /** Two convolutions of the coarsest map in front of all; default false. */
  readonly centerBlock?: boolean;
  /** How maps grow. Default `nearest`. */
  readonly interpolation?: 'nearest' | 'bilinear';
  /** Of the batch normalisations; default 1e-5. */
  readonly epsilon?: number;
}

/**
 * U-Net decoder of segmentation-models-pytorch: from the coarsest map upwards, resizing to the next finer one,
 * concatenation in front of it, two 3 × 3 convolutions; the last block has no map to meet.
 * @returns maps, finest first, and the size of the last block → [batch, height, width, channels]
 * @throws InputError DECODER_MISFIT where there is not one block a map
 */
export function unetTrunk(
  scope: Scope,
  { features, channels, attention = null, centerBlock = false, ...options }: UnetTrunkOptions,
): (maps: readonly Tensor4D[], size: readonly [number, number], context: ForwardContext) => Tensor4D {
  const { interpolation: mode = 'nearest', epsilon } = options;
  if (channels.length !== features.length) {
    throw decoderMisfit(
      `there are ${features.length} maps, and channels for ${channels.length} blocks`,
      'Give "channels" one number a map, coarsest first, or leave it away.',
    );
  }
  const unit = (at: Scope, inChannels: number, outChannels: number): Layer =>
    numberedUnit(at, { inChannels, outChannels, kernelSize: 3, epsilon });
  const gates = (at: Scope, width: number): Layer[] =>
    attention ? [spatialChannelGates(at.child('attention'), width)] : [];
  const coarsestFirst = [...features].reverse().map((feature) => feature.channels);
  const deepest = coarsestFirst[0]!;
  const center = centerBlock
    ? sequence([0, 1].map((index) => unit(scope.child('center').child(index), deepest, deepest)))
    : undefined;
  const blocks = channels.map((width, index) => {
    const at = scope.child('blocks').child(index);
    const skip = coarsestFirst[index + 1];
    const inChannels = (index === 0 ? deepest : channels[index - 1]!) + (skip ?? 0);
    return sequence([
      ...(skip === undefined ? [] : gates(at.child('attention1'), inChannels)),
      unit(at.child('conv1'), inChannels, width),
      unit(at.child('conv2'), width, width),
      ...gates(at.child('attention2'), width),
    ]);
  });

  return (maps, size, context) => {
    const coarsest = maps.at(-1)!;
    let x = center ? center(coarsest, context) : coarsest;
    for (const [index, block] of blocks.entries()) {
      const skip = maps.at(-2 - index);
      const [height, width] = skip ? [skip.shape[1], skip.shape[2]] : size;
      const resized = resize(x, [height, width], { mode });
      x = block(skip ? tf.concat([resized, skip], 3) : resized, context);
      context.observe?.(`block.${index}`, x, 'channels-last');
    }
    return x;
  };
}
