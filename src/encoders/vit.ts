import { z } from 'zod';
import { tf, type Tensor3D, type Tensor4D } from '../engine/tf.js';
import { doubleConvolution } from '../layers/double-convolution.js';
import type { ForwardContext } from '../layers/layer.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import { normal, zeros, type Scope } from '../layers/parameters.js';
import { padToPatch, patchEmbedding, tokensOf } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { defineEncoder } from './define-encoder.js';
import type { BuildContext, EncoderInput, WeightRules } from './encoder.js';
import { imageOf, imageSeriesOf } from './images.js';
import {
  meanToken,
  plainEncoder,
  transformerShape,
  withPrefix,
  type PlainTransformer,
} from './plain-transformer.js';
import { resizePositions, type PositionResizing } from './position-table.js';
import { sineTable } from './sine-positions.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  ...transformerShape,
  bandCount: count.default(3),
  /** Dates that two convolutions merge into one image before the patches; default: one date, nothing to merge. */
  dateCount: count.optional(),
  /** Pixels of the images that the position table belongs to. */
  imageSize: z.tuple([count, count]),
  /** Fills rows and columns that make no whole patch with zeros, below and at the right, in the place of leaving them out. */
  padToPatch: z.boolean().default(false),
  qkvBias: z.boolean().default(true),
  /** Normalises queries and keys of each head. */
  qkNorm: z.boolean().default(false),
  /** A learned factor on what each half of a block adds. */
  layerScale: z.boolean().default(false),
  classToken: z.boolean().default(true),
  registerTokens: z.int().nonnegative().default(0),
  /** Whether the position table has rows for the class token (and registers). */
  prefixPositions: z.boolean().default(true),
  /**
   * `learned`: trained; `baseline`: as PANGAEA's ViT has them (see the faults); sine tables are never trained and
   * need not be in the file, the first half of their channels encodes the row (MoCo v3) or the column (MAE).
   */
  positions: z.enum(['learned', 'baseline', 'sine-row-first', 'sine-column-first']).default('learned'),
  /** How the table is brought to the grid of another image. */
  positionResizing: z.enum(['bicubic-antialias', 'bicubic', 'bilinear', 'dino']).default('bicubic-antialias'),
  normEpsilon: z.number().positive().default(1e-6),
  /** What the final normalisation is applied to; `last`: the last block's stream only, as PANGAEA has it. */
  finalNorm: z.enum(['none', 'last', 'all']).default('none'),
  /** What `embed` gives. */
  pool: z.enum(['class-token', 'mean']).default('class-token'),
  /** Whose training script wrote the checkpoint. */
  layout: z.enum(['timm', 'moco', 'mae', 'dino']).default('timm'),
});

/** What a plain vision transformer is made of. */
export type VisionTransformerOptions = z.infer<typeof hyperparameters>;

const ZERO_POSITIONS = 'vit/zero-positions';
const NO_QKV_BIAS = 'ssl4eo-dino/no-qkv-bias';

/**
 * Vision transformer (Dosovitskiy et al. 2021) in timm's names: pre-norm blocks, one table of positions. Features are
 * the streams after `outputLayers`, without prefix tokens. Supervised weights, and those of MoCo v3, MAE and DINO.
 */
export const vit = defineEncoder('vit', {
  hyperparameters,
  build(scope, options, context) {
    const model = buildVisionTransformer(scope, options, context);
    const encoder =
      options.pool === 'class-token'
        ? plainEncoder(model, options)
        : plainEncoder(model, options, (last) => model.norm(meanToken(last, model.prefixCount)));
    return { ...encoder, dates: options.dateCount ?? 1 };
  },
  bandLayers: ({ dateCount }) =>
    dateCount === undefined
      ? [{ kernel: /^patch_embed\.proj\.weight$/, withBands: (bandCount) => ({ bandCount }) }]
      : [],
  weights: (options, context) => layoutRules(options, dropsQkvBias(options, context)),
  faults: {
    [ZERO_POSITIONS]:
      'PANGAEA: the position table starts at zero and is never trained, so that a model from scratch knows no positions',
    [NO_QKV_BIAS]:
      'PANGAEA: the DINO weights of SSL4EO-S12 lose the biases of queries, keys and values that they were trained with',
  },
});

const dropsQkvBias = ({ layout }: VisionTransformerOptions, { isFaultOn }: BuildContext): boolean =>
  layout === 'dino' && isFaultOn(NO_QKV_BIAS);

/** Names around and beside the encoder in the files of each training script. */
function layoutRules(options: VisionTransformerOptions, withoutQkvBias: boolean): WeightRules {
  const { layout, positions, finalNorm } = options;
  const optional = [
    ...(positions.startsWith('sine') ? [/^pos_embed$/] : []),
    ...(finalNorm === 'none' ? [/^(fc_)?norm\./] : []),
  ];
  const names: Readonly<Record<typeof layout, Pick<WeightRules, 'rename' | 'discard'>>> = {
    timm: { rename: [], discard: [/^(head|head_dist|pre_logits)\./] },
    moco: {
      rename: [[/^(module\.)?base_encoder\./, '']],
      discard: [/^(module\.)?(momentum_encoder|predictor)\./, /^(module\.)?base_encoder\.head\./],
    },
    mae: { rename: [], discard: [/^decoder_/, /^mask_token$/, /^head\./] },
    dino: {
      rename: [[/^(module\.)?(backbone\.)?/, '']],
      discard: [/^(module\.)?head\./, ...(withoutQkvBias ? [/qkv\.bias$/] : [])],
    },
  };
  return { ...names[layout], optional };
}

