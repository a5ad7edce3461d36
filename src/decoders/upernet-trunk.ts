import { relu } from '../engine/ops/activations.js';
import { adaptiveAvgPool2d } from '../engine/ops/pool.js';
import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor4D } from '../engine/tf.js';
import type { FeatureSpec } from '../encoders/encoder.js';
import { batchNormalization } from '../layers/batch-normalization.js';
import { convolution } from '../layers/convolution.js';
import { sequence, type ForwardContext, type Layer } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';

export interface UpernetTrunkOptions {
  readonly features: readonly FeatureSpec[];
  /** Of all maps inside, and of the result. */
  readonly channels: number;
  /** Sides of the pooled maps. */
  readonly poolScales: readonly number[];
  /** Of every resizing. */
  readonly alignCorners: boolean;
  /** Whose names and biases: PANGAEA's convolutions have a bias, TerraTorch's have none. */
  readonly layout: 'pangaea' | 'terratorch';
  /** Of the batch normalisations. */
  readonly epsilon: number;
}

/**
 * UPerNet (Xiao et al. 2018) up to its fused map: pyramid pooling of the coarsest map, a feature pyramid over it, all
 * levels brought to the finest and joined by a convolution.
 * @returns maps, finest first → [batch, height, width, channels] of the finest
 */
export function upernetTrunk(
  scope: Scope,
  { features, channels, poolScales, alignCorners, layout, epsilon }: UpernetTrunkOptions,
): (maps: readonly Tensor4D[], context: ForwardContext) => Tensor4D {
  const isPangaea = layout === 'pangaea';
  /** Convolution, batch normalisation, ReLU. */
  const unit = (at: Scope, inChannels: number, kernelSize: number, first = 0): Layer =>
    sequence([
      convolution(at.child(isPangaea ? first : 'conv'), {
        ...{ inChannels, outChannels: channels, kernelSize, bias: isPangaea },
      }),
      batchNormalization(at.child(isPangaea ? first + 1 : 'norm'), { channels, epsilon }),
      relu,
    ]);
  const last = features.at(-1)!;
  const finer = features.slice(0, -1);
  const pooled = poolScales.map((_, index) => {
    const at = scope.child('psp_modules').child(index);
    return isPangaea ? unit(at, last.channels, 1, 1) : unit(at.child(1), last.channels, 1);
  });
  const bottleneck = unit(scope.child('bottleneck'), last.channels + poolScales.length * channels, 3);
  const laterals = finer.map((feature, level) =>
    unit(scope.child('lateral_convs').child(level), feature.channels, 1),
  );
  const smooth = finer.map((_, level) => unit(scope.child('fpn_convs').child(level), channels, 3));
  const fuse = unit(scope.child('fpn_bottleneck'), features.length * channels, 3);

  const resizeLike = (map: Tensor4D, { shape }: Tensor4D): Tensor4D =>
    resize(map, [shape[1], shape[2]], { mode: 'bilinear', alignCorners });

  return (maps, context) => {
    const observe = (name: string, map: Tensor4D): Tensor4D => {
      context.observe?.(name, map, 'channels-last');
      return map;
    };
    const coarsest = maps.at(-1)!;
    const levels = laterals.map((lateral, level) =>
      observe(`lateral.${level}`, lateral(maps[level]!, context)),
    );
    const scenes = pooled.map((layer, index) => {
      const side = poolScales[index]!;
      const scene = observe(`ppm.${index}`, layer(adaptiveAvgPool2d(coarsest, [side, side]), context));
      return resizeLike(scene, coarsest);
    });
    levels.push(observe('bottleneck', bottleneck(tf.concat([coarsest, ...scenes], 3), context)));
    for (let level = levels.length - 1; level > 0; level--) {
      const finest = levels[level - 1]!;
      levels[level - 1] = tf.add(finest, resizeLike(levels[level]!, finest));
    }
    const outputs = levels.map((map, level) => {
      const layer = smooth[level];
      return layer ? observe(`fpn.${level}`, layer(map, context)) : map;
    });
    const [finest, ...others] = outputs as [Tensor4D, ...Tensor4D[]];
    const joined = tf.concat([finest, ...others.map((map) => resizeLike(map, finest))], 3);
    return observe('fpn_bottleneck', fuse(joined, context));
  };
}
