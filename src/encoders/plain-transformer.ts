import { z } from 'zod';
import { tf, type Tensor, type Tensor2D, type Tensor3D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import type { SelfAttentionContext } from '../layers/attention.js';
import type { ForwardContext } from '../layers/layer.js';
import { mapOf } from '../layers/patch-embedding.js';
import type { BuiltEncoder, EncoderInput } from './encoder.js';

const count = z.int().positive();

/** Hyperparameters that every plain transformer has. */
export const transformerShape = {
  /** Side in pixels. */
  patchSize: count,
  width: count,
  depth: count,
  heads: count,
  mlpRatio: z.number().positive().default(4),
  /** Blocks whose stream is a feature, from 0. */
  outputLayers: z.array(z.int().nonnegative()).min(1),
};

/** A batch as a transformer's blocks take it. */
export interface TokenStream {
  /** [batch, prefix + row · column, width] */
  readonly tokens: Tensor3D;
  /** Rows and columns of patches. */
  readonly grid: readonly [number, number];
  /** What every block's attention is told beside the stream. */
  readonly attention?: SelfAttentionContext;
}

/** A transformer of one resolution, from images to tokens. */
export interface PlainTransformer {
  readonly width: number;
  /** Side in pixels. */
  readonly patchSize: number;
  /** Tokens before those of the patches. */
  readonly prefixCount: number;
  /** Images → tokens with what is known of their positions. */
  readonly prepare: (input: EncoderInput, context: ForwardContext) => TokenStream;
  readonly blocks: readonly ((x: Tensor3D, attention?: SelfAttentionContext) => Tensor3D)[];
  /** Normalisation behind the last block. */
  readonly norm: <T extends Tensor>(x: T) => T;
}

/** What of a transformer's streams becomes a feature. */
export interface PlainFeatures {
  /** Blocks whose stream is a feature, from 0. */
  readonly outputLayers: readonly number[];
  /** `last`: of the last block's stream only, where that is a feature. */
  readonly finalNorm: 'none' | 'last' | 'all';
}

/**
 * Features and pooled vector of a plain transformer: features are the streams without prefix tokens.
 * @throws InputError HYPERPARAMETERS_INVALID for an output layer that the transformer does not have
 * @param pool last stream, not normalised → one vector an image; default the first token, normalised
 */
export function plainEncoder(
  model: PlainTransformer,
  { outputLayers, finalNorm }: PlainFeatures,
  pool: (last: Tensor3D, context: ForwardContext) => Tensor2D = (last, context) => {
    const normed = model.norm(last);
    context.observe?.('norm', normed);
    return firstToken(normed);
  },
): BuiltEncoder {
  const { blocks, width, patchSize } = model;
  checkOutputLayers(outputLayers, blocks.length);
  const run = ({ tokens, attention }: TokenStream, depth: number, context: ForwardContext): Tensor3D[] => {
    const streams: Tensor3D[] = [];
    for (const [index, block] of blocks.slice(0, depth).entries()) {
      streams.push(block(streams.at(-1) ?? tokens, attention));
      context.observe?.(`block.${index}`, streams.at(-1)!);
    }
    return streams;
  };
  const isNormed = (layer: number): boolean =>
    finalNorm === 'all' || (finalNorm === 'last' && layer === blocks.length - 1);
  return {
    features: outputLayers.map(() => ({ channels: width, stride: patchSize })),
    forward(input, context) {
      const stream = model.prepare(input, context);
      const streams = run(stream, Math.max(...outputLayers) + 1, context);
      return outputLayers.map((layer) => {
        const x = isNormed(layer) ? model.norm(streams[layer]!) : streams[layer]!;
        return mapOf(withoutPrefix(x, model.prefixCount), stream.grid);
      });
    },
    embed: (input, context) =>
      pool(run(model.prepare(input, context), blocks.length, context).at(-1)!, context),
  };
}

/** @throws InputError HYPERPARAMETERS_INVALID */
export function checkOutputLayers(outputLayers: readonly number[], depth: number): void {
  const unknown = outputLayers.find((layer) => layer >= depth);
  if (unknown === undefined) return;
  throw new InputError('HYPERPARAMETERS_INVALID', `Output layer ${unknown} is none of the ${depth} blocks.`, {
    where: 'outputLayers',
    hint: `Blocks are counted from 0, the last one is ${depth - 1}.`,
  });
}

/** [batch, prefix + patch, width] → [batch, patch, width] */
export const withoutPrefix = (x: Tensor3D, prefixCount: number): Tensor3D =>
  prefixCount === 0 ? x : tf.slice(x, [0, prefixCount, 0], [-1, -1, -1]);

/** [batch, token, width] → [batch, width] */
export const firstToken = (x: Tensor3D): Tensor2D => tf.squeeze(tf.slice(x, [0, 0, 0], [-1, 1, -1]), [1]);

/** [batch, prefix + patch, width] → mean over the patches, [batch, width] */
export const meanToken = (x: Tensor3D, prefixCount: number): Tensor2D =>
  tf.mean(withoutPrefix(x, prefixCount), 1) as Tensor2D;

/** Tokens that are the same for every image, [1, count, width] each, before those of the patches. */
export function withPrefix(patches: Tensor3D, prefix: readonly Tensor3D[]): Tensor3D {
  const batch = patches.shape[0];
  return tf.concat([...prefix.map((part) => tf.tile(part, [batch, 1, 1])), patches], 1);
}
