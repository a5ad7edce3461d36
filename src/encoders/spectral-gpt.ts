import { z } from 'zod';
import { conv2d } from '../engine/ops/conv.js';
import { addBias } from '../engine/ops/linear.js';
import { tf, type Tensor, type Tensor2D, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import type { ForwardContext } from '../layers/layer.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import { normal, uniformByFanIn, type Scope } from '../layers/parameters.js';
import { checkHoldsPatch } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { defineEncoder } from './define-encoder.js';
import type { BuiltEncoder, EncoderInput } from './encoder.js';
import { imageOf } from './images.js';
import { checkOutputLayers, transformerShape } from './plain-transformer.js';
import { resizePositions } from './position-table.js';

const count = z.int().positive();

const hyperparameters = z
  .strictObject({
    ...transformerShape,
    bandCount: count.default(12),
    /** Neighbouring bands that make one token. */
    bandsPerToken: count.default(3),
    /** Pixels of the images that the position table belongs to. */
    imageSize: z.tuple([count, count]),
    qkvBias: z.boolean().default(true),
    normEpsilon: z.number().positive().default(1e-5),
  })
  .refine(({ bandCount, bandsPerToken }) => bandCount % bandsPerToken === 0, {
    path: ['bandCount'],
    message: 'must be a multiple of bandsPerToken',
  });

type SpectralGptOptions = z.infer<typeof hyperparameters>;

/**
 * SpectralGPT (Hong et al. 2024): tokens are patches of a few neighbouring bands, so that attention goes over space
 * and spectrum; positions are a table of places plus one of band groups. Features are the streams after
 * `outputLayers`, not normalised, the channels of all band groups behind each other: [batch, row, column, group ·
 * width].
 */
export const spectralGpt = defineEncoder('spectral-gpt', {
  hyperparameters,
  build: (scope, options) => buildSpectralGpt(scope, options),
  weights: {
    rename: [],
    discard: [/^decoder_/, /^(mask_token|cls_token|pos_embed_class)$/, /^head\./],
    optional: [/^norm\./],
  },
});

interface SpectralStream {
  /** [batch, group · row · column, width] */
  readonly tokens: Tensor3D;
  readonly grid: readonly [number, number];
}

function buildSpectralGpt(scope: Scope, options: SpectralGptOptions): BuiltEncoder {
  const { patchSize, width, heads, normEpsilon, qkvBias, outputLayers } = options;
  checkOutputLayers(outputLayers, options.depth);
  const groups = options.bandCount / options.bandsPerToken;
  const prepare = spectralTokens(scope, options, groups);
  const blocks = Array.from({ length: options.depth }, (_, index) =>
    transformerBlock(scope.child('blocks').child(index), {
      ...{ width, heads, normEpsilon, qkvBias },
      hidden: Math.trunc(width * options.mlpRatio),
      separate: ['q', 'k', 'v'],
    }),
  );
  const norm = layerNormalization(scope.child('norm'), { channels: width, epsilon: normEpsilon });
  const run = (tokens: Tensor3D, depth: number, context: ForwardContext): Tensor3D[] => {
    const streams: Tensor3D[] = [];
    for (const [index, block] of blocks.slice(0, depth).entries()) {
      streams.push(block(streams.at(-1) ?? tokens));
      context.observe?.(`block.${index}`, streams.at(-1)!);
    }
    return streams;
  };
  return {
    features: outputLayers.map(() => ({ channels: groups * width, stride: patchSize })),
    forward(input, context) {
      const { tokens, grid } = prepare(input, context);
      const streams = run(tokens, Math.max(...outputLayers) + 1, context);
      return outputLayers.map((layer) => groupsToChannels(streams[layer]!, groups, grid));
    },
    embed(input, context) {
      const last = run(prepare(input, context).tokens, blocks.length, context).at(-1)!;
      return norm(tf.mean(last, 1) as Tensor2D);
    },
  };
}

/** Patches of each band group, with the positions of their place and of their group. */
function spectralTokens(
  scope: Scope,
  { bandCount, bandsPerToken, imageSize, patchSize, width }: SpectralGptOptions,
  groups: number,
): (input: EncoderInput, context: ForwardContext) => SpectralStream {
  const tableGrid = [Math.floor(imageSize[0] / patchSize), Math.floor(imageSize[1] / patchSize)] as const;
  const table = (name: string, rows: number): Tensor3D =>
    scope.parameter(name, [1, rows, width], normal(0.02), 'table') as unknown as Tensor3D;
  const places = table('pos_embed_spatial', tableGrid[0] * tableGrid[1]);
  const spectrum = table('pos_embed_temporal', groups);
  const embedPatches = bandPatches(scope.child('patch_embed').child('proj'), {
    ...{ bandsPerToken, patchSize, width },
  });
  return (input, context) => {
    const image = imageOf(input, bandCount);
    const [batch, height, columns] = image.shape;
    checkHoldsPatch(height, columns, patchSize);
    const perGroup = tf.reshape(image, [batch, height, columns, groups, bandsPerToken]);
    const planes = tf.transpose(perGroup, [0, 3, 1, 2, 4]);
    const map = embedPatches(tf.reshape(planes, [batch * groups, height, columns, bandsPerToken]));
    const grid = [map.shape[1], map.shape[2]] as const;
    const patches = tf.reshape(map, [batch, groups, grid[0] * grid[1], width]);
    context.observe?.('patch_embed', patches);
    const atPlace = tf.add(patches, resizePositions(places, 0, tableGrid, grid, { mode: 'bicubic' }));
    const placed = tf.add(atPlace, spectrum.reshape([1, groups, 1, width]));
    return { tokens: tf.reshape(placed, [batch, groups * grid[0] * grid[1], width]), grid };
  };
}

/** [batch, height, width, bandsPerToken] → [batch, row, column, width], by a 3-D kernel over bands, rows and columns. */
function bandPatches(
  scope: Scope,
  { bandsPerToken, patchSize, width }: Pick<SpectralGptOptions, 'bandsPerToken' | 'patchSize' | 'width'>,
): (x: Tensor4D) => Tensor4D {
  const initializer = uniformByFanIn(bandsPerToken * patchSize * patchSize);
  const taps = [bandsPerToken, patchSize, patchSize] as const;
  const kernel = scope.parameter('kernel', [...taps, 1, width], initializer, 'kernel') as unknown as Tensor;
  const bias = scope.parameter('bias', [width], initializer, 'bias');
  return (x) => {
    // one step over the bands: they are the input channels of a 2-D kernel
    const flat = tf.transpose(kernel.reshape([...taps, width]), [1, 2, 0, 3]) as Tensor4D;
    return addBias(conv2d(x, flat, { stride: patchSize, padding: 'valid' }), bias);
  };
}

/** [batch, group · row · column, width] → [batch, row, column, group · width] */
function groupsToChannels(
  tokens: Tensor3D,
  groups: number,
  [rows, columns]: readonly [number, number],
): Tensor4D {
  const [batch, , width] = tokens.shape;
  const byGroup = tf.reshape(tokens, [batch, groups, rows * columns, width]);
  return tf.reshape(tf.transpose(byGroup, [0, 2, 1, 3]), [batch, rows, columns, groups * width]);
}
