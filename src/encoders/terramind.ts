import { z } from 'zod';
import { gelu, silu } from '../engine/ops/activations-smooth.js';
import { tf, type Tensor, type Tensor2D, type Tensor3D, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import { InputError } from '../errors.js';
import { gatedPerceptron } from '../layers/gated-perceptron.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Scope } from '../layers/parameters.js';
import { mapOf } from '../layers/patch-embedding.js';
import { perceptron } from '../layers/perceptron.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { selectBands } from './adapt-bands.js';
import { defineEncoder } from './define-encoder.js';
import type { BuiltEncoder, EncoderInput, WeightAdaptation } from './encoder.js';
import { modalityOf } from './images.js';
import { checkOutputLayers } from './plain-transformer.js';
import { modalityEmbedding, type EmbeddedModality } from './terramind/modality-embedding.js';
import { TERRAMIND_MODALITIES } from './terramind/modalities.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  /** What is encoded together, in the order of the tokens. */
  modalities: z.array(z.string()).min(1),
  /** Image of the batch that holds a modality, where it has another name than the modality. */
  imageNames: z.record(z.string(), z.string()).default({}),
  /** Names of the model's bands by modality, where they are others than the checkpoint's: known ones keep their weights. */
  bands: z.record(z.string(), z.array(z.string()).min(1)).default({}),
  /** Names of embeddings in the checkpoint, for modalities that are not TerraMind's own. */
  embeddingNames: z.record(z.string(), z.string()).default({}),
  /** Bands of the same modalities. */
  bandCounts: z.record(z.string(), count).default({}),
  /** Pixels of the images that the position tables belong to. */
  imageSize: z.tuple([count, count]).default([224, 224]),
  patchSize: count.default(16),
  width: count,
  depth: count,
  heads: count,
  mlpRatio: z.number().positive().default(4),
  /** A perceptron with a gate, 2/3 as wide. */
  isGated: z.boolean().default(true),
  activation: z.enum(['silu', 'gelu']).default('silu'),
  qkvBias: z.boolean().default(false),
  projectionBias: z.boolean().default(false),
  perceptronBias: z.boolean().default(false),
  /** Whether training moves the biases of normalisations; the checkpoints hold them in any case. */
  normBias: z.boolean().default(false),
  normEpsilon: z.number().positive().default(1e-6),
  /**
   * How the patches of several modalities become a feature: their mean or maximum, their channels one modality after
   * another, or each modality by itself on an axis before the rows.
   */
  merge: z.enum(['mean', 'max', 'concat', 'apart']).default('mean'),
  /** Blocks whose stream is a feature, from 0. The last block's is normalised. */
  outputLayers: z.array(z.int().nonnegative()).min(1),
});

export type TerramindOptions = z.infer<typeof hyperparameters>;

/**
 * TerraMind (Jakubik et al. 2025): one patch embedding and position table a modality, one transformer over the patches
 * of all of them.
 */
export const terramind = defineEncoder('terramind', {
  hyperparameters,
  build: buildTerramind,
  bandLayers: (options) =>
    options.modalities.map((name) => ({
      modality: options.imageNames[name] ?? name,
      kernel: kernelOf(name, options),
      withBands: (bandCount) => ({ bandCounts: { ...options.bandCounts, [name]: bandCount } }),
      order: 'band-last',
    })),
  weights(options) {
    const kept = options.modalities.map((name) => escaped(modalityRow(name, options).embedding)).join('|');
    return {
      rename: [],
      discard: [
        new RegExp(`^encoder_embeddings\\.(?!(?:${kept})\\.)`), // other modalities
        /^decoder/,
        /^mask_token$/,
      ],
      adapt: bandRules(options),
    };
  },
});

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

interface ModalityRow {
  /** In the checkpoint. */
  readonly embedding: string;
  readonly bandCount: number;
}

function modalityRow(name: string, { embeddingNames, bandCounts, bands }: TerramindOptions): ModalityRow {
  const own = Object.hasOwn(TERRAMIND_MODALITIES, name) ? TERRAMIND_MODALITIES[name] : undefined;
  const embedding = embeddingNames[name] ?? own?.embedding;
  const bandCount = bands[name]?.length ?? bandCounts[name] ?? own?.bands.length;
  if (embedding !== undefined && bandCount !== undefined) return { embedding, bandCount };
  throw new InputError(
    'HYPERPARAMETERS_INVALID',
    `TerraMind has no modality ${name}. It has ${Object.keys(TERRAMIND_MODALITIES).join(', ')}.`,
    { where: 'modalities', hint: 'Name one of these, or give embeddingNames and bandCounts for it.' },
  );
}

const kernelOf = (name: string, options: TerramindOptions): RegExp =>
  new RegExp(`^encoder_embeddings\\.${escaped(modalityRow(name, options).embedding)}\\.proj\\.weight$`);

/** Kernels of modalities that have other bands than the checkpoint. */
function bandRules(options: TerramindOptions): WeightAdaptation[] {
  return Object.entries(options.bands).flatMap(([name, to]) => {
    const from = TERRAMIND_MODALITIES[name]?.bands;
    if (!from || !options.modalities.includes(name)) return [];
    return {
      match: kernelOf(name, options),
      adapt: (given, shape) => selectBands(given, shape, { from, to, order: 'band-last' }),
    } satisfies WeightAdaptation;
  });
}

