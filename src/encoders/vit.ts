import { z } from 'zod';
import { tf, type Tensor2D, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import type { ForwardContext } from '../layers/layer.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import { normal, type Scope } from '../layers/parameters.js';
import { mapOf, patchEmbedding, tokensOf } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { defineEncoder } from './define-encoder.js';
import type { BuiltEncoder } from './encoder.js';
import { imageOf } from './images.js';
import { resizePositions, type PositionResizing } from './position-table.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  bandCount: count.default(3),
  /** Pixels of the images that the position table belongs to. */
  imageSize: z.tuple([count, count]),
  patchSize: count,
  width: count,
  depth: count,
  heads: count,
  mlpRatio: z.number().positive().default(4),
  qkvBias: z.boolean().default(true),
  /** Normalises queries and keys of each head. */
  qkNorm: z.boolean().default(false),
  /** A learned factor on what each half of a block adds. */
  layerScale: z.boolean().default(false),
  classToken: z.boolean().default(true),
  registerTokens: z.int().nonnegative().default(0),
  /** Whether the position table has rows for the class token (and registers). */
  prefixPositions: z.boolean().default(true),
  /** How the table is brought to the grid of another image. */
  positionResizing: z.enum(['bicubic-antialias', 'bicubic', 'bilinear']).default('bicubic-antialias'),
  normEpsilon: z.number().positive().default(1e-6),
  /** Blocks whose stream is a feature, from 0. */
  outputLayers: z.array(z.int().nonnegative()).min(1),
  /** What the final normalisation is applied to: `last` is the last feature, as PANGAEA has it. */
  finalNorm: z.enum(['none', 'last', 'all']).default('none'),
  /** What `embed` gives. */
  pool: z.enum(['class-token', 'mean']).default('class-token'),
});

/** What a plain vision transformer is made of. */
export type VisionTransformerOptions = z.infer<typeof hyperparameters>;

/** The parts that families of the same shape share. */
export interface VisionTransformer {
  /** All tokens after each block. */
  readonly blocks: readonly ((x: Tensor3D) => Tensor3D)[];
  /** [batch, height, width, band] → tokens with positions, prefix tokens first. */
  readonly embed: (images: Tensor4D, context: ForwardContext) => { tokens: Tensor3D; grid: [number, number] };
  readonly norm: (x: Tensor3D) => Tensor3D;
  readonly prefixCount: number;
}

/**
 * Vision transformer (Dosovitskiy et al. 2021) in timm's layout: pre-norm blocks, learned or stored positions. Features
 * are the streams after `outputLayers`, without prefix tokens.
 */
export const vit = defineEncoder('vit', {
  hyperparameters,
  build: (scope, options) => plainEncoder(options, buildVisionTransformer(scope, options)),
  weights: { rename: [], discard: [/^head\./] },
});

/** Builds the parameters in timm's names. */
export function buildVisionTransformer(scope: Scope, options: VisionTransformerOptions): VisionTransformer {
  const { patchSize, width, heads, normEpsilon, classToken, registerTokens } = options;
  const gridOf = ([height, columns]: readonly [number, number]): [number, number] => [
    Math.floor(height / patchSize),
    Math.floor(columns / patchSize),
  ];
  const tableGrid = gridOf(options.imageSize);
  const prefixCount = (classToken ? 1 : 0) + registerTokens;
  const prefixRows = options.prefixPositions ? prefixCount : 0;
  const token = normal(0.02);
  const cls = classToken ? scope.parameter('cls_token', [1, 1, width], token, 'table') : undefined;
  const registers =
    registerTokens > 0 ? scope.parameter('reg_token', [1, registerTokens, width], token, 'table') : undefined;
  const rows = tableGrid[0] * tableGrid[1] + prefixRows;
  const positions = scope.parameter('pos_embed', [1, rows, width], token, 'table');
  const embedPatches = patchEmbedding(scope.child('patch_embed').child('proj'), {
    ...{ bandCount: options.bandCount, width },
    patchSize,
  });
  const blocks = Array.from({ length: options.depth }, (_, index) =>
    transformerBlock(scope.child('blocks').child(index), {
      ...{ width, heads, normEpsilon, qkvBias: options.qkvBias },
      hidden: Math.trunc(width * options.mlpRatio),
      ...(options.qkNorm && { qkNormEpsilon: normEpsilon }),
      ...(options.layerScale && { layerScale: ['ls1/gamma', 'ls2/gamma'] as const }),
    }),
  );
  const poolsMean = options.pool === 'mean';
  const norm = layerNormalization(scope.child(poolsMean ? 'fc_norm' : 'norm'), {
    ...{ channels: width, epsilon: normEpsilon },
  });
  const resizing: PositionResizing = { mode: options.positionResizing };

  return {
    prefixCount,
    norm,
    blocks,
    embed(images, context) {
      const map = embedPatches(images);
      context.observe?.('patch_embed', tokensOf(map));
      const grid: [number, number] = [map.shape[1], map.shape[2]];
      const table = resizePositions(positions as unknown as Tensor3D, prefixRows, tableGrid, grid, resizing);
      const batch = images.shape[0];
      const prefix = [cls, registers].filter((part) => part !== undefined);
      const repeated = prefix.map((part) => tf.tile(part as unknown as Tensor3D, [batch, 1, 1]));
      const patches = tokensOf(map);
      if (options.prefixPositions) {
        return { tokens: tf.add(tf.concat([...repeated, patches], 1), table) as Tensor3D, grid };
      }
      return { tokens: tf.concat([...repeated, tf.add(patches, table) as Tensor3D], 1), grid };
    },
  };
}

/** Features and pooled vector of a plain transformer. */
export function plainEncoder(options: VisionTransformerOptions, model: VisionTransformer): BuiltEncoder {
  const { outputLayers, finalNorm, patchSize, width } = options;
  const withoutPrefix = (x: Tensor3D): Tensor3D => tf.slice(x, [0, model.prefixCount, 0], [-1, -1, -1]);
  const runBlocks = (tokens: Tensor3D, depth: number, context: ForwardContext): Tensor3D[] => {
    const streams: Tensor3D[] = [];
    for (const [index, block] of model.blocks.slice(0, depth).entries()) {
      streams.push(block(streams.at(-1) ?? tokens));
      context.observe?.(`block.${index}`, streams.at(-1)!);
    }
    return streams;
  };
  return {
    features: outputLayers.map(() => ({ channels: width, stride: patchSize })),
    forward(input, context) {
      const { tokens, grid } = model.embed(imageOf(input, options.bandCount), context);
      const streams = runBlocks(tokens, Math.max(...outputLayers) + 1, context);
      return outputLayers.map((layer, index) => {
        const isNormed = finalNorm === 'all' || (finalNorm === 'last' && index === outputLayers.length - 1);
        const stream = isNormed ? model.norm(streams[layer]!) : streams[layer]!;
        return mapOf(withoutPrefix(stream), grid);
      });
    },
    embed(input, context) {
      const { tokens } = model.embed(imageOf(input, options.bandCount), context);
      const last = runBlocks(tokens, options.depth, context).at(-1)!;
      if (options.pool === 'mean') return model.norm(tf.mean(withoutPrefix(last), 1)) as unknown as Tensor2D;
      const normed = model.norm(last);
      context.observe?.('norm', normed);
      return tf.squeeze(tf.slice(normed, [0, 0, 0], [-1, 1, -1]), [1]);
    },
  };
}
