import { z } from 'zod';
import { gelu, quickGelu } from '../engine/ops/activations-smooth.js';
import { linear } from '../engine/ops/linear.js';
import { tf, type Tensor2D, type Tensor3D } from '../engine/tf.js';
import { layerNormalization } from '../layers/layer-normalization.js';
import { normal, type Scope } from '../layers/parameters.js';
import { patchEmbedding, tokensOf } from '../layers/patch-embedding.js';
import { transformerBlock } from '../layers/transformer-block.js';
import { defineEncoder } from './define-encoder.js';
import type { BuiltEncoder } from './encoder.js';
import { imageOf } from './images.js';
import {
  firstToken,
  plainEncoder,
  transformerShape,
  withPrefix,
  type PlainTransformer,
} from './plain-transformer.js';
import { resizePositions } from './position-table.js';

const count = z.int().positive();

const hyperparameters = z.strictObject({
  ...transformerShape,
  bandCount: count.default(3),
  /** Pixels of the images that the position table belongs to. */
  imageSize: z.tuple([count, count]),
  activation: z.enum(['gelu', 'quick-gelu']).default('gelu'),
  normEpsilon: z.number().positive().default(1e-5),
  /** Size of the vectors shared with the text tower, for `embed`; default none: the last layers are left out. */
  embedWidth: count.optional(),
});

type ClipOptions = z.infer<typeof hyperparameters>;

/**
 * Image tower of CLIP (Radford et al. 2021) in open_clip's names, as RemoteCLIP has it: a normalisation before the
 * blocks, patches without bias. Features are the streams after `outputLayers` without the class token, not normalised.
 */
export const openClip = defineEncoder('open-clip', {
  hyperparameters,
  build: (scope, options) => buildClip(scope, options),
  bandLayers: /^conv1\.weight$/,
  weights: ({ embedWidth }) => ({
    rename: [
      [/^visual\.(.*)in_proj_(weight|bias)$/, '$1in_proj.$2'],
      [/^visual\./, ''],
    ],
    discard: [
      // the text tower and what both share
      /^(positional_embedding|text_projection|logit_scale|logit_bias|attn_mask)$/,
      /^(transformer|token_embedding|ln_final)\./,
      ...(embedWidth === undefined ? [/^visual\.(ln_post\.|proj$)/] : []),
    ],
  }),
});

function buildClip(scope: Scope, options: ClipOptions): BuiltEncoder {
  const { bandCount, patchSize, width, heads, normEpsilon, embedWidth } = options;
  const tableGrid = [
    Math.floor(options.imageSize[0] / patchSize),
    Math.floor(options.imageSize[1] / patchSize),
  ] as const;
  const norm = (name: string): PlainTransformer['norm'] =>
    layerNormalization(scope.child(name), { channels: width, epsilon: normEpsilon });
  const token = normal(width ** -0.5);
  const cls = scope.parameter('class_embedding', [width], token, 'table');
  const tableRows = tableGrid[0] * tableGrid[1] + 1;
  const table = scope.parameter('positional_embedding', [tableRows, width], token, 'table');
  const embedPatches = patchEmbedding(scope.child('conv1'), { bandCount, width, patchSize, bias: false });
  const normBefore = norm('ln_pre');
  const blocks = Array.from({ length: options.depth }, (_, index) =>
    transformerBlock(scope.child('transformer').child('resblocks').child(index), {
      ...{ width, heads, normEpsilon },
      hidden: Math.trunc(width * options.mlpRatio),
      activation: options.activation === 'gelu' ? gelu : quickGelu,
      names: { norm1: 'ln_1', norm2: 'ln_2', qkv: 'in_proj', proj: 'out_proj', fc1: 'c_fc', fc2: 'c_proj' },
    }),
  );
  const head = embedWidth === undefined ? undefined : imageHead(scope, norm, width, embedWidth);
  const model: PlainTransformer = {
    ...{ width, patchSize, blocks, prefixCount: 1 },
    norm: head?.norm ?? ((x) => x),
    prepare(input, context) {
      const map = embedPatches(imageOf(input, bandCount));
      context.observe?.('conv1', map, 'channels-last');
      const grid = [map.shape[1], map.shape[2]] as const;
      const rows = table.reshape([1, tableRows, width]) as Tensor3D;
      const positions = resizePositions(rows, 1, tableGrid, grid, { mode: 'bicubic-antialias' });
      const patches = withPrefix(tokensOf(map), [cls.reshape([1, 1, width]) as Tensor3D]);
      const tokens = normBefore(tf.add(patches, positions) as Tensor3D);
      context.observe?.('ln_pre', tokens);
      return { tokens, grid };
    },
  };
  const features = { outputLayers: options.outputLayers, finalNorm: 'none' } as const;
  if (head) return plainEncoder(model, features, head.pool);
  const { embed: _unpooled, ...encoder } = plainEncoder(model, features);
  return encoder;
}

/** What makes one vector of the class token: a normalisation and a projection. */
function imageHead(
  scope: Scope,
  norm: (name: string) => PlainTransformer['norm'],
  width: number,
  embedWidth: number,
): { readonly norm: PlainTransformer['norm']; readonly pool: Parameters<typeof plainEncoder>[2] } {
  const normAfter = norm('ln_post');
  const projection = scope.parameter('proj', [width, embedWidth], normal(width ** -0.5), 'table');
  return {
    norm: normAfter,
    pool(last, context) {
      const normed = normAfter(last);
      context.observe?.('ln_post', normed);
      return linear(firstToken(normed), projection) as Tensor2D;
    },
  };
}
