import { gelu } from '../../engine/ops/activations-smooth.js';
import { checkpointIfAsked } from '../../engine/ops/checkpoint.js';
import { constantPad } from '../../engine/ops/pad.js';
import { tf, type Tensor, type Tensor4D } from '../../engine/tf.js';
import type { ForwardContext } from '../../layers/layer.js';
import { layerNormalization } from '../../layers/layer-normalization.js';
import { dense } from '../../layers/dense.js';
import { collectVariables, type Scope } from '../../layers/parameters.js';
import { patchEmbedding } from '../../layers/patch-embedding.js';
import { perceptron } from '../../layers/perceptron.js';
import { windowAttention } from '../../layers/window-attention.js';
import type { Pair } from '../../layers/window-tables.js';
import type { SwinOptions } from './options.js';

/** The parts that families of this shape share. */
export interface SwinTransformer {
  /**
   * The map before every stage (after the merging that leads to it), and after it: [batch, height, width, channels].
   */
  readonly run: (images: Tensor4D, context: ForwardContext) => { entering: Tensor4D[]; leaving: Tensor4D[] };
  readonly norm: (x: Tensor4D) => Tensor4D;
  /** Channels of each stage. */
  readonly channels: readonly number[];
}

/** Builds the parameters in timm's names: the merging belongs to the stage that it leads to. */
export function buildSwinTransformer(scope: Scope, options: SwinOptions): SwinTransformer {
  const { bandCount, patchSize, width, depths, normEpsilon: epsilon } = options;
  const embedding = scope.child('patch_embed');
  const embedPatches = patchEmbedding(embedding.child('proj'), { bandCount, patchSize, width });
  const normalizePatches = layerNormalization(embedding.child('norm'), { channels: width, epsilon });
  const channels = depths.map((_, stage) => width * 2 ** stage);
  const stages = depths.map((depth, stage) => {
    const stageScope = scope.child('layers').child(stage);
    const merge =
      stage > 0 ? patchMerging(stageScope.child('downsample'), channels[stage - 1]!, options) : undefined;
    const { window, shift } = windowOf(options, stage);
    const blocks = Array.from({ length: depth }, (_, index) =>
      swinBlock(stageScope.child('blocks').child(index), options, {
        ...{ stage, window, width: channels[stage]! },
        shift: index % 2 === 1 ? shift : [0, 0],
      }),
    );
    return { merge, blocks };
  });
  const norm = layerNormalization(scope.child('norm'), { channels: channels.at(-1)!, epsilon });

  return {
    norm,
    channels,
    run(images, context) {
      let x = normalizePatches(embedPatches(images));
      context.observe?.('patch_embed', x);
      const entering: Tensor4D[] = [];
      const leaving: Tensor4D[] = [];
      for (const [stage, { merge, blocks }] of stages.entries()) {
        if (merge) {
          x = merge(x);
          context.observe?.(`layers.${stage}.downsample`, x);
        }
        entering.push(x);
        for (const [index, block] of blocks.entries()) {
          x = block(x);
          context.observe?.(`layers.${stage}.block${index}`, x);
        }
        context.observe?.(`layers.${stage}`, x);
        leaving.push(x);
      }
      return { entering, leaving };
    },
  };
}

interface StageWindow {
  readonly window: Pair;
  /** Of every second block. */
  readonly shift: Pair;
}

/** Where the image size is known, a window is no larger than the stage's map of such an image, and then never moved. */
function windowOf(
  { windowSize, imageSize, patchSize, windowLimit }: SwinOptions,
  stage: number,
): StageWindow {
  const shift: Pair = [Math.floor(windowSize[0] / 2), Math.floor(windowSize[1] / 2)];
  if (!imageSize) return { window: windowSize, shift };
  const [rows, columns] = imageSize.map((pixels) => Math.floor(pixels / patchSize / 2 ** stage)) as [
    number,
    number,
  ];
  if (windowLimit === 'axis') {
    return {
      window: [Math.min(rows, windowSize[0]), Math.min(columns, windowSize[1])],
      shift: [rows <= windowSize[0] ? 0 : shift[0], columns <= windowSize[1] ? 0 : shift[1]],
    };
  }
  const isWhole = Math.min(rows, columns) <= windowSize[0];
  const side = Math.min(rows, columns, windowSize[0]);
  return { window: [side, side], shift: isWhole ? [0, 0] : shift };
}

interface BlockPlace {
  readonly stage: number;
  readonly window: Pair;
  readonly width: number;
  readonly shift: Pair;
}

/**
 * Attention in windows, then a perceptron; normalised before each (Swin) or after (v2). Intermediates are freed, in
 * `withCheckpoints` those that gradients are taken of as well.
 */
function swinBlock(
  given: Scope,
  options: SwinOptions,
  { stage, window, shift, width }: BlockPlace,
): (x: Tensor4D) => Tensor4D {
  const { version, normEpsilon: epsilon, pretrainedWindowSizes } = options;
  const { scope, variables } = collectVariables(given);
  const norm1 = layerNormalization(scope.child('norm1'), { channels: width, epsilon });
  const pretrained = pretrainedWindowSizes?.[stage];
  const attend = windowAttention(scope.child('attn'), {
    ...{ width, heads: options.heads[stage]!, window, padding: options.padding, qkvBias: options.qkvBias },
    shift,
    positions: version === 1 ? 'table' : 'network',
    ...(pretrained && { pretrainedWindow: [pretrained, pretrained] as const }),
  });
  const norm2 = layerNormalization(scope.child('norm2'), { channels: width, epsilon });
  const hidden = Math.trunc(width * options.mlpRatio);
  const mlp = perceptron(scope.child('mlp'), { width, hidden, activation: gelu });
  const run = (x: Tensor4D): Tensor4D =>
    tf.tidy(() => {
      if (version === 1) {
        const attended = tf.add(x, attend(norm1(x))) as Tensor4D;
        return tf.add(attended, mlp(norm2(attended))) as Tensor4D;
      }
      const attended = tf.add(x, norm1(attend(x))) as Tensor4D;
      return tf.add(attended, norm2(mlp(attended))) as Tensor4D;
    });
  return (x) => checkpointIfAsked((stream: Tensor) => run(stream as Tensor4D), [x], variables);
}

/** Squares of 2 × 2 pixels become one of twice the channels; odd sides are padded by zeros. */
function patchMerging(scope: Scope, channels: number, { version, normEpsilon }: SwinOptions) {
  const normed = version === 1 ? 4 * channels : 2 * channels;
  const norm = layerNormalization(scope.child('norm'), { channels: normed, epsilon: normEpsilon });
  const reduce = dense(scope.child('reduction'), 4 * channels, 2 * channels, { bias: false });
  return (x: Tensor4D): Tensor4D =>
    tf.tidy(() => {
      const [batch, height, width] = x.shape;
      const even = constantPad(x, [
        [0, 0],
        [0, height % 2],
        [0, width % 2],
        [0, 0],
      ]);
      const [rows, columns] = [Math.ceil(height / 2), Math.ceil(width / 2)];
      // the column's parity outside the row's: top left, bottom left, top right, bottom right
      const squares = tf
        .transpose(tf.reshape(even, [batch, rows, 2, columns, 2, channels]), [0, 1, 3, 4, 2, 5])
        .reshape([batch, rows, columns, 4 * channels]) as Tensor4D;
      return version === 1 ? reduce(norm(squares)) : norm(reduce(squares));
    });
}
