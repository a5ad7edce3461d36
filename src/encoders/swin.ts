import { z } from 'zod';
import { tf, type Tensor2D } from '../engine/tf.js';
import type { Scope } from '../layers/parameters.js';
import { defineEncoder } from './define-encoder.js';
import type { BuiltEncoder } from './encoder.js';
import { imageOf } from './images.js';
import { checkStages, swinShape, type SwinOptions } from './swin/options.js';
import { resizeBiasTable } from './swin/resize-bias-table.js';
import { buildSwinTransformer } from './swin/swin-transformer.js';
import { COMPUTED_TABLES, originalRules, torchvisionRules } from './swin/weights.js';

const count = z.int().positive();

const hyperparameters = z
  .strictObject({
    ...swinShape,
    version: z.union([z.literal(1), z.literal(2)]),
    /** Whose code the weights come from: how maps are padded, what windows are limited to, what tensors are called. */
    layout: z.enum(['torchvision', 'timm', 'original']),
    /** Pixels of the images that the model was made for; torchvision's take any. */
    imageSize: z.tuple([count, count]).optional(),
    qkvBias: z.boolean().default(true),
    /** Of version 2: windows of the pre-training, a stage each; default the windows. */
    pretrainedWindowSizes: z.array(count).optional(),
  })
  .refine(({ layout, imageSize }) => layout === 'torchvision' || imageSize !== undefined, {
    path: ['imageSize'],
    message: 'timm and the original limit windows by the image size',
  })
  .check(({ value, issues }) => checkStages(value, { issues }));

type Hyperparameters = z.infer<typeof hyperparameters>;

/**
 * Swin transformer (Liu et al. 2021) and Swin v2 (Liu et al. 2022). Features are the maps after each stage, before the
 * merging that follows: strides 4, 8, 16, 32.
 */
export const swin = defineEncoder('swin', {
  hyperparameters,
  build: (scope, options) => pyramid(scope, swinOptions(options), options.outputStages),
  bandLayers: /^patch_embed\.proj\.weight$/,
  weights: ({ layout, depths }) => ({
    rename:
      layout === 'torchvision'
        ? torchvisionRules(depths)
        : layout === 'original'
          ? originalRules(depths)
          : [],
    discard: [...COMPUTED_TABLES, /^head\./],
    adapt: [
      {
        match: /\.relative_position_bias_table$/,
        adapt: (given, modelShape) => resizeBiasTable(given, modelShape),
      },
    ],
  }),
});

function swinOptions({ layout, qkvBias, ...options }: Hyperparameters): SwinOptions {
  const isTorchvision = layout === 'torchvision';
  const withBias = options.version === 1 ? 'joined' : isTorchvision ? 'without-keys' : 'query-value';
  return {
    ...options,
    imageSize: isTorchvision ? undefined : options.imageSize,
    windowLimit: layout === 'original' ? 'square' : 'axis',
    padding: isTorchvision ? 'before-shift' : 'after-shift',
    qkvBias: qkvBias ? withBias : 'none',
  };
}

/** Features after each stage, and the mean of the normalised last one. */
function pyramid(
  scope: Scope,
  options: SwinOptions,
  outputStages: readonly number[] | undefined,
): BuiltEncoder {
  const model = buildSwinTransformer(scope, options);
  const stages = outputStages ?? [...options.depths.keys()];
  return {
    features: stages.map((stage) => ({
      channels: model.channels[stage]!,
      stride: options.patchSize * 2 ** stage,
    })),
    forward(input, context) {
      const { leaving } = model.run(imageOf(input, options.bandCount), context);
      return stages.map((stage) => leaving[stage]!);
    },
    embed(input, context) {
      const { leaving } = model.run(imageOf(input, options.bandCount), context);
      const normed = model.norm(leaving.at(-1)!);
      context.observe?.('norm', normed);
      return tf.mean(normed, [1, 2]) as Tensor2D;
    },
  };
}
