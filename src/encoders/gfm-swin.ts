import { z } from 'zod';
import { InputError } from '../errors.js';
import { tf, type Tensor2D, type Tensor4D } from '../engine/tf.js';
import { defineEncoder } from './define-encoder.js';
import { imageOf } from './images.js';
import { adaptBands } from './swin/adapt-bands.js';
import { checkStages, swinShape, type SwinOptions } from './swin/options.js';
import { resizeBiasTable } from './swin/resize-bias-table.js';
import { buildSwinTransformer } from './swin/swin-transformer.js';
import { COMPUTED_TABLES, originalRules } from './swin/weights.js';

const count = z.int().positive();

const hyperparameters = z
  .strictObject({
    ...swinShape,
    /** Pixels of the images; windows are no larger than a stage's map. */
    imageSize: z.tuple([count, count]),
  })
  .check(({ value, issues }) => checkStages(value, { issues }));

const TRANSPOSED_TABLE = 'gfm-swin/transposed-bias-table';

/**
 * GFM (Mendieta et al. 2023): Swin v1 in the original's layout. Features are taken after the merging that follows each
 * stage, so that the last two have the same size: strides 8, 16, 32, 32. The final normalisation is of the pooled
 * vector alone.
 */
export const gfmSwin = defineEncoder('gfm-swin', {
  hyperparameters,
  build(scope, { outputStages, ...given }) {
    const options: SwinOptions = {
      ...given,
      ...{ version: 1, windowLimit: 'square', padding: 'after-shift', qkvBias: 'joined' },
    };
    const model = buildSwinTransformer(scope, options);
    const stages = outputStages ?? [...given.depths.keys()];
    const last = given.depths.length - 1;
    const merged = (stage: number): number => Math.min(stage + 1, last);
    const checked = (images: Tensor4D): Tensor4D => {
      const [, height, width] = images.shape;
      if (height === given.imageSize[0] && width === given.imageSize[1]) return images;
      throw new InputError(
        'SHAPE_MISMATCH',
        `The image has ${height} × ${width} pixels, and the encoder is built for ${given.imageSize.join(' × ')}.`,
        { where: 'images', hint: 'Crop or resize the images, or build the encoder for this size.' },
      );
    };
    return {
      features: stages.map((stage) => ({
        channels: model.channels[merged(stage)]!,
        stride: given.patchSize * 2 ** merged(stage),
      })),
      forward(input, context) {
        const { entering, leaving } = model.run(checked(imageOf(input, given.bandCount)), context);
        return stages.map((stage) => (stage < last ? entering[stage + 1]! : leaving[last]!));
      },
      embed(input, context) {
        const { leaving } = model.run(checked(imageOf(input, given.bandCount)), context);
        return tf.mean(model.norm(leaving[last]!), [1, 2]) as Tensor2D;
      },
    };
  },
  faults: {
    [TRANSPOSED_TABLE]:
      'Tables of position biases that are resized for another window come out with rows and columns exchanged.',
  },
  bandLayers: /^patch_embed\.proj\.weight$/,
  weights: ({ depths }, { isFaultOn }) => ({
    rename: originalRules(depths, '(?:encoder\\.)?'),
    // the reconstruction of the pre-training
    discard: [...COMPUTED_TABLES, /^decoder\./, /(?:^|\.)mask_token$/, /(?:^|\.)head\./],
    adapt: [
      {
        match: /\.relative_position_bias_table$/,
        adapt: (given, modelShape) =>
          resizeBiasTable(given, modelShape, { isTransposed: isFaultOn(TRANSPOSED_TABLE) }),
      },
      { match: /^patch_embed\.proj\.weight$/, adapt: adaptBands },
    ],
  }),
});
