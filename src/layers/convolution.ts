import { conv2d, depthwiseConv2d, type Padding } from '../engine/ops/conv.js';
import { tf, type Tensor4D } from '../engine/tf.js';
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
  /** Default false. */
  readonly bias?: boolean;
  /** Default PyTorch's: uniform on ±√(1 / fan-in). */
  readonly initializer?: Initializer;
}

/** Convolution with kernel [kernelSize, kernelSize, inChannels, outChannels] and, if asked, a bias. */
export function convolution(scope: Scope, options: ConvolutionOptions): Layer {
  const { inChannels, outChannels, kernelSize, stride = 1, padding = 'same', bias = false } = options;
  const fanIn = inChannels * kernelSize * kernelSize;
  const shape = [kernelSize, kernelSize, inChannels, outChannels];
  const kernel = scope.parameter('kernel', shape, options.initializer ?? uniformByFanIn(fanIn), 'kernel');
  const offset = bias ? scope.parameter('bias', [outChannels], uniformByFanIn(fanIn), 'bias') : undefined;
  return (x) => {
    const y = conv2d(x, kernel as unknown as Tensor4D, { stride, padding });
    return offset ? (tf.add(y, offset) as Tensor4D) : y;
  };
}

export type DepthwiseOptions = Omit<ConvolutionOptions, 'inChannels' | 'outChannels' | 'bias'> & {
  readonly channels: number;
};

/** Depthwise convolution with kernel [kernelSize, kernelSize, channels, 1], no bias. */
export function depthwiseConvolution(scope: Scope, options: DepthwiseOptions): Layer {
  const { channels, kernelSize, stride = 1, padding = 'same' } = options;
  const initializer = options.initializer ?? uniformByFanIn(kernelSize * kernelSize);
  const kernel = scope.parameter(
    'kernel',
    [kernelSize, kernelSize, channels, 1],
    initializer,
    'depthwise-kernel',
  );
  return (x) => depthwiseConv2d(x, kernel as unknown as Tensor4D, { stride, padding });
}