function buildTerramind(scope: Scope, options: TerramindOptions): BuiltEncoder {
  const { width, depth, modalities, merge, outputLayers, patchSize } = options;
  const [embed, blocks, norm] = [
    buildEmbeddings(scope, options),
    buildBlocks(scope, options),
    buildNorm(scope, options),
  ];

  checkOutputLayers(outputLayers, depth);

  const run = (input: EncoderInput, layers: number, context: ForwardContext): Run => {
    const parts = embed(input, context);
    const streams: Tensor3D[] = [];
    let x: Tensor3D =
      parts.length === 1
        ? parts[0]!.tokens
        : tf.concat(
            parts.map(({ tokens }) => tokens),
            1,
          );
    for (const [index, block] of blocks.slice(0, layers).entries()) {
      x = block(x);
      context.observe?.(`block.${index}`, x);
      streams.push(index === depth - 1 ? norm(x) : x);
    }
    return { streams, grid: parts[0]!.grid };
  };

  return {
    features: outputLayers.map(() => ({
      channels: merge === 'concat' ? modalities.length * width : width,
      stride: patchSize,
    })),
    forward(input, context) {
      const { streams, grid } = run(input, Math.max(...outputLayers) + 1, context);
      return outputLayers.map((layer) => merged(streams[layer]!, grid, modalities.length, merge));
    },
    embed: (input, context): Tensor2D => tf.mean(run(input, depth, context).streams.at(-1)!, 1),
  };
}

interface Run {
  /** After each block, [batch, modality · row · column, width]. */
  readonly streams: readonly Tensor3D[];
  readonly grid: readonly [number, number];
}

const normBias = ({ normBias: isLearned }: TerramindOptions): true | 'constant' => isLearned || 'constant';

const buildNorm = (scope: Scope, options: TerramindOptions): (<T extends Tensor>(x: T) => T) =>
  layerNormalization(scope.child('encoder_norm'), {
    ...{ channels: options.width, epsilon: options.normEpsilon, bias: normBias(options) },
  });

function buildBlocks(scope: Scope, options: TerramindOptions): ((x: Tensor3D) => Tensor3D)[] {
  const { width, isGated, perceptronBias } = options;
  const activation = { silu, gelu }[options.activation];
  const inner = Math.trunc(width * options.mlpRatio);
  const hidden = isGated ? Math.trunc((2 * inner) / 3) : inner;
  const gated = (at: Scope): (<T extends Tensor>(x: T) => T) =>
    gatedPerceptron(at, { width, hidden, activation, bias: perceptronBias, names: ['fc1', 'fc3', 'fc2'] });
  const plain = (at: Scope): (<T extends Tensor>(x: T) => T) =>
    perceptron(at, { width, hidden, activation, bias: perceptronBias });
  return Array.from({ length: options.depth }, (_, index) =>
    transformerBlock(scope.child('encoder').child(index), {
      ...{ width, heads: options.heads, hidden, normEpsilon: options.normEpsilon },
      ...{ normBias: normBias(options), qkvBias: options.qkvBias, outBias: options.projectionBias },
      mlp: isGated ? gated : plain,
    }),
  );
}

/** Every modality of a batch as tokens, in the order of the hyperparameters. */
function buildEmbeddings(
  scope: Scope,
  options: TerramindOptions,
): (input: EncoderInput, context: ForwardContext) => EmbeddedModality[] {
  const parts = options.modalities.map((name) => {
    const { embedding, bandCount } = modalityRow(name, options);
    const at = scope.child('encoder_embeddings').child(embedding);
    return { name, bandCount, embed: modalityEmbedding(at, { ...options, bandCount }) };
  });
  return (input, context) => {
    const embedded = parts.map(({ name, bandCount, embed }) => {
      const images = modalityOf(input, options.imageNames[name] ?? name, bandCount);
      return embed(images, (part, value) => context.observe?.(`embed.${name}.${part}`, value));
    });
    const [first] = embedded as [EmbeddedModality, ...EmbeddedModality[]];
    for (const [index, { grid }] of embedded.entries()) {
      if (grid.join() === first.grid.join()) continue;
      throw new InputError(
        'SHAPE_MISMATCH',
        `${parts[index]!.name} has ${grid.join(' × ')} patches, ${parts[0]!.name} has ${first.grid.join(' × ')}.`,
        { where: 'images', hint: 'Bring all modalities to the same pixels first.' },
      );
    }
    return embedded;
  };
}

/** Tokens of all modalities → the map of a feature. */
function merged(
  x: Tensor3D,
  grid: readonly [number, number],
  modalityCount: number,
  how: TerramindOptions['merge'],
): Tensor4D | Tensor5D {
  const [batch, tokens, width] = x.shape;
  const patches = tokens / modalityCount;
  const apart: Tensor4D = tf.reshape(x, [batch, modalityCount, patches, width]);
  switch (how) {
    case 'mean':
      return mapOf(tf.mean(apart, 1), grid);
    case 'max':
      return mapOf(tf.max(apart, 1), grid);
    case 'concat':
      return mapOf(
        tf.reshape(tf.transpose(apart, [0, 2, 1, 3]), [batch, patches, modalityCount * width]),
        grid,
      );
    case 'apart': {
      const maps: Tensor5D = tf.reshape(x, [batch, modalityCount, ...grid, width]);
      return maps;
    }
  }
}
