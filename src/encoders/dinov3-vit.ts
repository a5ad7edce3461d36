import { z } from 'zod';
import { tf, type Tensor, type Tensor3D } from '../engine/tf.js';
import { gatedPerceptron } from '../layers/gated-perceptron.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import { normal, type Scope } from '../layers/parameters.js';
import { padToPatch, patchEmbedding, tokensOf } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { defineEncoder } from './define-encoder.js';
import type { BuildContext, WeightRules } from './encoder.js';
import { imageOf } from './images.js';
import { plainEncoder, transformerShape, withPrefix, type PlainTransformer } from './plain-transformer.js';
import { rotaryPeriods, rotaryTable, rotation } from './rotary-positions.js';

const count = z.int().positive();

const hyperparameters = z
  .strictObject({
    ...transformerShape,
    bandCount: count.default(3),
    /** Fills rows and columns that make no whole patch with zeros, in the place of leaving them out. */
    padToPatch: z.boolean().default(false),
    /** Of queries and values; keys have none. */
    qkvBias: z.boolean().default(false),
    /** Normalises queries and keys of each head. */
    qkNorm: z.boolean().default(false),
    /** A learned factor on what each half of a block adds. */
    layerScale: z.boolean().default(true),
    classToken: z.boolean().default(true),
    registerTokens: z.int().nonnegative().default(4),
    /** A gated perceptron whose inner width is rounded up to a multiple; default none: a plain one with GELU. */
    gatedMlp: z.strictObject({ multipleOf: count.default(1) }).optional(),
    ropeTemperature: z.number().positive().default(100),
    ropePairs: z.enum(['halves', 'neighbours']).default('halves'),
    normEpsilon: z.number().positive().default(1e-5),
    /** What the final normalisation is applied to. */
    finalNorm: z.enum(['none', 'last', 'all']).default('all'),
    /** Whose names the checkpoint has: timm's, or those of Meta's own files. */
    layout: z.enum(['timm', 'meta']).default('timm'),
  })
  .refine(({ width, heads }) => width % (4 * heads) === 0, {
    path: ['heads'],
    message: 'must leave heads whose width is a multiple of 4',
  });

type Dinov3Options = z.infer<typeof hyperparameters>;

const COMPUTED_PERIODS = 'dinov3/computed-periods';

/**
 * Vision transformer of DINOv3 (Siméoni et al. 2025): class and register tokens, positions as turns of queries and
 * keys. Features are the streams after `outputLayers` without these tokens, normalised.
 */
export const dinov3Vit = defineEncoder('dinov3-vit', {
  hyperparameters,
  build: (scope, options, context) => plainEncoder(buildDinov3(scope, options, context), options),
  bandLayers: /^patch_embed\.proj\.weight$/,
  weights: weightRules,
  faults: {
    [COMPUTED_PERIODS]:
      'timm: the periods of the turns are computed in float32, where those of the published files are bfloat16',
  },
});

/** Whether the periods come from the file. */
const storesPeriods = ({ layout }: Dinov3Options, { isFaultOn }: BuildContext): boolean =>
  layout === 'meta' && !isFaultOn(COMPUTED_PERIODS);

function weightRules(options: Dinov3Options, context: BuildContext): WeightRules {
  if (options.layout === 'timm') return { rename: [], discard: [/^(head|fc_norm)\./] };
  return {
    rename: [
      [/^storage_tokens$/, 'reg_token'],
      [/\.ls([12])\.gamma$/, '.gamma_$1'],
      [/\.mlp\.w1\./, '.mlp.fc1_g.'],
      [/\.mlp\.w2\./, '.mlp.fc1_x.'],
      [/\.mlp\.w3\./, '.mlp.fc2.'],
    ],
    discard: [
      /^mask_token$/,
      /^(head|local_cls_norm)\./,
      /\.qkv\.bias_mask$/,
      ...(storesPeriods(options, context) ? [] : [/^rope_embed\.periods$/]),
      ...(options.qkvBias ? [] : [/\.qkv\.bias$/]),
    ],
    // the mask that Meta's code multiplies with: no bias for keys, whatever the file holds there
    adapt: [{ match: /\.qkv\.bias$/, adapt: ({ data, shape }) => ({ data: withoutKeys(data), shape }) }],
  };
}

/** [queries, keys, values] with zeros for the keys. */
const withoutKeys = (bias: Float32Array): Float32Array =>
  bias.map((value, i) => (Math.floor((3 * i) / bias.length) === 1 ? 0 : value));

/** Builds the parameters in timm's names. */
function buildDinov3(scope: Scope, options: Dinov3Options, context: BuildContext): PlainTransformer {
  const { bandCount, patchSize, width, heads, normEpsilon, registerTokens, ropePairs: pairs } = options;
  const token = (name: string, length: number): Tensor3D[] =>
    length > 0
      ? [scope.parameter(name, [1, length, width], normal(0.02), 'table') as unknown as Tensor3D]
      : [];
  const prefix = [...token('cls_token', options.classToken ? 1 : 0), ...token('reg_token', registerTokens)];
  const prefixCount = (options.classToken ? 1 : 0) + registerTokens;
  const embedPatches = patchEmbedding(scope.child('patch_embed').child('proj'), {
    ...{ bandCount, width, patchSize },
  });
  const computed = rotaryPeriods(width / heads, options.ropeTemperature);
  const stored = storesPeriods(options, context)
    ? scope.child('rope_embed').parameter('periods', [computed.length], () => computed, 'constant')
    : undefined;
  const blocks = Array.from({ length: options.depth }, (_, index) =>
    block(scope.child('blocks').child(index), options),
  );
  const norm = layerNormalization(scope.child('norm'), { channels: width, epsilon: normEpsilon });
  return {
    ...{ width, patchSize, prefixCount, blocks, norm },
    prepare(input, forward) {
      const image = imageOf(input, bandCount);
      const map = embedPatches(options.padToPatch ? padToPatch(image, patchSize) : image);
      const grid = [map.shape[1], map.shape[2]] as const;
      const table = rotaryTable(grid, stored ?? (tf.tensor1d(computed) as Tensor), pairs);
      forward.observe?.('rope', tf.concat([table.sine, table.cosine], 1));
      forward.observe?.('patch_embed', map);
      const tokens = withPrefix(tokensOf(map), prefix);
      return { tokens, grid, attention: { rotate: rotation(table, prefixCount, pairs) } };
    },
  };
}

function block(scope: Scope, options: Dinov3Options): ReturnType<typeof transformerBlock> {
  const { width, heads, normEpsilon, gatedMlp, layout } = options;
  const inner = Math.trunc(width * options.mlpRatio);
  const hidden = gatedMlp ? Math.ceil(inner / gatedMlp.multipleOf) * gatedMlp.multipleOf : inner;
  return transformerBlock(scope, {
    ...{ width, heads, normEpsilon, hidden },
    // Meta's files have one bias for the three, that of the keys masked
    qkvBias: options.qkvBias && layout === 'timm' ? 'query-value' : options.qkvBias,
    ...(options.qkNorm && { qkNormEpsilon: normEpsilon }),
    ...(options.layerScale && { layerScale: ['gamma_1', 'gamma_2'] as const }),
    ...(gatedMlp && { mlp: (at: Scope) => gatedPerceptron(at, { width, hidden }) }),
  });
}
