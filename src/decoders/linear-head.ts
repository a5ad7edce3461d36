import { z } from 'zod';
import { relu } from '../engine/ops/activations.js';
import { globalAvgPool2d } from '../engine/ops/pool.js';
import { resize } from '../engine/ops/resize.js';
import { tf, type Tensor, type Tensor2D, type Tensor4D } from '../engine/tf.js';
import { dense } from '../layers/dense.js';
import type { Scope } from '../layers/parameters.js';
import { decoderHyperparameters, defineDecoder } from './decoder.js';

const hyperparameters = z.strictObject({
  /**
   * `last`: means over the last map (GEO-Bench, GEO-Bench-2). `all`: means over all maps, resized to the largest and put
   * side by side (PANGAEA).
   */
  maps: z.enum(['last', 'all']).default('last'),
  /** Widths of layers with ReLU in front of the last one, of `last` alone; default none. */
  hidden: z.array(z.int().positive()).optional(),
  /** Whether the layers see means; false: every position, and their results are averaged. */
  poolFirst: z.boolean().default(true),
  /** Of the resizing. */
  alignCorners: z.boolean().default(false),
});

/** Layers of vectors, [..., inChannels] → [..., classCount], named `head/…` as TerraTorch names them. */
export function scalarHead(
  scope: Scope,
  {
    inChannels,
    classCount,
    hidden = [],
  }: {
    readonly inChannels: number;
    readonly classCount: number;
    readonly hidden?: readonly number[] | undefined;
  },
): <T extends Tensor>(x: T) => T {
  const at = scope.child('head');
  const widths = [inChannels, ...hidden];
  const layers = hidden.map((width, index) =>
    dense(at.child(0).child(index).child(0), widths[index]!, width),
  );
  const last = dense(at.child(2), widths.at(-1)!, classCount);
  return (x) => last(layers.reduce((y, layer) => relu(layer(y)), x));
}

/** A linear layer on means of feature maps: logits of the image's class, or of each class by itself. */
export const linearHead = defineDecoder('linear-head', {
  hyperparameters,
  predicts: 'images',
  build(scope, { features, classCount, hyperparameters: given }) {
    const options = decoderHyperparameters('linear-head', hyperparameters, given);
    if (options.maps === 'all') {
      const inChannels = features.reduce((sum, { channels }) => sum + channels, 0);
      const linear = dense(scope.child('linear_head').child(2), inChannels, classCount);
      return (maps) => linear(tf.concat(meansAtOneSize(maps, options.alignCorners), 1) as Tensor2D);
    }
    const head = scalarHead(scope, { inChannels: features.at(-1)!.channels, classCount, ...options });
    return (maps) => {
      const last = maps.at(-1)!;
      return (options.poolFirst ? head(globalAvgPool2d(last)) : globalAvgPool2d(head(last))) as Tensor2D;
    };
  },
});

/** Means of maps that are brought to the largest one's size: resizing weighs the pixels of a map unequally. */
function meansAtOneSize(maps: readonly Tensor4D[], alignCorners: boolean): Tensor[] {
  const largest = (axis: 1 | 2): number => Math.max(...maps.map(({ shape }) => shape[axis]));
  const size = [largest(1), largest(2)] as const;
  return maps.map((map) => {
    const isLargest = map.shape[1] === size[0] && map.shape[2] === size[1];
    return globalAvgPool2d(isLargest ? map : resize(map, size, { mode: 'bilinear', alignCorners }));
  });
}
