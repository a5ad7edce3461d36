import { relu } from '../engine/ops/activations.js';
import { maxPool2d } from '../engine/ops/pool.js';
import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import { convolution, padded } from './convolution.js';
import type { ForwardContext, Layer } from './layer.js';
import { uniformByFanIn, zeros, type Scope } from './parameters.js';

export interface FeaturePyramidOptions {
  /** Of each map, finest first. */
  readonly inChannels: readonly number[];
  readonly outChannels: number;
  /**
   * Coarser levels of half and, of the second kind, a quarter of the last map's side. `pool`: every second pixel of
   * the last level. `p6-p7`: a convolution of the last map (of the last level, where both have as many channels), and
   * another of its ReLU. Default none.
   */
  readonly extra?: 'pool' | 'p6-p7' | undefined;
}

/**
 * Feature pyramid network (Lin et al. 2017) in torchvision's layout: a 1 × 1 convolution of each map, the coarser level
 * added to it by nearest-neighbour resizing, a 3 × 3 convolution.
 * @returns maps, finest first → levels, finest first, the extra ones at the end
 */
export function featurePyramid(
  scope: Scope,
  { inChannels, outChannels, extra }: FeaturePyramidOptions,
): (maps: readonly Tensor4D[], context: ForwardContext) => Tensor4D[] {
  const convolve = (at: Scope, channels: number, kernelSize: number, stride = 1): Layer =>
    convolution(at, {
      ...{ inChannels: channels, outChannels, kernelSize, stride, bias: true, biasInitializer: zeros },
      padding: padded((kernelSize - 1) / 2),
      // uniform on ±√(3 / fan-in)
      initializer: uniformByFanIn((channels * kernelSize * kernelSize) / 3),
    });
  const inner = inChannels.map((channels, level) =>
    convolve(scope.child('inner_blocks').child(level).child(0), channels, 1),
  );
  const outer = inChannels.map((_, level) =>
    convolve(scope.child('layer_blocks').child(level).child(0), outChannels, 3),
  );
  const extras = scope.child('extra_blocks');
  const lastChannels = inChannels.at(-1)!;
  const coarser = extra === 'p6-p7' && {
    p6: convolve(extras.child('p6'), lastChannels, 3, 2),
    p7: convolve(extras.child('p7'), outChannels, 3, 2),
  };

  return (maps, context) => {
    let above: Tensor4D | undefined;
    const levels: Tensor4D[] = [];
    for (const [level, map] of [...maps.entries()].reverse()) {
      const lateral = inner[level]!(map, context);
      const [, height, width] = lateral.shape;
      above = above
        ? (tf.add(lateral, resize(above, [height, width], { mode: 'nearest' })) as Tensor4D)
        : lateral;
      levels.unshift(outer[level]!(above, context));
    }
    if (extra === 'pool') return [...levels, maxPool2d(levels.at(-1)!, { kernel: 1, stride: 2 })];
    if (!coarser) return levels;
    const source = lastChannels === outChannels ? levels.at(-1)! : maps.at(-1)!;
    const p6 = coarser.p6(source, context);
    return [...levels, p6, coarser.p7(relu(p6), context)];
  };
}
