import { z } from 'zod';
import { globalAvgPool2d, maxPool2d } from '../engine/ops/pool.js';
import { tf, type Tensor2D, type Tensor4D } from '../engine/tf.js';
import { padded } from '../layers/convolution.js';
import { sequence, type ForwardContext, type Layer } from '../layers/layer.js';
import { normalizedConvolution, type NormalizedConvolution } from '../layers/normalized-convolution.js';
import { normal, type Initializer, type Scope } from '../layers/parameters.js';
import { defineEncoder } from './define-encoder.js';
import type { BuiltEncoder, FeatureSpec, WeightRules } from './encoder.js';
import { imageOf } from './images.js';

const count = z.int().positive();

const shape = z.strictObject({
  /** Default 3. */
  bandCount: count.default(3),
  /** `basic`: two 3 × 3 convolutions. `bottleneck`: 1 × 1, 3 × 3, 1 × 1, four times as wide at its end. */
  block: z.enum(['basic', 'bottleneck']),
  /** Blocks of each stage. */
  depths: z.array(count).min(1),
  /** Width inside the blocks of each stage. */
  widths: z.array(count).min(1).default([64, 128, 256, 512]),
  stemWidth: count.default(64),
  batchNormEpsilon: z.number().positive().default(1e-5),
  /** Share of a new batch in the running statistics. */
  batchNormMomentum: z.number().min(0).max(1).default(0.1),
  /** Whether the stem, at half the resolution, is the first feature (timm's pyramid of five). */
  stemFeature: z.boolean().default(false),
  /** Which set of weights of the file is meant, e.g. `teacher` of a DINO training file. */
  section: z.string().optional(),
  /** Which of the two networks of a DeCUR training file is meant. */
  branch: z.union([z.literal(1), z.literal(2)]).default(1),
});

const hyperparameters = shape.refine(({ depths, widths }) => depths.length === widths.length, {
  path: ['widths'],
  message: 'one width a stage is due',
});

/** What a residual network is made of. */
export type ResNetOptions = z.infer<typeof hyperparameters>;

/**
 * Residual network (He et al. 2016) in torchvision's and timm's layout, the stride of a bottleneck on its 3 × 3
 * convolution. Features are the outputs of the stages, strides 4, 8, 16, 32.
 */
export const resnet = defineEncoder('resnet', {
  hyperparameters,
  build: (scope, options) => residualNetwork(scope, options),
  bandLayers: /^conv1\.weight$/,
  weights: ({ section, branch }) => ({
    ...weightRules(branch),
    ...(section !== undefined && { section }),
  }),
});

/** Of torchvision, timm and the training files of MoCo, SeCo, DINO, DeCUR and Satlas. */
const weightRules = (branch: 1 | 2): WeightRules => ({
  rename: [
    [new RegExp(`^${PREFIX}(?:backbone_${branch}\\.)?(?=(?:conv1|bn1|layer\\d)\\.)`), ''],
    // children numbered by nn.Sequential: SeCo's training files, PANGAEA
    ...Object.entries({ 0: 'conv1', 1: 'bn1', 4: 'layer1', 5: 'layer2', 6: 'layer3', 7: 'layer4' }).map(
      ([child, name]) => [new RegExp(`^${PREFIX}${child}\\.`), `${name}.`] as const,
    ),
  ],
  discard: [
    // classifiers and projections
    /(?:^|\.)fc\./,
    /^(?:head|heads|heads_q|heads_k|projector\d*|predictor)\./,
    // momentum copies and queues of MoCo and SeCo, the other modality of DeCUR, Satlas' other parts
    new RegExp(`^(?:encoder_k|backbone_${3 - branch}|intermediates)\\.`),
    /^queue/,
  ],
});

const PREFIX = '(?:(?:backbone|encoder_q|encoder|resnet)\\.)*';

const STEM_STRIDE = 2;

/** Convolutions start normal with variance 2 / fan-out, as both packages have it. */
const byFanOut = (kernelSize: number, outChannels: number): Initializer =>
  normal(Math.sqrt(2 / (kernelSize * kernelSize * outChannels)));

