import { relu } from '../engine/ops/activations.js';
import { batchNormalization } from './batch-normalization.js';
import { convolution } from './convolution.js';
import { sequence, type Layer } from './layer.js';
import type { Scope } from './parameters.js';

/**
 * Two 3 × 3 convolutions with bias, each with batch normalisation and ReLU behind it; the size stays. Named `0`, `1`,
 * `3` and `4` as in a PyTorch sequence.
 */
export function doubleConvolution(
  scope: Scope,
  {
    inChannels,
    outChannels,
    epsilon = 1e-5,
  }: {
    readonly inChannels: number;
    readonly outChannels: number;
    /** Of the batch normalisation; default 1e-5. */
    readonly epsilon?: number;
  },
): Layer {
  const stage = (first: number, channels: number): Layer[] => [
    convolution(scope.child(first), { inChannels: channels, outChannels, kernelSize: 3, bias: true }),
    batchNormalization(scope.child(first + 1), { channels: outChannels, epsilon }),
    (x) => relu(x),
  ];
  return sequence([...stage(0, inChannels), ...stage(3, outChannels)]);
}
