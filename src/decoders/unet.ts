import { z } from 'zod';
import { relu } from '../engine/ops/activations.js';
import { resize } from '../engine/ops/resize.js';
import { tf } from '../engine/tf.js';
import { batchNormalization } from '../layers/batch-normalization.js';
import { convolution } from '../layers/convolution.js';
import { sequence, type Layer } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { defineDecoder } from './decoder.js';

/** Widths of the decoder's levels, coarsest first; the last one repeats for deeper encoders. */
const WIDTHS = [128, 64, 48, 32] as const;

/**
 * U-Net decoder: from the coarsest map upwards, nearest-neighbour resizing to the next finer map,
 * concatenation with it, two 3 × 3 convolutions with batch normalisation and ReLU; at the end a 1 × 1
 * convolution to the classes and bilinear resizing (half-pixel centres) to the image.
 */
export const unet = defineDecoder('unet', {
  hyperparameters: z.strictObject({}),
  build(scope, { features, classCount }) {
    let channels = features.at(-1)!.channels;
    const levels: Layer[] = [];
    for (const [index, skip] of features.slice(0, -1).reverse().entries()) {
      const width = WIDTHS[Math.min(index, WIDTHS.length - 1)]!;
      levels.push(doubleConvolution(scope.child('levels').child(index), channels + skip.channels, width));
      channels = width;
    }
    const head = convolution(scope.child('head'), {
      inChannels: channels,
      outChannels: classCount,
      kernelSize: 1,
      bias: true,
    });

    return (maps, { height, width }, context) => {
      let x = maps.at(-1)!;
      for (const [index, level] of levels.entries()) {
        const skip = maps[maps.length - 2 - index]!;
        const resized = resize(x, [skip.shape[1], skip.shape[2]], { mode: 'nearest' });
        x = level(tf.concat([resized, skip], 3), context);
      }
      return resize(head(x, context), [height, width], { mode: 'bilinear' });
    };
  },
});

function doubleConvolution(scope: Scope, inChannels: number, outChannels: number): Layer {
  const step = (name: string, from: number): Layer[] => [
    convolution(scope.child(name).child('convolution'), {
      inChannels: from,
      outChannels,
      kernelSize: 3,
      padding: SYMMETRIC,
    }),
    batchNormalization(scope.child(name).child('norm'), { channels: outChannels }),
    relu,
  ];
  return sequence([...step('first', inChannels), ...step('second', outChannels)]);
}

/** One pixel on every side. */
const SYMMETRIC = [
  [1, 1],
  [1, 1],
] as const;
