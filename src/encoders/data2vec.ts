import { z } from 'zod';
import { gather } from '../engine/ops/gather.js';
import { tf, type Tensor, type Tensor3D } from '../engine/tf.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import { normal, zeros, type Scope } from '../layers/parameters.js';
import { patchEmbedding, tokensOf } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { InputError } from '../errors.js';
import { defineEncoder } from './define-encoder.js';
import { imageOf } from './images.js';
import { plainEncoder, transformerShape, withPrefix, type PlainTransformer } from './plain-transformer.js';
import { relativePositionCount, relativePositionIndex } from './relative-positions.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  ...transformerShape,
  bandCount: count.default(13),
  /** Pixels of the images; the position biases know no others. */
  imageSize: z.tuple([count, count]),
  /** Of queries and values; keys have none. */
  qkvBias: z.boolean().default(true),
  /** A learned factor on what each half of a block adds. */
  layerScale: z.boolean().default(true),
  /** A table of positions that is added to the tokens. */
  absolutePositions: z.boolean().default(false),
  /** Biases of the scores by how far two patches lie apart: one table for all blocks, one a block, or none. */
  relativePositions: z.enum(['shared', 'per-block', 'none']).default('shared'),
  normEpsilon: z.number().positive().default(1e-6),
});

type Data2vecOptions = z.infer<typeof hyperparameters>;

/**
 * Transformer of data2vec (Baevski et al. 2022) in BEiT's form, as SSL4EO-S12 has it: attention scores get a bias by
 * relative position, keys have no bias, each half of a block a learned factor. Features are the streams after
 * `outputLayers` without the class token, not normalised.
 */
export const data2vec = defineEncoder('data2vec', {
  hyperparameters,
  build: (scope, options) =>
    plainEncoder(buildData2vec(scope, options), { outputLayers: options.outputLayers, finalNorm: 'none' }),
  bandLayers: /^patch_embed\.proj\.weight$/,
  weights: {
    rename: [],
    // the table of indices is computed
    discard: [/relative_position_index$/, /^mask_token$/, /^(lm_head|head|fc_norm)\./],
    optional: [/^norm\./],
  },
});

function buildData2vec(scope: Scope, options: Data2vecOptions): PlainTransformer {
  const { bandCount, patchSize, width, heads, normEpsilon, relativePositions } = options;
  const grid = [
    Math.floor(options.imageSize[0] / patchSize),
    Math.floor(options.imageSize[1] / patchSize),
  ] as const;
  const cls = scope.parameter('cls_token', [1, 1, width], normal(0.02), 'table') as unknown as Tensor3D;
  const tokenCount = grid[0] * grid[1] + 1;
  const positions = options.absolutePositions
    ? scope.parameter('pos_embed', [1, tokenCount, width], normal(0.02), 'table')
    : undefined;
  const embedPatches = patchEmbedding(scope.child('patch_embed').child('proj'), {
    ...{ bandCount, width, patchSize },
  });
  const biasBelow = (at: Scope): (() => Tensor3D) => relativeBias(at, grid, heads);
  const shared = relativePositions === 'shared' ? biasBelow(scope.child('rel_pos_bias')) : undefined;
  const blocks = Array.from({ length: options.depth }, (_, index) => {
    const at = scope.child('blocks').child(index);
    const own = relativePositions === 'per-block' ? biasBelow(at.child('attn')) : undefined;
    const block = transformerBlock(at, {
      ...{ width, heads, normEpsilon },
      hidden: Math.trunc(width * options.mlpRatio),
      qkvBias: options.qkvBias ? 'query-value' : false,
      ...(options.layerScale && { layerScale: ['gamma_1', 'gamma_2'] as const }),
    });
    return ((x, attention) =>
      tf.tidy(() => block(x, own ? { bias: own() } : attention))) satisfies PlainTransformer['blocks'][0];
  });

  return {
    ...{ width, patchSize, blocks, prefixCount: 1 },
    norm: layerNormalization(scope.child('norm'), { channels: width, epsilon: normEpsilon }),
    prepare(input, context) {
      const map = embedPatches(imageOf(input, bandCount));
      if (map.shape[1] !== grid[0] || map.shape[2] !== grid[1])
        throw otherSize(options, [map.shape[1], map.shape[2]]);
      const patches = tokensOf(map);
      context.observe?.('patch_embed', patches);
      const tokens = withPrefix(patches, [cls]);
      const placed = positions ? (tf.add(tokens, positions) as Tensor3D) : tokens;
      if (!shared) return { tokens: placed, grid };
      const bias = shared();
      context.observe?.('rel_pos_bias', bias);
      return { tokens: placed, grid, attention: { bias } };
    },
  };
}

/** A table of biases and the bias of every pair of tokens, [head, token, token]. */
function relativeBias(scope: Scope, grid: readonly [number, number], heads: number): () => Tensor3D {
  const rows = relativePositionCount(grid);
  const table = scope.parameter('relative_position_bias_table', [rows, heads], zeros, 'table');
  const index = relativePositionIndex(grid);
  const tokens = grid[0] * grid[1] + 1;
  return () =>
    tf.tidy(() => {
      const pairs = gather(table as unknown as Tensor, tf.tensor1d(index, 'int32'));
      return tf.transpose(pairs.reshape([tokens, tokens, heads]), [2, 0, 1]) as Tensor3D;
    });
}

function otherSize({ imageSize, patchSize }: Data2vecOptions, grid: readonly number[]): InputError {
  return new InputError(
    'SHAPE_MISMATCH',
    `The images hold ${grid.join(' × ')} patches of ${patchSize} pixels; the encoder is for images of ${imageSize.join(' × ')} pixels.`,
    {
      where: 'images',
      hint: `Resize or cut the images to ${imageSize.join(' × ')}: its position biases know no other size.`,
    },
  );
}
