import { sigmoid } from '../engine/ops/activations-smooth.js';
import { relu } from '../engine/ops/activations.js';
import { globalAvgPool2d } from '../engine/ops/pool.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import { batchNormalization } from '../layers/batch-normalization.js';
import { convolution, depthwiseConvolution } from '../layers/convolution.js';
import { sequence, type Layer } from '../layers/layer.js';
import { uniformByFanIn, xavierUniform, zeros, type Initializer, type Scope } from '../layers/parameters.js';

// What the decoders of segmentation-models-pytorch share, with its names and first values.

/** Kaiming's rule for ReLU: uniform on ±√(6 / fan-in). */
export const kaimingUniform = (fanIn: number): Initializer => uniformByFanIn(fanIn / 6);

export interface UnitOptions {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: number;
  /** Default 1. */
  readonly dilation?: number;
  /** A depthwise convolution, then one of 1 × 1; default false. */
  readonly separable?: boolean;
  /** Of the batch normalisation; default 1e-5. */
  readonly epsilon?: number | undefined;
}

/** Convolution without bias, batch normalisation, ReLU; the size stays. */
export const convolutionUnit = (
  at: Scope,
  norm: Scope,
  { separable = false, epsilon = 1e-5, ...options }: UnitOptions,
): Layer =>
  sequence([
    separable ? separableConvolution(at, options) : plainConvolution(at, options),
    batchNormalization(norm, { channels: options.outChannels, epsilon }),
    relu,
  ]);

/** The same, its parts named `0` and `1`. */
export const numberedUnit = (at: Scope, options: UnitOptions): Layer =>
  convolutionUnit(at.child(0), at.child(1), options);

function plainConvolution(
  at: Scope,
  { inChannels, outChannels, kernelSize, dilation = 1 }: UnitOptions,
): Layer {
  return convolution(at, {
    ...{ inChannels, outChannels, kernelSize, dilation },
    initializer: kaimingUniform(inChannels * kernelSize ** 2),
  });
}

function separableConvolution(
  at: Scope,
  { inChannels, outChannels, kernelSize, dilation = 1 }: UnitOptions,
): Layer {
  return sequence([
    depthwiseConvolution(at.child(0), {
      ...{ channels: inChannels, kernelSize, dilation },
      initializer: kaimingUniform(kernelSize ** 2),
    }),
    plainConvolution(at.child(1), { inChannels, outChannels, kernelSize: 1 }),
  ]);
}

/** Convolution with bias to the classes, named `0`. */
export function segmentationHead(
  scope: Scope,
  {
    inChannels,
    classCount,
    kernelSize,
  }: {
    readonly inChannels: number;
    readonly classCount: number;
    readonly kernelSize: number;
  },
): Layer {
  const area = kernelSize ** 2;
  return convolution(scope.child(0), {
    ...{ inChannels, outChannels: classCount, kernelSize, bias: true, biasInitializer: zeros },
    initializer: xavierUniform(inChannels * area, classCount * area),
  });
}

/**
 * Gates of every channel, from the means of all channels, and of every pixel, from its channels; what both let through is
 * added (Roy et al. 2018, scSE).
 */
export function spatialChannelGates(scope: Scope, channels: number): Layer {
  const narrow = Math.max(1, Math.floor(channels / 16));
  const pointwise = (at: Scope, inChannels: number, outChannels: number): Layer =>
    convolution(at, {
      ...{ inChannels, outChannels, kernelSize: 1, bias: true, biasInitializer: zeros },
      initializer: kaimingUniform(inChannels),
    });
  const squeeze = pointwise(scope.child('cSE').child(1), channels, narrow);
  const widen = pointwise(scope.child('cSE').child(3), narrow, channels);
  const perPixel = pointwise(scope.child('sSE').child(0), channels, 1);
  return (x, context) => {
    const means = tf.reshape(globalAvgPool2d(x), [x.shape[0], 1, 1, channels]) as Tensor4D;
    const ofChannels = sigmoid(widen(relu(squeeze(means, context)), context));
    const ofPixels = sigmoid(perPixel(x, context));
    return tf.mul<Tensor4D>(x, tf.add(ofChannels, ofPixels));
  };
}