/** Builds the parameters in torchvision's names. */
function residualNetwork(scope: Scope, options: ResNetOptions): BuiltEncoder {
  const { bandCount, stemWidth, depths, widths, block } = options;
  const build = parts(options);
  const stemOf = build.step([scope.child('conv1'), scope.child('bn1')], [bandCount, stemWidth], 7, {
    ...{ stride: STEM_STRIDE, isClipped: true },
    observed: ['conv1', 'bn1'],
  });
  const expansion = block === 'bottleneck' ? 4 : 1;
  let channels = stemWidth;
  const stages = depths.map((depth, stage) => {
    const width = widths[stage]!;
    const stageScope = scope.child(`layer${stage + 1}`);
    const blocks = Array.from({ length: depth }, (_, index) => {
      const stride = index === 0 && stage > 0 ? 2 : 1;
      const layer = build.block(stageScope.child(index), { inChannels: channels, width, expansion, stride });
      channels = width * expansion;
      return layer;
    });
    return { channels, blocks };
  });
  const stemFeature: FeatureSpec[] = options.stemFeature
    ? [{ channels: stemWidth, stride: STEM_STRIDE }]
    : [];

  /** The stem, then every stage: [batch, height, width, channels] each. */
  const run = (images: Tensor4D, context: ForwardContext): { stem: Tensor4D; maps: Tensor4D[] } => {
    const stem = stemOf(images, context);
    let x = maxPool2d(stem, { kernel: 3, stride: 2, padding: 1 });
    context.observe?.('maxpool', x, 'channels-last');
    const maps = stages.map(({ blocks }, stage) => {
      x = blocks.reduce((input, layer) => layer(input, context), x);
      context.observe?.(`layer${stage + 1}`, x, 'channels-last');
      return x;
    });
    return { stem, maps };
  };
  return {
    features: [
      ...stemFeature,
      ...stages.map((stage, index) => ({ channels: stage.channels, stride: 4 * 2 ** index })),
    ],
    forward(input, context) {
      const { stem, maps } = run(imageOf(input, bandCount), context);
      return options.stemFeature ? [stem, ...maps] : maps;
    },
    embed: (input, context) =>
      globalAvgPool2d(run(imageOf(input, bandCount), context).maps.at(-1)!) as Tensor2D,
  };
}

interface BlockOptions {
  readonly inChannels: number;
  readonly width: number;
  readonly expansion: number;
  readonly stride: number;
}

interface StepOptions {
  readonly stride?: number;
  /** Whether negative results become 0. */
  readonly isClipped?: boolean;
  /** Names of both results for the observer. */
  readonly observed?: readonly [string, string];
}

/** What the network is put together from, with the options that its layers share. */
function parts({ block, batchNormEpsilon: epsilon, batchNormMomentum: momentum }: ResNetOptions) {
  const step = (
    scopes: readonly [Scope, Scope],
    [inChannels, outChannels]: readonly [number, number],
    kernelSize: number,
    { stride = 1, isClipped = false, observed }: StepOptions = {},
  ): NormalizedConvolution =>
    normalizedConvolution(scopes, {
      ...{ inChannels, outChannels, kernelSize, stride, padding: padded((kernelSize - 1) / 2) },
      initializer: byFanOut(kernelSize, outChannels),
      ...{ epsilon, momentum, isClipped, ...(observed && { observed }) },
    });
  const clipped = { isClipped: true };

  /** All but the last convolution, and that one, which the shortcut is added to. */
  const body = (scope: Scope, { inChannels, width, expansion, stride }: BlockOptions) => {
    const numbered = (number: number) => [scope.child(`conv${number}`), scope.child(`bn${number}`)] as const;
    if (block === 'basic') {
      const inner = step(numbered(1), [inChannels, width], 3, { stride, ...clipped });
      return { inner, last: step(numbered(2), [width, width], 3, clipped) };
    }
    const narrow = step(numbered(1), [inChannels, width], 1, clipped);
    const middle = step(numbered(2), [width, width], 3, { stride, ...clipped });
    return {
      inner: sequence([narrow, middle]),
      last: step(numbered(3), [width, width * expansion], 1, clipped),
    };
  };

  return {
    step,
    /** The body added to its input, which is brought to the body's shape where they differ, then ReLU. */
    block(scope: Scope, options: BlockOptions): Layer {
      const { inner, last } = body(scope, options);
      const outChannels = options.width * options.expansion;
      const isSame = options.stride === 1 && options.inChannels === outChannels;
      const shortcut: Layer = isSame
        ? (x) => x
        : step(
            [scope.child('downsample').child('0'), scope.child('downsample').child('1')],
            ...([[options.inChannels, outChannels], 1, options] as const),
          );
      return (x, context) => tf.tidy(() => last(inner(x, context), context, shortcut(x, context)));
    },
  };
}
