import { relu } from '../engine/ops/activations.js';
import { conv2dNormalized } from '../engine/ops/conv.js';
import { tf, type Tensor4D, type Variable } from '../engine/tf.js';
import { batchNormalization, type BatchNormalizationOptions } from './batch-normalization.js';
import { convolution, type ConvolutionOptions } from './convolution.js';
import type { ForwardContext } from './layer.js';
import { collectVariables, type Scope } from './parameters.js';

export interface NormalizedConvolutionOptions
  extends Omit<ConvolutionOptions, 'bias' | 'biasInitializer'>, Omit<BatchNormalizationOptions, 'channels'> {
  /** Whether negative results become 0. */
  readonly isClipped: boolean;
  /** Names of the convolution's and the normalisation's results for the observer of the pass; default not shown. */
  readonly observed?: readonly [string, string];
}

/** As a layer; `added`, of the result's shape, is added before the ReLU. */
export type NormalizedConvolution = (x: Tensor4D, context: ForwardContext, added?: Tensor4D) => Tensor4D;

/** Convolution without bias, batch normalisation and, if asked, ReLU; in evaluation one pass where the engine has it. */
export function normalizedConvolution(
  [convScope, normScope]: readonly [Scope, Scope],
  options: NormalizedConvolutionOptions,
): NormalizedConvolution {
  const { isClipped, observed, outChannels: channels, epsilon = 1e-5, momentum } = options;
  const { stride, padding, dilation } = options;
  const conv = collectVariables(convScope);
  const convolve = convolution(conv.scope, options);
  const norm = collectVariables(normScope);
  const normalize = batchNormalization(norm.scope, {
    ...{ channels, epsilon },
    ...(momentum !== undefined && { momentum }),
  });
  const [kernel] = conv.variables as [Variable];
  const [scale, offset, mean, variance] = norm.variables as [Variable, Variable, Variable, Variable];
  return (x, context, added) => {
    const isSeen = observed && context.observe;
    const fused =
      context.training || isSeen
        ? undefined
        : conv2dNormalized(
            x,
            kernel as unknown as Tensor4D,
            { scale, offset, mean, variance, epsilon },
            {
              ...(stride !== undefined && { stride }),
              ...(padding !== undefined && { padding }),
              ...(dilation !== undefined && { dilation }),
              ...{ isClipped, added },
            },
          );
    if (fused) return fused;
    const convolved = convolve(x, context);
    const y = normalize(convolved, context);
    if (isSeen) {
      context.observe!(observed[0], convolved, 'channels-last');
      context.observe!(observed[1], y, 'channels-last');
    }
    const sum = added ? tf.add<Tensor4D>(y, added) : y;
    return isClipped ? relu(sum) : sum;
  };
}