/** Builds the parameters in timm's names. */
export function buildVisionTransformer(
  scope: Scope,
  options: VisionTransformerOptions,
  context: BuildContext,
): PlainTransformer {
  const { width, heads, normEpsilon } = options;
  const qkvBias = options.qkvBias && !dropsQkvBias(options, context);
  const prepare = tokenPreparation(scope, options, context);
  const blocks = Array.from({ length: options.depth }, (_, index) =>
    transformerBlock(scope.child('blocks').child(index), {
      ...{ width, heads, normEpsilon, qkvBias },
      hidden: Math.trunc(width * options.mlpRatio),
      ...(options.qkNorm && { qkNormEpsilon: normEpsilon }),
      ...(options.layerScale && { layerScale: ['ls1/gamma', 'ls2/gamma'] as const }),
    }),
  );
  const norm = layerNormalization(scope.child(options.pool === 'mean' ? 'fc_norm' : 'norm'), {
    ...{ channels: width, epsilon: normEpsilon },
  });
  const { patchSize } = options;
  return { width, patchSize, prefixCount: prefixCountOf(options), prepare, blocks, norm };
}

const prefixCountOf = ({ classToken, registerTokens }: VisionTransformerOptions): number =>
  (classToken ? 1 : 0) + registerTokens;

/** Patches, prefix tokens and positions. */
function tokenPreparation(
  scope: Scope,
  options: VisionTransformerOptions,
  { isFaultOn }: BuildContext,
): PlainTransformer['prepare'] {
  const { patchSize, width, bandCount, classToken, registerTokens, prefixPositions } = options;
  const isBaseline = options.positions === 'baseline';
  const merge = options.dateCount
    ? timeMerging(scope.child('time_merging'), bandCount, options.dateCount)
    : undefined;
  const token = isBaseline ? zeros : normal(0.02);
  const prefix = [
    ...(classToken ? [scope.parameter('cls_token', [1, 1, width], token, 'table')] : []),
    ...(registerTokens > 0 ? [scope.parameter('reg_token', [1, registerTokens, width], token, 'table')] : []),
  ].map((part) => part as unknown as Tensor3D);
  const prefixRows = prefixPositions ? prefixCountOf(options) : 0;
  const tableGrid: [number, number] = [
    Math.floor(options.imageSize[0] / patchSize),
    Math.floor(options.imageSize[1] / patchSize),
  ];
  const tableShape = [1, tableGrid[0] * tableGrid[1] + prefixRows, width];
  const table = positionTable(scope, options, tableGrid, tableShape, isBaseline && isFaultOn(ZERO_POSITIONS));
  const embedPatches = patchEmbedding(scope.child('patch_embed').child('proj'), {
    ...{ bandCount, width, patchSize },
  });
  const resizing: PositionResizing =
    options.positionResizing === 'dino'
      ? { mode: 'bicubic', factorMargin: 0.1 }
      : { mode: options.positionResizing };

  return (input, context) => {
    const image = merge?.(input, context) ?? imageOf(input, bandCount);
    const map = embedPatches(options.padToPatch ? padToPatch(image, patchSize) : image);
    const patches = tokensOf(map);
    context.observe?.('patch_embed', patches);
    const grid = [map.shape[1], map.shape[2]] as const;
    const positions = resizePositions(table, prefixRows, tableGrid, grid, resizing);
    context.observe?.('pos_embed', positions);
    const tokens = prefixPositions
      ? tf.add(withPrefix(patches, prefix), positions)
      : withPrefix(tf.add(patches, positions) as Tensor3D, prefix);
    context.observe?.('tokens', tokens);
    return { tokens: tokens as Tensor3D, grid };
  };
}

function positionTable(
  scope: Scope,
  { positions }: VisionTransformerOptions,
  grid: readonly [number, number],
  shape: readonly number[],
  isZero: boolean,
): Tensor3D {
  const table = (...[initializer, role]: [Parameters<Scope['parameter']>[2], 'table' | 'constant']) =>
    scope.parameter('pos_embed', shape, initializer, role) as unknown as Tensor3D;
  if (positions === 'sine-row-first') return table(sineTable(grid, 'row'), 'constant');
  if (positions === 'sine-column-first') return table(sineTable(grid, 'column'), 'constant');
  return isZero ? table(zeros, 'constant') : table(normal(0.02), 'table');
}

/** Dates → one image: two convolutions over the dates of all bands, band by band. */
function timeMerging(
  scope: Scope,
  bandCount: number,
  dateCount: number,
): (input: EncoderInput, context: ForwardContext) => Tensor4D {
  const convolve = doubleConvolution(scope.child('conv'), {
    ...{ inChannels: bandCount * dateCount, outChannels: bandCount },
  });
  return (input, context) => {
    const series = imageSeriesOf(input, bandCount, dateCount);
    const [batch, , height, width] = series.shape;
    const byBand = tf.transpose(series, [0, 2, 3, 4, 1]);
    const channels = tf.reshape(byBand, [batch, height, width, bandCount * dateCount]) as Tensor4D;
    const merged = convolve(channels, context);
    context.observe?.('time_merging', merged, 'channels-last');
    return merged;
  };
}
