import { z } from 'zod';
import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import { sequence, type ForwardContext, type Layer } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { atrousPooling, type AtrousPoolingOptions } from './atrous-pooling.js';
import { decoderHyperparameters, decoderMisfit, defineDecoder } from './decoder.js';
import { convolutionUnit, numberedUnit, segmentationHead } from './smp-layers.js';

const count = z.int().positive();

/** `separable`: as the reference of each has it. */
const hyperparameters = (separable: boolean) =>
  z.strictObject({
    /** Of all maps inside. */
    channels: count.default(256),
    /** Dilations of the 3 × 3 convolutions; rates beyond the map are legal. */
    atrousRates: z.array(count).min(1).default([12, 24, 36]),
    separable: z.boolean().default(separable),
    dropout: z.number().min(0).lt(1).default(0.5),
    batchNormEpsilon: z.number().positive().default(1e-5),
  });

type Options = z.infer<ReturnType<typeof hyperparameters>>;

const poolingOf = (inChannels: number, options: Options): AtrousPoolingOptions => ({
  ...{ inChannels, outChannels: options.channels, rates: options.atrousRates, separable: options.separable },
  ...{ dropout: options.dropout, epsilon: options.batchNormEpsilon },
});

/** DeepLabV3 up to its classes: pooling of one map and a 3 × 3 convolution. */
export function deeplabV3Trunk(scope: Scope, pooling: AtrousPoolingOptions): Layer {
  const { outChannels, epsilon } = pooling;
  const pool = atrousPooling(scope.child('aspp'), pooling);
  const smooth = convolutionUnit(scope.child('conv'), scope.child('bn'), {
    ...{ inChannels: outChannels, outChannels, kernelSize: 3, epsilon },
  });
  return (x, context) => {
    const pooled = pool(x, context);
    context.observe?.('aspp', pooled, 'channels-last');
    return smooth(pooled, context);
  };
}

/** Of the finer map, as the paper has it. */
const FINER_CHANNELS = 48;

/** DeepLabV3+ up to its classes: the pooled map is brought to a finer one's size and joined with it. */
export function deeplabV3PlusTrunk(
  scope: Scope,
  pooling: AtrousPoolingOptions,
  finerChannels: number,
): (coarse: Tensor4D, finer: Tensor4D, context: ForwardContext) => Tensor4D {
  const { outChannels, epsilon } = pooling;
  const smooth = { outChannels, kernelSize: 3, separable: true, epsilon };
  const aspp = scope.child('aspp');
  const pool = sequence([
    atrousPooling(aspp.child(0), pooling),
    convolutionUnit(aspp.child(1), aspp.child(2), { ...smooth, inChannels: outChannels }),
  ]);
  const narrow = numberedUnit(scope.child('block1'), {
    ...{ inChannels: finerChannels, outChannels: FINER_CHANNELS, kernelSize: 1, epsilon },
  });
  const fuse = numberedUnit(scope.child('block2'), { ...smooth, inChannels: FINER_CHANNELS + outChannels });
  return (coarse, finer, context) => {
    const pooled = pool(coarse, context);
    context.observe?.('aspp', pooled, 'channels-last');
    const grown = resize(pooled, [finer.shape[1], finer.shape[2]], { mode: 'bilinear', alignCorners: true });
    return fuse(tf.concat([grown, narrow(finer, context)], 3), context);
  };
}

const headOf = (scope: Scope, inChannels: number, classCount: number): Layer =>
  segmentationHead(scope.child('segmentation_head'), { inChannels, classCount, kernelSize: 1 });

/**
 * DeepLabV3 (Chen et al. 2017) in the layout of segmentation-models-pytorch, of the coarsest map; resized to the image
 * with its corners on the image's. GEO-Bench.
 */
export const deeplabV3 = defineDecoder('deeplabv3', {
  hyperparameters: hyperparameters(false),
  build(scope, { features, classCount, hyperparameters: given }) {
    const options = decoderHyperparameters('deeplabv3', hyperparameters(false), given);
    const pooling = poolingOf(features.at(-1)!.channels, options);
    const trunk = deeplabV3Trunk(scope.child('decoder'), pooling);
    const head = headOf(scope, options.channels, classCount);
    return (maps, { height, width }, context) => {
      const x = trunk(maps.at(-1)!, context);
      context.observe?.('decoder', x, 'channels-last');
      return resize(head(x, context), [height, width], { mode: 'bilinear', alignCorners: true });
    };
  },
});

/** DeepLabV3+ (Chen et al. 2018) likewise, of the coarsest map and one of stride 4, or of the next coarser stride. */
export const deeplabV3Plus = defineDecoder('deeplabv3plus', {
  hyperparameters: hyperparameters(true),
  takesPyramid: true,
  build(scope, { features, classCount, hyperparameters: given }) {
    const options = decoderHyperparameters('deeplabv3plus', hyperparameters(true), given);
    const finer = finerOf(features);
    const pooling = poolingOf(features.at(-1)!.channels, options);
    const trunk = deeplabV3PlusTrunk(scope.child('decoder'), pooling, features[finer]!.channels);
    const head = headOf(scope, options.channels, classCount);
    return (maps, { height, width }, context) => {
      const x = trunk(maps.at(-1)!, maps[finer]!, context);
      return resize(head(x, context), [height, width], { mode: 'bilinear', alignCorners: true });
    };
  },
});

/** Place of the map that details come from; never the coarsest. */
function finerOf(features: readonly FeatureSpec[]): number {
  if (features.length < 2) {
    throw decoderMisfit(
      'there is one map, and details come from a finer one',
      'Choose several feature maps of the encoder, or deeplabv3.',
    );
  }
  const place = features.findIndex(({ stride }) => stride >= 4);
  return place >= 0 && place < features.length - 1 ? place : 0;
}
