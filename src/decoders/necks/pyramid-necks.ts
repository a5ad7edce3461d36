import { gelu } from '../../engine/ops/activations-smooth.js';
import { maxPool2d } from '../../engine/ops/pool.js';
import { resize } from '../../engine/ops/resize.js';
import type { Tensor4D } from '../../engine/tf.js';
import type { FeatureSpec } from '../../encoders/encoder.js';
import { batchNormalization } from '../../layers/batch-normalization.js';
import { convolution, transposedConvolution } from '../../layers/convolution.js';
import { featurePyramid } from '../../layers/feature-pyramid.js';
import { sequence, type Layer } from '../../layers/layer.js';
import type { Scope } from '../../layers/parameters.js';
import { featureCount, type Neck } from './neck.js';

/**
 * Four maps of one size become a pyramid: the first grows fourfold and the second twofold by learned transposed
 * convolutions, the third stays, the fourth halves by pooling. Channels: a quarter, a half, all, all.
 * Reference: TerraTorch, LearnedInterpolateToPyramidal.
 */
export function learnedPyramid(scope: Scope, features: readonly FeatureSpec[]): Neck {
  featureCount('a learned pyramid', features, 4);
  const [first, second, third, fourth] = features as readonly [
    FeatureSpec,
    FeatureSpec,
    FeatureSpec,
    FeatureSpec,
  ];
  const [half, quarter] = [Math.floor(first.channels / 2), Math.floor(first.channels / 4)];
  const double = (at: Scope, inChannels: number, outChannels: number): Layer =>
    transposedConvolution(at, { inChannels, outChannels, kernelSize: 2, stride: 2 });
  const fourfold = sequence([
    double(scope.child('fpn1').child(0), first.channels, half),
    batchNormalization(scope.child('fpn1').child(1), { channels: half }),
    gelu,
    double(scope.child('fpn1').child(3), half, quarter),
  ]);
  const secondChannels = Math.floor(second.channels / 2);
  const twofold = double(scope.child('fpn2').child(0), second.channels, secondChannels);
  return {
    features: [
      { channels: quarter, stride: first.stride / 4 },
      { channels: secondChannels, stride: second.stride / 2 },
      third,
      { channels: fourth.channels, stride: fourth.stride * 2 },
    ],
    run: ([a, b, c, d], context) => [
      fourfold(a!, context),
      twofold(b!, context),
      c!,
      maxPool2d(d!, { kernel: 2, stride: 2 }),
    ],
  };
}

/**
 * Map k becomes 2^(count − k) times as large, so that even the last one doubles.
 * Reference: TerraTorch, InterpolateToPyramidal.
 */
export function interpolatedPyramid(
  features: readonly FeatureSpec[],
  { mode, factor = 2 }: { readonly mode: 'nearest' | 'bilinear'; /** Default 2. */ readonly factor?: number },
): Neck {
  const scaleOf = (index: number): number => factor ** (features.length - index);
  return {
    features: features.map(({ channels, stride }, index) => ({ channels, stride: stride / scaleOf(index) })),
    run: (maps) =>
      maps.map((map, index) => {
        const scale = scaleOf(index);
        const size = [Math.floor(map.shape[1] * scale), Math.floor(map.shape[2] * scale)] as const;
        return resize(map, size, {
          mode,
          ...(!Number.isInteger(scale) && { scale: [scale, scale] as const }),
        });
      }),
  };
}

/**
 * Map k is pooled by windows of kernel^k pixels; the first stays.
 * Reference: TerraTorch, MaxpoolToPyramidal.
 */
export function pooledPyramid(
  features: readonly FeatureSpec[],
  { kernel = 2 }: { /** Default 2. */ readonly kernel?: number } = {},
): Neck {
  return {
    features: features.map(({ channels, stride }, index) => ({ channels, stride: stride * kernel ** index })),
    run: (maps) =>
      maps.map((map, index) => {
        const side = kernel ** index;
        return index === 0 ? map : maxPool2d(map, { kernel: side, stride: side });
      }),
  };
}

/** The last map, brought to half its channels, is appended. Reference: TerraTorch, AddBottleneckLayer. */
export function appendedBottleneck(scope: Scope, features: readonly FeatureSpec[]): Neck {
  const last = features.at(-1)!;
  const outChannels = Math.floor(last.channels / 2);
  const halve = convolution(scope.child('bottleneck'), {
    ...{ inChannels: last.channels, outChannels, kernelSize: 1, bias: true },
  });
  return {
    features: [...features, { channels: outChannels, stride: last.stride }],
    run: (maps, context) => [...maps, halve(maps.at(-1)!, context)],
  };
}

/** A feature pyramid network of the maps. Reference: TerraTorch, FeaturePyramidNetworkNeck. */
export function featurePyramidNeck(
  scope: Scope,
  features: readonly FeatureSpec[],
  { outChannels = 256 }: { /** Default 256. */ readonly outChannels?: number } = {},
): Neck {
  const run = featurePyramid(scope.child('fpn'), {
    inChannels: features.map(({ channels }) => channels),
    outChannels,
  });
  return {
    features: features.map(({ stride }) => ({ channels: outChannels, stride })),
    run: (maps: readonly Tensor4D[], context) => run(maps, context),
  };
}
