import { z } from 'zod';
import { tf, type Tensor3D } from '../engine/tf.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import { normal, type Scope } from '../layers/parameters.js';
import { patchEmbedding, tokensOf } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { defineEncoder } from './define-encoder.js';
import type { BuildContext } from './encoder.js';
import { groundDistancesOf } from './ground-distance.js';
import { imageOf } from './images.js';
import { plainEncoder, transformerShape, withPrefix, type PlainTransformer } from './plain-transformer.js';
import { sinePositions } from './sine-positions.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  ...transformerShape,
  bandCount: count.default(3),
  qkvBias: z.boolean().default(true),
  classToken: z.boolean().default(true),
  normEpsilon: z.number().positive().default(1e-6),
  /** Metres a pixel that every image counts as where the fault is on. */
  publishedGsdM: z.number().positive().default(1),
});

type ScaleMaeOptions = z.infer<typeof hyperparameters>;

const FIXED_GSD = 'scale-mae/fixed-gsd';

/**
 * Scale-MAE (Reed et al. 2023): a vision transformer whose positions are distances on the ground, sine and cosine of
 * patches times metres a pixel. Features are the streams after `outputLayers` without the class token, not normalised.
 */
export const scaleMae = defineEncoder('scale-mae', {
  hyperparameters,
  build: (scope, options, context) =>
    plainEncoder(buildScaleMae(scope, options, context), {
      outputLayers: options.outputLayers,
      finalNorm: 'none',
    }),
  bandLayers: /^patch_embed\.proj\.weight$/,
  weights: {
    rename: [],
    // reconstruction and pyramid of the pre-training; positions are computed
    discard: [/^(decoder|fpn|fcn)/, /^(mask_token|pos_embed)$/, /^head\./],
    optional: [/^norm\./],
  },
  faults: {
    [FIXED_GSD]: 'PANGAEA: every image counts as 1 m a pixel, whatever the dataset says',
  },
});

function buildScaleMae(
  scope: Scope,
  options: ScaleMaeOptions,
  { isFaultOn }: BuildContext,
): PlainTransformer {
  const { bandCount, patchSize, width, heads, normEpsilon, qkvBias, classToken } = options;
  const cls = classToken
    ? [scope.parameter('cls_token', [1, 1, width], normal(0.02), 'table') as unknown as Tensor3D]
    : [];
  const embedPatches = patchEmbedding(scope.child('patch_embed').child('proj'), {
    ...{ bandCount, width, patchSize },
  });
  const blocks = Array.from({ length: options.depth }, (_, index) =>
    transformerBlock(scope.child('blocks').child(index), {
      ...{ width, heads, normEpsilon, qkvBias },
      hidden: Math.trunc(width * options.mlpRatio),
    }),
  );
  const norm = layerNormalization(scope.child('norm'), { channels: width, epsilon: normEpsilon });
  const isFixed = isFaultOn(FIXED_GSD);
  return {
    ...{ width, patchSize, blocks, norm, prefixCount: cls.length },
    prepare(input, context) {
      const image = imageOf(input, bandCount);
      const gsds = isFixed ? [options.publishedGsdM] : groundDistancesOf(input, image.shape[0]);
      const map = embedPatches(image);
      const patches = tokensOf(map);
      context.observe?.('patch_embed', patches);
      const grid = [map.shape[1], map.shape[2]] as const;
      const positions = groundPositions(gsds, grid, width, cls.length);
      context.observe?.('pos_embed', positions);
      return { tokens: tf.add(withPrefix(patches, cls), positions) as Tensor3D, grid };
    },
  };
}

/** One table a distance, [distance, prefix + row · column, width]; prefix rows are zero. */
function groundPositions(
  gsds: readonly number[],
  grid: readonly [number, number],
  width: number,
  prefixCount: number,
): Tensor3D {
  const rows = prefixCount + grid[0] * grid[1];
  const tables = new Float32Array(gsds.length * rows * width);
  for (const [index, step] of gsds.entries()) {
    const table = sinePositions({ width, grid, first: 'column', step, singlePrecision: true });
    tables.set(table, (index * rows + prefixCount) * width);
  }
  return tf.tensor3d(tables, [gsds.length, rows, width]);
}
