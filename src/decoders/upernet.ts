import { z } from 'zod';
import { relu } from '../engine/ops/activations.js';
import { resize } from '../engine/ops/resize.js';
import { convolution } from '../layers/convolution.js';
import { channelDropout } from '../layers/dropout.js';
import { decoderHyperparameters, defineDecoder } from './decoder.js';
import { headHyperparameters } from './heads/head-hyperparameters.js';
import { pixelHead } from './heads/pixel-head.js';
import { upernetTrunk } from './upernet-trunk.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  /** Whose details: PANGAEA's, or TerraTorch's (convolutions without bias, 256 channels, corners aligned, its head). */
  layout: z.enum(['pangaea', 'terratorch']).default('pangaea'),
  /** Of all maps inside; default 512, in TerraTorch's layout 256. */
  channels: count.optional(),
  /** Sides of the maps that the coarsest one is pooled to. */
  poolScales: z.array(count).min(1).default([1, 2, 3, 6]),
  /** Of the resizing inside; default as the layout has it. */
  alignCorners: z.boolean().optional(),
  batchNormEpsilon: z.number().positive().default(1e-5),
  /** Share of channels that training leaves out in front of the classifier, in PANGAEA's layout. */
  dropout: z.number().min(0).lt(1).default(0.1),
  ...headHyperparameters,
});

/**
 * UPerNet (Xiao et al. 2018): pyramid pooling, feature pyramid, fusion, a 1 × 1 convolution to the classes and bilinear
 * resizing to the image. Values of a regression are cut off below 0 before the resizing in PANGAEA's layout.
 */
export const upernet = defineDecoder('upernet', {
  hyperparameters,
  takesPyramid: true,
  build(scope, { features, classCount, task = 'segmentation', hyperparameters: given }) {
    const options = decoderHyperparameters('upernet', hyperparameters, given);
    const { layout, poolScales, batchNormEpsilon: epsilon } = options;
    const { channels = layout === 'pangaea' ? 512 : 256, alignCorners = layout === 'terratorch' } = options;
    const trunk = upernetTrunk(scope, { features, channels, poolScales, alignCorners, layout, epsilon });
    if (layout === 'terratorch') {
      const head = pixelHead(scope.child('head'), {
        ...{ inChannels: channels, classCount, task, epsilon },
        ...{ channels: options.headChannels, upscaleLayers: options.upscaleLayers },
      });
      return (maps, { height, width }, context) => {
        const low = head(trunk(maps, context), context);
        context.observe?.('head', low, 'channels-last');
        return resize(low, [height, width], { mode: 'bilinear' });
      };
    }
    const isRegression = task === 'regression';
    const head = convolution(scope.child(isRegression ? 'conv_reg' : 'conv_seg'), {
      ...{ inChannels: channels, outChannels: classCount, kernelSize: 1, bias: true },
    });
    const dropout = channelDropout(options.dropout);

    return (maps, { height, width }, context) => {
      const fused = dropout(trunk(maps, context), context);
      const low = head(fused, context);
      context.observe?.('logits_low', low, 'channels-last');
      return resize(isRegression ? relu(low) : low, [height, width], { mode: 'bilinear', alignCorners });
    };
  },
});
