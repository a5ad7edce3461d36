import { z } from 'zod';
import { relu } from '../engine/ops/activations.js';
import { constantPad } from '../engine/ops/pad.js';
import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import { convolution, transposedConvolution } from '../layers/convolution.js';
import { doubleConvolution } from '../layers/double-convolution.js';
import { defineDecoder } from './decoder.js';

/**
 * Decoder of the U-Net as PANGAEA has it: from the coarsest map upwards, a transposed convolution that doubles the
 * sides and keeps the channels, zeros around it up to the size of the next finer map, concatenation behind that map,
 * a double convolution; at the end a 1 × 1 convolution to the classes. Each level gives the channels of the map that it
 * meets next. Differs: where the result is not as large as the image, it is resized to it.
 */
export const unetPangaea = defineDecoder('unet-pangaea', {
  hyperparameters: z.strictObject({}),
  takesPyramid: true,
  build(scope, { features, classCount, task = 'segmentation' }) {
    const channelsOf = (level: number): number => features[Math.max(level, 0)]!.channels;
    let channels = channelsOf(features.length - 1);
    const levels = features
      .map((_, level) => level)
      .slice(1)
      .reverse()
      .map((level) => {
        const at = scope.child('decoder').child('up_seq').child(`up${level}`);
        const [inChannels, outChannels] = [channels, channelsOf(level - 2)];
        channels = outChannels;
        return {
          level,
          enlarge: transposedConvolution(at.child('up'), {
            ...{ inChannels, outChannels: inChannels, kernelSize: 2, stride: 2 },
          }),
          convolve: doubleConvolution(at.child('conv').child('conv'), {
            ...{ inChannels: inChannels + channelsOf(level - 1), outChannels },
          }),
        };
      });
    const head = convolution(scope.child('conv_seg').child('conv'), {
      ...{ inChannels: channels, outChannels: classCount, kernelSize: 1, bias: true },
    });

    return (maps, { height, width }, context) => {
      let x = maps.at(-1)!;
      for (const { level, enlarge, convolve } of levels) {
        const skip = maps[level - 1]!;
        x = convolve(tf.concat([skip, fitted(enlarge(x, context), skip)], 3), context);
        context.observe?.(`up.up${level}`, x, 'channels-last');
      }
      const low = task === 'regression' ? relu(head(x, context)) : head(x, context);
      const isWhole = low.shape[1] === height && low.shape[2] === width;
      return isWhole ? low : resize(low, [height, width], { mode: 'bilinear' });
    };
  },
});

/** Zeros around a map up to another's size, the odd one behind; a larger one is cut alike. */
function fitted(x: Tensor4D, { shape }: Tensor4D): Tensor4D {
  const missing = [shape[1] - x.shape[1], shape[2] - x.shape[2]] as const;
  const around = missing.map((size): [number, number] => {
    const before = Math.floor(Math.max(size, 0) / 2);
    return [before, Math.max(size, 0) - before];
  }) as [[number, number], [number, number]];
  const padded = constantPad(x, [[0, 0], ...around, [0, 0]]);
  return missing.some((size) => size < 0)
    ? tf.slice4d(padded, [0, 0, 0, 0], [-1, shape[1], shape[2], -1])
    : padded;
}
