import { z } from 'zod';
import { relu } from '../engine/ops/activations.js';
import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import { convolution } from '../layers/convolution.js';
import { channelDropout } from '../layers/dropout.js';
import { groupNormalization } from '../layers/group-normalization.js';
import { sequence, type ForwardContext, type Layer } from '../layers/layer.js';
import { zeros, type Scope } from '../layers/parameters.js';
import { decoderHyperparameters, defineDecoder } from './decoder.js';
import { kaimingUniform, segmentationHead } from './smp-layers.js';

const GROUPS = 32;
/** More maps than these, the coarsest, are left out. */
const LEVELS = 4;

const hyperparameters = z.strictObject({
  /** Of the pyramid. */
  pyramidChannels: z.int().positive().default(256),
  /** Of the maps that are joined: a multiple of 32. */
  segmentationChannels: z.int().positive().multipleOf(GROUPS).default(128),
  /** Whether the levels are added or put side by side. */
  mergePolicy: z.enum(['add', 'cat']).default('add'),
  /** Share of channels that training leaves out in front of the head. */
  dropout: z.number().min(0).lt(1).default(0.2),
});

export type FpnTrunkOptions = z.infer<typeof hyperparameters> & {
  /** Finest first; the last four are used. */
  readonly features: readonly FeatureSpec[];
};

/**
 * Feature pyramid network (Lin et al. 2017) for segmentation (Kirillov et al. 2019) up to its classes: a pyramid, each
 * level brought to the finest one's size step by step, then joined. Reference: segmentation-models-pytorch, FPN.
 * @returns maps, finest first → [batch, height, width, channels] of the finest of the last four
 */
export function fpnTrunk(
  scope: Scope,
  { features, pyramidChannels, segmentationChannels, mergePolicy, dropout }: FpnTrunkOptions,
): (maps: readonly Tensor4D[], context: ForwardContext) => Tensor4D {
  const used = features.slice(-LEVELS).reverse();
  const laterals = used.map(({ channels }, index) => {
    const at = scope.child(`p${5 - index}`);
    return convolution(index === 0 ? at : at.child('skip_conv'), {
      ...{ inChannels: channels, outChannels: pyramidChannels, kernelSize: 1, bias: true },
      ...{ initializer: kaimingUniform(channels), biasInitializer: zeros },
    });
  });
  // coarsest first: one step a finer level, and one at least
  const steps = used.map((_, index) => {
    const at = scope.child('seg_blocks').child(index).child('block');
    return Array.from({ length: Math.max(1, used.length - 1 - index) }, (__, step) =>
      groupUnit(
        at.child(step).child('block'),
        step === 0 ? pyramidChannels : segmentationChannels,
        segmentationChannels,
      ),
    );
  });
  const drop = channelDropout(dropout);

  return (maps, context) => {
    const given = maps.slice(-LEVELS).reverse();
    const sizes = given.map(({ shape }) => [shape[1], shape[2]] as const);
    let above: Tensor4D | undefined;
    const levels = given.map((map, index) => {
      const lateral = laterals[index]!(map, context);
      above = above ? tf.add<Tensor4D>(resize(above, sizes[index]!, { mode: 'nearest' }), lateral) : lateral;
      return above;
    });
    const joined = levels.map((level, index) =>
      steps[index]!.reduce((x, step, place) => {
        const y = step(x, context);
        const size = sizes[index + place + 1];
        return size ? resize(y, size, { mode: 'bilinear', alignCorners: true }) : y;
      }, level),
    );
    const merged = mergePolicy === 'add' ? tf.addN(joined) : tf.concat(joined, 3);
    return drop(merged as Tensor4D, context);
  };
}

/** 3 × 3 convolution without bias, group normalisation, ReLU. */
function groupUnit(scope: Scope, inChannels: number, outChannels: number): Layer {
  return sequence([
    convolution(scope.child(0), {
      ...{ inChannels, outChannels, kernelSize: 3, initializer: kaimingUniform(inChannels * 9) },
    }),
    groupNormalization(scope.child(1), { channels: outChannels, groups: GROUPS }),
    relu,
  ]);
}

/** The feature pyramid network above with a 1 × 1 convolution to the classes, resized with corners on corners. */
export const fpn = defineDecoder('fpn', {
  hyperparameters,
  takesPyramid: true,
  build(scope, { features, classCount, hyperparameters: given }) {
    const options = decoderHyperparameters('fpn', hyperparameters, given);
    const trunk = fpnTrunk(scope.child('decoder'), { ...options, features });
    const levels = Math.min(features.length, LEVELS);
    const inChannels = options.segmentationChannels * (options.mergePolicy === 'cat' ? levels : 1);
    const head = segmentationHead(scope.child('segmentation_head'), {
      inChannels,
      classCount,
      kernelSize: 1,
    });
    return (maps, { height, width }, context) =>
      resize(head(trunk(maps, context), context), [height, width], { mode: 'bilinear', alignCorners: true });
  },
});
