import { tf } from '../engine/tf.js';
import type { Layer } from '../layers/layer.js';
import { normalizedConvolution } from '../layers/normalized-convolution.js';
import { normal, type Scope } from '../layers/parameters.js';

/** A 3 × 3 convolution over crops, batch normalisation and ReLU. Reference: torchvision, Conv2dNormActivation. */
export function roiConvolution(
  scope: Scope,
  { inChannels, outChannels }: { readonly inChannels: number; readonly outChannels: number },
): Layer {
  const layer = normalizedConvolution([scope.child(0), scope.child(1)], {
    ...{ inChannels, outChannels, kernelSize: 3, isClipped: true },
    initializer: normal(Math.sqrt(2 / (9 * outChannels))),
  });
  // the engine has no convolution of nothing, and images without a box move no statistics
  return (crops, context) =>
    crops.shape[0] === 0 ? tf.zeros([0, crops.shape[1], crops.shape[2], outChannels]) : layer(crops, context);
}
