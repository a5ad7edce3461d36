import { z } from 'zod';
import { resize } from '../engine/ops/resize.js';
import { transposedConvolution } from '../layers/convolution.js';
import { decoderHyperparameters, defineDecoder } from './decoder.js';

const hyperparameters = z.strictObject({
  /** Side of the block of pixels that each pixel of the map becomes; default the map's stride. */
  upsamplingSize: z.int().positive().optional(),
});

/**
 * One transposed convolution of the coarsest map, whose windows do not overlap: every pixel of the map becomes a block
 * by itself. Resized bilinearly where the blocks do not come to the image's size. Reference: TerraTorch, LinearDecoder.
 */
export const linearPixel = defineDecoder('linear-pixel', {
  hyperparameters,
  build(scope, { features, classCount, hyperparameters: given }) {
    const options = decoderHyperparameters('linear-pixel', hyperparameters, given);
    const { channels, stride } = features.at(-1)!;
    const side = options.upsamplingSize ?? Math.max(1, Math.round(stride));
    const grow = transposedConvolution(scope.child('conv'), {
      ...{ inChannels: channels, outChannels: classCount, kernelSize: side, stride: side },
    });
    return (maps, { height, width }, context) => {
      const blocks = grow(maps.at(-1)!, context);
      context.observe?.('blocks', blocks, 'channels-last');
      const isWhole = blocks.shape[1] === height && blocks.shape[2] === width;
      return isWhole ? blocks : resize(blocks, [height, width], { mode: 'bilinear' });
    };
  },
});
