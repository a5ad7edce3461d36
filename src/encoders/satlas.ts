import { z } from 'zod';
import { relu } from '../engine/ops/activations.js';
import { tf, type Tensor2D, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import { convolution, padded, transposedConvolution } from '../layers/convolution.js';
import { featurePyramid } from '../layers/feature-pyramid.js';
import { sequence, type ForwardContext, type Layer } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { defineEncoder } from './define-encoder.js';
import type { BuildContext, EncoderInput, FeatureSpec } from './encoder.js';
import { imageOf, imageSeriesOf } from './images.js';
import { checkStages, swinShape, type SwinOptions } from './swin/options.js';
import { buildSwinTransformer } from './swin/swin-transformer.js';
import { COMPUTED_TABLES, torchvisionRules } from './swin/weights.js';

const hyperparameters = z
  .strictObject({
    ...swinShape,
    /** Whether a series of images is taken, each encoded by itself, and their largest values are the features. */
    multiImage: z.boolean().default(false),
    /** Channels of a feature pyramid, with one level more at the resolution of the image; default none. */
    pyramidChannels: z.int().positive().optional(),
  })
  .check(({ value, issues }) => checkStages(value, { issues }));

type Hyperparameters = z.infer<typeof hyperparameters>;

const MIXED_DATES = 'satlas/mixed-dates';
const FIRST_EIGHT_DATES = 'satlas/first-eight-dates';
const RANDOM_UPSAMPLING = 'satlas/random-upsampling';

/** Images that the as-published code looks at. */
const MOST_DATES = 8;

/**
 * SatlasPretrain (Bastani et al. 2023): Swin v2 in torchvision's layout. Features are the maps after each stage, strides
 * 4, 8, 16, 32; with a pyramid its levels, before them one at stride 1. The variants on a residual network are rows of
 * the family `resnet`.
 */
export const satlas = defineEncoder('satlas', {
  hyperparameters,
  build(scope, options, context) {
    const model = buildSwinTransformer(scope, swinOptions(options));
    const stages = options.outputStages ?? [...options.depths.keys()];
    const pyramid = options.pyramidChannels === undefined ? undefined : pyramidOf(scope, options, stages);
    /** Of one image or, where there are several, the largest value of any: the map after each wanted stage. */
    const encode = (input: EncoderInput, forward: ForwardContext): Tensor4D[] => {
      if (!options.multiImage) {
        const { leaving } = model.run(imageOf(input, options.bandCount), forward);
        return stages.map((stage) => leaving[stage]!);
      }
      const series = datesOf(input, options.bandCount, context);
      const [batch, dates, height, width, bands] = series.shape;
      const flat = tf.reshape(series, [batch * dates, height, width, bands]) as Tensor4D;
      const { leaving } = model.run(flat, forward);
      return stages.map((stage) => {
        const map = leaving[stage]!;
        return tf.max(tf.reshape(map, [batch, dates, ...map.shape.slice(1)]), 1) as Tensor4D;
      });
    };
    const backbone: FeatureSpec[] = stages.map((stage) => ({
      channels: model.channels[stage]!,
      stride: options.patchSize * 2 ** stage,
    }));
    return {
      ...(options.multiImage && { dates: 'any' }),
      features: pyramid?.features ?? backbone,
      forward(input, forward) {
        const maps = encode(input, forward);
        return pyramid ? pyramid.forward(maps, forward) : maps;
      },
      embed: (input, forward) => tf.mean(encode(input, forward).at(-1)!, [1, 2]) as Tensor2D,
    };
  },
  faults: {
    [MIXED_DATES]:
      'A series is cut into images along its bands rather than its dates, so that each image mixes both.',
    [FIRST_EIGHT_DATES]: 'Of a series, dates after the eighth have no effect.',
    [RANDOM_UPSAMPLING]: 'The level of the pyramid at the resolution of the image keeps its random weights.',
  },
  bandLayers: /^patch_embed\.proj\.weight$/,
  weights: ({ depths, pyramidChannels }, { isFaultOn }) => {
    const hasPyramid = pyramidChannels !== undefined;
    const keepsUpsampling = hasPyramid && !isFaultOn(RANDOM_UPSAMPLING);
    return {
      rename: [
        [/^intermediates\.0\.fpn\./, 'fpn.'],
        [/^intermediates\.1\.layers\./, 'upsample.'],
        ...torchvisionRules(depths, '(?:backbone\\.)*'),
      ],
      discard: [
        ...COMPUTED_TABLES,
        /^(?:backbone\.)*head\./,
        /^heads\./,
        ...(hasPyramid ? [] : [/^intermediates\.0\./]),
        ...(keepsUpsampling ? [] : [/^intermediates\.1\./]),
      ],
      // torchvision's classifier norm, which no feature passes through
      optional: [/^norm\./, ...(keepsUpsampling ? [] : [/^upsample\./])],
    };
  },
});

const swinOptions = (options: Hyperparameters): SwinOptions => ({
  ...options,
  ...{ version: 2, windowLimit: 'axis', padding: 'before-shift', qkvBias: 'without-keys' },
});

/** [batch, date, height, width, band], as the reference mixes them where that fault is on. */
function datesOf(input: EncoderInput, bandCount: number, { isFaultOn }: BuildContext): Tensor5D {
  const series = imageSeriesOf(input, bandCount);
  const [batch, dates, height, width, bands] = series.shape;
  let images = series;
  if (isFaultOn(MIXED_DATES) && dates > 1) {
    // the reference's planes are [band, date]; it takes each run of `bands` planes for an image
    const planes = tf.reshape(tf.transpose(series, [0, 4, 1, 2, 3]), [batch, dates, bands, height, width]);
    images = tf.transpose(planes, [0, 1, 3, 4, 2]) as Tensor5D;
  }
  if (!isFaultOn(FIRST_EIGHT_DATES) || dates <= MOST_DATES) return images;
  return tf.slice(images, [0, 0, 0, 0, 0], [batch, MOST_DATES, height, width, bands]) as Tensor5D;
}

/** The pyramid, and transposed convolutions from its finest level to the resolution of the image. */
function pyramidOf(
  scope: Scope,
  { patchSize, width, pyramidChannels }: Hyperparameters,
  stages: readonly number[],
): { features: FeatureSpec[]; forward: (maps: readonly Tensor4D[], context: ForwardContext) => Tensor4D[] } {
  const channels = pyramidChannels!;
  const run = featurePyramid(scope.child('fpn'), {
    inChannels: stages.map((stage) => width * 2 ** stage),
    outChannels: channels,
  });
  const strides = stages.map((stage) => patchSize * 2 ** stage);
  const steps = Math.ceil(Math.log2(strides[0]!));
  const upsample = sequence(
    Array.from({ length: steps }, (_, step): Layer => {
      const at = scope.child('upsample').child(step);
      return sequence([
        convolution(at.child(0), {
          ...{ inChannels: channels, outChannels: channels, kernelSize: 3, padding: padded(1), bias: true },
        }),
        relu,
        transposedConvolution(at.child(2), {
          ...{ inChannels: channels, outChannels: channels, kernelSize: 4, stride: 2, padding: 1 },
        }),
        relu,
      ]);
    }),
  );
  return {
    features: [1, ...strides].map((stride) => ({ channels, stride })),
    forward(maps, context) {
      const levels = run(maps, context);
      return [upsample(levels[0]!, context), ...levels];
    },
  };
}
