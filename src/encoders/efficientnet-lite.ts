import { z } from 'zod';
import { tf, type Tensor2D, type Tensor4D } from '../engine/tf.js';
import { relu6 } from '../engine/ops/activations.js';
import { batchNormalization } from '../layers/batch-normalization.js';
import { convolution, depthwiseConvolution } from '../layers/convolution.js';
import { sequence, type ForwardContext, type Layer } from '../layers/layer.js';
import { normal, type Scope } from '../layers/parameters.js';
import { dense } from '../layers/dense.js';
import { defineEncoder } from './define-encoder.js';
import type { FeatureSpec } from './encoder.js';
import { imageOf } from './images.js';

/** One row of the architecture: `repeats` inverted bottlenecks of the same width. */
interface Stage {
  readonly kernelSize: number;
  /** Of the first block; the others have 1. */
  readonly stride: number;
  /** Width of the middle, as a multiple of the block's input. */
  readonly expansion: number;
  readonly channels: number;
  readonly repeats: number;
}

interface Hyperparameters {
  /** Default 3. */
  readonly bandCount: number;
  readonly stemChannels: number;
  readonly headChannels: number;
  readonly classCount: number;
  readonly batchNormEpsilon: number;
  readonly batchNormMomentum: number;
  readonly stages: readonly Stage[];
}

const count = z.int().positive();
const hyperparameters: z.ZodType<Hyperparameters> = z.strictObject({
  bandCount: count.default(3),
  stemChannels: count,
  headChannels: count,
  classCount: count,
  batchNormEpsilon: z.number().positive(),
  batchNormMomentum: z.number(),
  stages: z.array(
    z.strictObject({ kernelSize: count, stride: count, expansion: count, channels: count, repeats: count }),
  ),
});

/**
 * EfficientNet-Lite: inverted bottlenecks with ReLU6, no squeeze-and-excitation, TensorFlow's `same`
 * padding. The features are the outputs of the last block before each halving of the resolution.
 */
export const efficientNetLite = defineEncoder('efficientnet-lite', {
  hyperparameters,
  build(scope, options) {
    const { stem, blocks } = buildTrunk(scope, options, options.bandCount);
    return {
      features: featuresOf(blocks),
      forward(input, context) {
        const features: Tensor4D[] = [];
        let x = stem(imageOf(input, options.bandCount), context);
        for (const [index, block] of blocks.entries()) {
          x = block.layer(x, context);
          if (isLastOfItsSize(blocks, index)) features.push(x);
        }
        return features;
      },
    };
  },

  // checkpoint name → parameter name; `_blocks.N._bn0` is the norm of the expansion, absent in block 0
  bandLayers: /^stem\.convolution\.weight$/,
  weights: {
    rename: [
      [/^_conv_stem\.(.+)$/, 'stem.convolution.$1'],
      [/^_bn0\.(.+)$/, 'stem.norm.$1'],
      [/^_blocks\.(\d+)\._expand_conv\.(.+)$/, 'blocks.$1.expand.convolution.$2'],
      [/^_blocks\.(\d+)\._bn0\.(.+)$/, 'blocks.$1.expand.norm.$2'],
      [/^_blocks\.(\d+)\._depthwise_conv\.(.+)$/, 'blocks.$1.depthwise.convolution.$2'],
      [/^_blocks\.(\d+)\._bn1\.(.+)$/, 'blocks.$1.depthwise.norm.$2'],
      [/^_blocks\.(\d+)\._project_conv\.(.+)$/, 'blocks.$1.project.convolution.$2'],
      [/^_blocks\.(\d+)\._bn2\.(.+)$/, 'blocks.$1.project.norm.$2'],
      [/^_conv_head\.(.+)$/, 'head.convolution.$1'],
      [/^_bn1\.(.+)$/, 'head.norm.$1'],
      [/^_fc\.(.+)$/, 'classifier.$1'],
    ],
    // the ImageNet classifier has no use in a dense task
    discard: [/^_conv_head\./, /^_bn1\./, /^_fc\./],
  },
});

interface Block {
  readonly stride: number;
  readonly channels: number;
  readonly layer: Layer;
}

const isLastOfItsSize = (blocks: readonly Block[], index: number): boolean => blocks[index + 1]?.stride !== 1;

