import { z } from 'zod';
import { gelu } from '../engine/ops/activations-smooth.js';
import { checkpointIfAsked } from '../engine/ops/checkpoint.js';
import { globalAvgPool2d } from '../engine/ops/pool.js';
import { tf, type Tensor, type Tensor2D, type Tensor4D } from '../engine/tf.js';
import { depthwiseConvolution, padded } from '../layers/convolution.js';
import type { ForwardContext } from '../layers/layer.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import { collectVariables, type Initializer, type Scope } from '../layers/parameters.js';
import { patchEmbedding } from '../layers/patch-embedding.js';
import { perceptron } from '../layers/perceptron.js';
import { sizeOf } from '../shapes.js';
import { defineEncoder } from './define-encoder.js';
import type { WeightArray } from './encoder.js';
import { imageOf } from './images.js';

const count = z.int().positive();

const hyperparameters = z
  .strictObject({
    /** Default 3. */
    bandCount: count.default(3),
    /** Side of the first convolution; default 4. */
    patchSize: count.default(4),
    /** Blocks of each stage. */
    depths: z.array(count).min(1),
    /** Channels of each stage. */
    widths: z.array(count).min(1),
    /** Initial factor on what each block adds; null: no such factor. */
    layerScale: z.number().nullable().default(1e-6),
    /** Side of the depthwise convolutions; default 7. */
    kernelSize: count.default(7),
    normEpsilon: z.number().positive().default(1e-6),
    /** Stages whose map is a feature, from 0; default all. */
    outputStages: z.array(z.int().nonnegative()).min(1).optional(),
  })
  .refine(({ depths, widths }) => depths.length === widths.length, {
    path: ['widths'],
    message: 'one width a stage is due',
  })
  .refine(({ depths, outputStages = [] }) => outputStages.every((stage) => stage < depths.length), {
    path: ['outputStages'],
    message: 'there is no such stage',
  });

type Hyperparameters = z.infer<typeof hyperparameters>;

/** [out, in, 1, 1] → [out, in] */
const withoutTaps = ({ data, shape }: WeightArray): WeightArray => ({ data, shape: shape.slice(0, 2) });

/**
 * ConvNeXt (Liu et al. 2022) in timm's layout; files of its authors and of DINOv3 are renamed. Features are the maps
 * after each stage, strides 4, 8, 16, 32. The last normalisation is of the pooled vector alone.
 */
export const convnext = defineEncoder('convnext', {
  hyperparameters,
  build(scope, options) {
    const { bandCount, widths, patchSize, normEpsilon: epsilon } = options;
    const run = buildStages(scope, options);
    const norm = layerNormalization(scope.child('head').child('norm'), { channels: widths.at(-1)!, epsilon });
    const stages = options.outputStages ?? [...widths.keys()];
    return {
      features: stages.map((stage) => ({ channels: widths[stage]!, stride: patchSize * 2 ** stage })),
      forward(input, context) {
        const maps = run(imageOf(input, bandCount), context);
        return stages.map((stage) => maps[stage]!);
      },
      embed(input, context) {
        const maps = run(imageOf(input, bandCount), context);
        return norm(globalAvgPool2d(maps.at(-1)!) as Tensor2D);
      },
    };
  },
  bandLayers: /^stem\.0\.weight$/,
  weights: {
    rename: [
      [/^downsample_layers\.0\.(\d)\./, 'stem.$1.'],
      [/^downsample_layers\.(\d+)\.(\d)\./, 'stages.$1.downsample.$2.'],
      [/^stages\.(\d+)\.(\d+)\.dwconv\./, 'stages.$1.blocks.$2.conv_dw.'],
      [/^stages\.(\d+)\.(\d+)\.pwconv([12])\./, 'stages.$1.blocks.$2.mlp.fc$3.'],
      [/^stages\.(\d+)\.(\d+)\./, 'stages.$1.blocks.$2.'],
      [/^norm\./, 'head.norm.'],
    ],
    // classifiers, and DINOv3's second copy of the last normalisation
    discard: [/^head\.(?:fc\.)?(?:weight|bias)$/, /^norms\.\d+\./],
    // 1 × 1 convolutions in the place of linear layers
    adapt: [{ match: /\.mlp\.fc[12]\.weight$/, adapt: withoutTaps }],
  },
});

/** The map after each stage: [batch, height, width, channels]. */
function buildStages(
  scope: Scope,
  options: Hyperparameters,
): (images: Tensor4D, context: ForwardContext) => Tensor4D[] {
  const { bandCount, depths, widths, patchSize, normEpsilon: epsilon } = options;
  const embed = patchEmbedding(scope.child('stem').child(0), { bandCount, patchSize, width: widths[0]! });
  const normalizeStem = layerNormalization(scope.child('stem').child(1), { channels: widths[0]!, epsilon });
  const stages = depths.map((depth, stage) => {
    const stageScope = scope.child('stages').child(stage);
    const halve = stage > 0 ? halving(stageScope.child('downsample'), options, stage) : undefined;
    const blocks = Array.from({ length: depth }, (_, index) =>
      convnextBlock(stageScope.child('blocks').child(index), widths[stage]!, options),
    );
    return { halve, blocks };
  });
  return (images, context) => {
    let x = normalizeStem(embed(images));
    context.observe?.('stem', x, 'channels-last');
    return stages.map(({ halve, blocks }, stage) => {
      x = blocks.reduce((map, block) => block(map, context), halve ? halve(x) : x);
      context.observe?.(`stage.${stage}`, x, 'channels-last');
      return x;
    });
  };
}

/** Normalisation, then a convolution of 2 × 2 pixels. */
function halving(scope: Scope, { widths, normEpsilon }: Hyperparameters, stage: number) {
  const [from, to] = [widths[stage - 1]!, widths[stage]!];
  const norm = layerNormalization(scope.child(0), { channels: from, epsilon: normEpsilon });
  const merge = patchEmbedding(scope.child(1), { bandCount: from, patchSize: 2, width: to });
  return (x: Tensor4D): Tensor4D => tf.tidy(() => merge(norm(x)));
}

/**
 * Depthwise convolution, normalisation, a perceptron four times as wide; scaled and added to the input. Intermediates are
 * freed, in `withCheckpoints` those that gradients are taken of as well.
 */
function convnextBlock(
  given: Scope,
  width: number,
  { layerScale, kernelSize, normEpsilon }: Hyperparameters,
): (x: Tensor4D, context: ForwardContext) => Tensor4D {
  const { scope, variables } = collectVariables(given);
  const convolve = depthwiseConvolution(scope.child('conv_dw'), {
    ...{ channels: width, kernelSize, padding: padded((kernelSize - 1) / 2), bias: true },
  });
  const norm = layerNormalization(scope.child('norm'), { channels: width, epsilon: normEpsilon });
  const mlp = perceptron(scope.child('mlp'), { width, hidden: 4 * width, activation: gelu });
  const initial: Initializer = (shape) => new Float32Array(sizeOf(shape)).fill(layerScale ?? 1);
  const factor = layerScale === null ? undefined : scope.parameter('gamma', [width], initial, 'table');
  const run = (x: Tensor4D, context: ForwardContext): Tensor4D =>
    tf.tidy(() => {
      const added = mlp(norm(convolve(x, context)));
      return tf.add(x, factor ? tf.mul(added, factor) : added) as Tensor4D;
    });
  return (x, context) =>
    checkpointIfAsked((stream: Tensor) => run(stream as Tensor4D, context), [x], variables);
}
