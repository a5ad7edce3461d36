import { conv2dTranspose } from '../engine/ops/conv-transpose.js';
import { conv2d, depthwiseConv2d, type Padding } from '../engine/ops/conv.js';
import { addBias } from '../engine/ops/linear.js';
import type { Tensor4D } from '../engine/tf.js';
import type { Layer } from './layer.js';
import { uniformByFanIn, type Initializer, type Scope } from './parameters.js';

export interface ConvolutionOptions {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: number;
  /** Default 1. */
  readonly stride?: number;
  /** Default `same` (TensorFlow's rule). */
  readonly padding?: Padding;
  /** Distance of the kernel's taps; default 1. */
  readonly dilation?: number;
  /** Default false. */
  readonly bias?: boolean;
  /** Default PyTorch's: uniform on ±√(1 / fan-in). */
  readonly initializer?: Initializer;
  /** Default PyTorch's, as the kernel's. */
  readonly biasInitializer?: Initializer;
}

/** Convolution with kernel [kernelSize, kernelSize, inChannels, outChannels] and, if asked, a bias. */
export function convolution(scope: Scope, options: ConvolutionOptions): Layer {
  const { inChannels, outChannels, kernelSize, stride = 1, padding = 'same', dilation = 1 } = options;
  const { bias = false } = options;
  const fanIn = inChannels * kernelSize * kernelSize;
  const shape = [kernelSize, kernelSize, inChannels, outChannels];
  const kernel = scope.parameter('kernel', shape, options.initializer ?? uniformByFanIn(fanIn), 'kernel');
  const biasInitializer = options.biasInitializer ?? uniformByFanIn(fanIn);
  const offset = bias ? scope.parameter('bias', [outChannels], biasInitializer, 'bias') : undefined;
  return (x) => {
    const y = conv2d(x, kernel as unknown as Tensor4D, { stride, padding, dilation });
    return offset ? addBias(y, offset) : y;
  };
}

export type DepthwiseOptions = Omit<ConvolutionOptions, 'inChannels' | 'outChannels' | 'biasInitializer'> & {
  readonly channels: number;
};

/** Depthwise convolution with kernel [kernelSize, kernelSize, channels, 1] and, if asked, a bias. */
export function depthwiseConvolution(scope: Scope, options: DepthwiseOptions): Layer {
  const { channels, kernelSize, stride = 1, padding = 'same', dilation = 1, bias = false } = options;
  const initializer = options.initializer ?? uniformByFanIn(kernelSize * kernelSize);
  const kernel = scope.parameter(
    'kernel',
    [kernelSize, kernelSize, channels, 1],
    initializer,
    'depthwise-kernel',
  );
  const offset = bias
    ? scope.parameter('bias', [channels], uniformByFanIn(kernelSize * kernelSize), 'bias')
    : undefined;
  return (x) => {
    const y = depthwiseConv2d(x, kernel as unknown as Tensor4D, { stride, padding, dilation });
    return offset ? addBias(y, offset) : y;
  };
}

export interface TransposedConvolutionOptions {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: number;
  readonly stride: number;
  /** Rows and columns cut from every side of the result; default 0. */
  readonly padding?: number;
  /** Of the kernel; default PyTorch's: uniform on ±√(1 / fan-in). */
  readonly initializer?: Initializer;
}

/**
 * Transposed convolution with kernel [kernelSize, kernelSize, outChannels, inChannels] and a bias; sides become
 * (size − 1) · stride − 2 · padding + kernelSize.
 */
export function transposedConvolution(scope: Scope, options: TransposedConvolutionOptions): Layer {
  const { inChannels, outChannels, kernelSize, stride, padding = 0 } = options;
  // PyTorch counts the fan-in of a transposed kernel [in, out, ...taps] on its second axis
  const uniform = uniformByFanIn(outChannels * kernelSize * kernelSize);
  const shape = [kernelSize, kernelSize, outChannels, inChannels];
  const kernel = scope.parameter('kernel', shape, options.initializer ?? uniform, 'transposed-kernel');
  const offset = scope.parameter('bias', [outChannels], uniform, 'bias');
  return (x) => addBias(conv2dTranspose(x, kernel, { stride, padding }), offset);
}

/** The same number of rows and columns on every side, as PyTorch pads. */
export const padded = (pixels: number): Padding => [
  [pixels, pixels],
  [pixels, pixels],
];