function featuresOf(blocks: readonly Block[]): FeatureSpec[] {
  let stride = STEM_STRIDE;
  const features: FeatureSpec[] = [];
  for (const [index, block] of blocks.entries()) {
    stride *= block.stride;
    if (isLastOfItsSize(blocks, index)) features.push({ channels: block.channels, stride });
  }
  return features;
}

const STEM_STRIDE = 2;

function buildTrunk(
  scope: Scope,
  options: Hyperparameters,
  bandCount: number,
): { stem: Layer; blocks: Block[] } {
  const norm = normOptions(options);
  const stem = sequence([
    convolution(scope.child('stem').child('convolution'), {
      inChannels: bandCount,
      outChannels: options.stemChannels,
      kernelSize: 3,
      stride: STEM_STRIDE,
      initializer: byFanOut(3, options.stemChannels),
    }),
    batchNormalization(scope.child('stem').child('norm'), { channels: options.stemChannels, ...norm }),
    relu6,
  ]);
  const blocks: Block[] = [];
  let inChannels = options.stemChannels;
  for (const stage of options.stages) {
    for (let repeat = 0; repeat < stage.repeats; repeat++) {
      const stride = repeat === 0 ? stage.stride : 1;
      const blockScope = scope.child('blocks').child(blocks.length);
      const { channels } = stage;
      blocks.push({
        stride,
        channels,
        layer: invertedBottleneck(blockScope, { ...stage, stride, inChannels }, norm),
      });
      inChannels = stage.channels;
    }
  }
  return { stem, blocks };
}

interface Norm {
  readonly epsilon: number;
  readonly momentum: number;
}

const normOptions = (options: Hyperparameters): Norm => ({
  epsilon: options.batchNormEpsilon,
  momentum: options.batchNormMomentum,
});

/** Expand, filter every channel, project; the input is added where the shape allows it. */
function invertedBottleneck(
  scope: Scope,
  {
    inChannels,
    channels,
    kernelSize,
    stride,
    expansion,
  }: Omit<Stage, 'repeats'> & { readonly inChannels: number },
  norm: Norm,
): Layer {
  const middle = inChannels * expansion;
  const pointwise = (name: string, from: number, to: number): Layer[] => [
    convolution(scope.child(name).child('convolution'), {
      inChannels: from,
      outChannels: to,
      kernelSize: 1,
      initializer: byFanOut(1, to),
    }),
    batchNormalization(scope.child(name).child('norm'), { channels: to, ...norm }),
  ];
  const body = sequence([
    ...(expansion > 1 ? [...pointwise('expand', inChannels, middle), relu6 as Layer] : []),
    depthwiseConvolution(scope.child('depthwise').child('convolution'), {
      channels: middle,
      kernelSize,
      stride,
      initializer: byFanOut(kernelSize, 1), // one output channel a group
    }),
    batchNormalization(scope.child('depthwise').child('norm'), { channels: middle, ...norm }),
    relu6,
    ...pointwise('project', middle, channels),
  ]);
  const hasShortcut = stride === 1 && inChannels === channels;
  return hasShortcut ? (x, context) => tf.add(body(x, context), x) as Tensor4D : body;
}

const byFanOut = (kernelSize: number, outChannels: number) =>
  normal(Math.sqrt(2 / (kernelSize * kernelSize * outChannels)));

/**
 * The whole ImageNet classifier, for checking a checkpoint against its published logits.
 * forward: [batch, height, width, band] → logits [batch, class]
 */
export function efficientNetLiteClassifier(
  scope: Scope,
  given: Readonly<Record<string, unknown>>,
): (images: Tensor4D, context: ForwardContext) => Tensor2D {
  const options = hyperparameters.parse(given);
  const { stem, blocks } = buildTrunk(scope, options, 3);
  const head = sequence([
    convolution(scope.child('head').child('convolution'), {
      inChannels: options.stages.at(-1)!.channels,
      outChannels: options.headChannels,
      kernelSize: 1,
      initializer: byFanOut(1, options.headChannels),
    }),
    batchNormalization(scope.child('head').child('norm'), {
      channels: options.headChannels,
      ...normOptions(options),
    }),
    relu6,
  ]);
  const classifier = dense(scope.child('classifier'), options.headChannels, options.classCount);
  return (images, context) => {
    const trunk = blocks.reduce((x, block) => block.layer(x, context), stem(images, context));
    return classifier(head(trunk, context).mean([1, 2]) as Tensor2D);
  };
}
