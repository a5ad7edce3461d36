import { globalAvgPool2d } from '../engine/ops/pool.js';
import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import { dropout } from '../layers/dropout.js';
import { sequence, type Layer } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { convolutionUnit, numberedUnit } from './smp-layers.js';

export interface AtrousPoolingOptions {
  readonly inChannels: number;
  readonly outChannels: number;
  /** Dilations of the 3 × 3 convolutions. */
  readonly rates: readonly number[];
  /** Whether these are depthwise, with 1 × 1 behind. */
  readonly separable: boolean;
  /** Share of numbers that training leaves out at the end. */
  readonly dropout: number;
  /** Of the batch normalisations. */
  readonly epsilon: number;
}

/**
 * Atrous spatial pyramid pooling (Chen et al. 2017): a 1 × 1 convolution, dilated ones and the mean over the image side
 * by side, joined by a 1 × 1 convolution. Reference: segmentation-models-pytorch, ASPP.
 */
export function atrousPooling(
  scope: Scope,
  { inChannels, outChannels, rates, separable, dropout: dropoutRate, epsilon }: AtrousPoolingOptions,
): Layer {
  const convs = scope.child('convs');
  const shared = { inChannels, outChannels, epsilon };
  const branches = [
    numberedUnit(convs.child(0), { ...shared, kernelSize: 1 }),
    ...rates.map((dilation, index) =>
      numberedUnit(convs.child(index + 1), { ...shared, kernelSize: 3, dilation, separable }),
    ),
  ];
  const last = convs.child(rates.length + 1);
  const ofMeans = convolutionUnit(last.child(1), last.child(2), { ...shared, kernelSize: 1 });
  branches.push((x, context) => {
    const [batch, height, width] = x.shape;
    const means = tf.reshape(globalAvgPool2d(x), [batch, 1, 1, inChannels]) as Tensor4D;
    return resize(ofMeans(means, context), [height, width], { mode: 'bilinear' });
  });
  const project = sequence([
    numberedUnit(scope.child('project'), {
      ...{ inChannels: branches.length * outChannels, outChannels, kernelSize: 1, epsilon },
    }),
    dropout(dropoutRate),
  ]);

  return (x, context) => {
    const maps = branches.map((branch, index) => {
      const map = branch(x, context);
      context.observe?.(`aspp.${index}`, map, 'channels-last');
      return map;
    });
    return project(tf.concat(maps, 3), context);
  };
}
