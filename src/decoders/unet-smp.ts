import { z } from 'zod';
import { resize } from '../engine/ops/resize.js';
import { decoderHyperparameters, defineDecoder } from './decoder.js';
import { pixelHead } from './heads/pixel-head.js';
import { headHyperparameters } from './heads/head-hyperparameters.js';
import { segmentationHead } from './smp-layers.js';
import { unetTrunk } from './unet-smp-trunk.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  /**
   * Whose details: those of segmentation-models-pytorch (the last block has the image's size, the head sees 3 × 3
   * pixels), or TerraTorch's (it has the size of the finest map; its head, then bilinear resizing to the image).
   */
  layout: z.enum(['smp', 'terratorch']).default('smp'),
  /** Of the blocks, coarsest first, one a map; default 256, 128, … 16, in TerraTorch's layout 512, 256, … 64. */
  channels: z.array(count).min(1).optional(),
  attention: z.literal('scse').nullable().default(null),
  centerBlock: z.boolean().default(false),
  interpolation: z.enum(['nearest', 'bilinear']).default('nearest'),
  batchNormEpsilon: z.number().positive().default(1e-5),
  ...headHyperparameters,
});

/** The U-Net decoder of segmentation-models-pytorch, which GEO-Bench has; in TerraTorch's layout that of GEO-Bench-2. */
export const unetSmp = defineDecoder('unet-smp', {
  hyperparameters,
  takesPyramid: true,
  build(scope, { features, classCount, task = 'segmentation', hyperparameters: given }) {
    const options = decoderHyperparameters('unet-smp', hyperparameters, given);
    const { layout, attention, centerBlock, interpolation, batchNormEpsilon: epsilon } = options;
    const [widest, narrowest] = layout === 'smp' ? [256, 16] : [512, 64];
    const channels = options.channels ?? features.map((_, index) => Math.max(narrowest, widest / 2 ** index));
    const trunk = unetTrunk(scope.child('decoder'), {
      ...{ features, channels, attention, centerBlock, interpolation, epsilon },
    });
    const inChannels = channels.at(-1)!;
    if (layout === 'smp') {
      const head = segmentationHead(scope.child('segmentation_head'), {
        inChannels,
        classCount,
        kernelSize: 3,
      });
      return (maps, { height, width }, context) => {
        const x = trunk(maps, [height, width], context);
        context.observe?.('decoder', x, 'channels-last');
        return head(x, context);
      };
    }
    const head = pixelHead(scope.child('head'), {
      ...{ inChannels, classCount, task, epsilon },
      ...{ channels: options.headChannels, upscaleLayers: options.upscaleLayers },
    });
    return (maps, { height, width }, context) => {
      const [, finestHeight, finestWidth] = maps[0]!.shape;
      const low = head(trunk(maps, [finestHeight, finestWidth], context), context);
      context.observe?.('head', low, 'channels-last');
      return resize(low, [height, width], { mode: 'bilinear' });
    };
  },
});
