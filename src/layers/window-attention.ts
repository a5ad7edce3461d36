import { softmax } from '../engine/ops/activations-smooth.js';
import { relu } from '../engine/ops/activations.js';
import { isGradientTaken } from '../engine/ops/custom-gradient.js';
import { fusedAttention, hasFusedKernels, type JoinedAttentionOptions } from '../engine/ops/fused.js';
import { gather } from '../engine/ops/gather.js';
import { linear, matMul } from '../engine/ops/linear.js';
import { l2Normalize } from '../engine/ops/norm.js';
import { constantPad } from '../engine/ops/pad.js';
import { roll } from '../engine/ops/slice.js';
import { tf, type Tensor, type Tensor4D } from '../engine/tf.js';
import { dense } from './dense.js';
import { normal, zeros, type Initializer, type Scope } from './parameters.js';
import {
  coordinateTable,
  positionIndex,
  regionMask,
  windowRows,
  type Pair,
  type RegionMask,
} from './window-tables.js';

export interface WindowAttentionOptions {
  readonly width: number;
  readonly heads: number;
  /** Rows and columns of a window. */
  readonly window: Pair;
  /** Rows and columns that the windows are moved by; an axis whose map fits into one window is not moved. */
  readonly shift: Pair;
  /** `table`: one learned bias a relative position (Swin). `network`: computed from it (Swin v2). */
  readonly positions: 'table' | 'network';
  /**
   * Bias of queries, keys and values. `without-keys`: one vector whose part for the keys has no effect.
   * `query-value`: tables `q_bias` and `v_bias`.
   */
  readonly qkvBias: 'joined' | 'without-keys' | 'query-value' | 'none';
  /** Whether a map that windows do not divide is padded before it is moved (torchvision) or after (timm). */
  readonly padding: 'before-shift' | 'after-shift';
  /** Window that positions of the network are relative to; default `window`. */
  readonly pretrainedWindow?: Pair;
}

/**
 * Self-attention inside windows of a map, of queries and keys by product (Swin) or by cosine (Swin v2): [batch, height,
 * width, channels] → the same.
 */
export function windowAttention(scope: Scope, options: WindowAttentionOptions): (x: Tensor4D) => Tensor4D {
  const { width, heads, window, padding, positions } = options;
  const headWidth = width / heads;
  const project = joinedProjection(scope, options);
  const out = dense(scope.child('proj'), width, width);
  const biasOf = positions === 'table' ? tableBias(scope, options) : networkBias(scope, options);
  const score = positions === 'table' ? byProduct(heads, headWidth) : byCosine(scope, heads);
  const tokens = window[0] * window[1];

  return (x) => {
    const [batch, height, columns, channels] = x.shape;
    const extent: Pair = [roundUp(height, window[0]), roundUp(columns, window[1])];
    const shift: Pair = [0, 1].map((axis) =>
      extent[axis]! > window[axis]! ? options.shift[axis]! : 0,
    ) as unknown as Pair;
    const isMoved = shift[0] + shift[1] > 0;
    const move = (t: Tensor4D, sign: 1 | -1): Tensor4D =>
      isMoved ? roll(t, [sign * shift[0], sign * shift[1]], [1, 2]) : t;
    const fill = (t: Tensor4D): Tensor4D =>
      constantPad(t, [
        [0, 0],
        [0, extent[0] - height],
        [0, extent[1] - columns],
        [0, 0],
      ]);
    const cut = (t: Tensor4D): Tensor4D => tf.slice(t, [0, 0, 0, 0], [batch, height, columns, channels]);
    const mask = isMoved ? regionMask(extent, window, shift) : undefined;
    const isFilled = extent[0] > height || extent[1] > columns;

    if (!isGradientTaken() && hasFusedKernels()) {
      // the kernel looks the windows up where they are: the map is moved only if it has to be before it is filled
      const movesFirst = isMoved && isFilled && padding === 'after-shift';
      const rows = windowRows(extent, window, movesFirst ? [0, 0] : shift);
      const filled = fill(movesFirst ? move(x, -1) : x);
      const qkv = tf.reshape(project(filled), [batch, extent[0] * extent[1], 3 * width]);
      const attended = fusedAttention(qkv, {
        ...score.fused(),
        rows: tf.tensor2d(rows, [rows.length / tokens, tokens], 'int32'),
        bias: biasOf(),
        mask: mask && tf.tensor(mask.data),
      });
      const projected = cut(out(attended.reshape([batch, ...extent, width]) as Tensor4D));
      return movesFirst ? move(projected, 1) : projected;
    }

    const [rows, across] = [extent[0] / window[0], extent[1] / window[1]];
    const moved = padding === 'before-shift' ? move(fill(x), -1) : fill(move(x, -1));
    // one transposition to [part, batch, row, column, head, …token, headWidth]; its three parts share its memory
    const parts = tf
      .transpose(
        tf.reshape(project(moved), [batch * rows, window[0], across, window[1], 3, heads, headWidth]),
        [4, 0, 2, 5, 1, 3, 6],
      )
      .reshape([3, batch * rows * across, heads, tokens, headWidth]);
    const [queries, keys, values] = tf.unstack(parts) as [Tensor4D, Tensor4D, Tensor4D];
    const scores = addBias(score.compose(queries, keys), biasOf(), mask);
    const attended = matMul(softmax(scores), values);
    const joined = tf
      .transpose(
        tf.reshape(attended, [batch * rows, across, heads, window[0], window[1], headWidth]),
        [0, 3, 1, 4, 2, 5],
      )
      .reshape([batch, extent[0], extent[1], width]) as Tensor4D;
    const projected = out(joined);
    return padding === 'before-shift' ? cut(move(projected, 1)) : move(cut(projected), 1);
  };
}

const roundUp = (size: number, window: number): number => Math.ceil(size / window) * window;

/** Position bias [1, head, query, key], and a mask of each window [window, 1, query, key], on [batch · window, …]. */
function addBias(scores: Tensor, bias: Tensor, mask: RegionMask | undefined): Tensor4D {
  const [count, heads, tokens] = scores.shape as [number, number, number, number];
  if (!mask) return tf.add(scores, bias);
  const { data, windows } = mask;
  const both = tf.add(bias, tf.tensor(data, [windows, 1, tokens, tokens]));
  const byWindow = tf.reshape(scores, [count / windows, windows * heads, tokens, tokens]);
  const sum = tf.add(byWindow, tf.reshape(both, [1, windows * heads, tokens, tokens]));
  return tf.reshape(sum, [count, heads, tokens, tokens]);
}

/** Scores of queries and keys: [..., head, query, key]. */
interface Score {
  readonly compose: (queries: Tensor4D, keys: Tensor4D) => Tensor;
  readonly fused: () => Pick<JoinedAttentionOptions, 'scale' | 'lengthEpsilon'>;
}

const byProduct = (heads: number, headWidth: number): Score => ({
  compose: (queries, keys) => matMul(tf.mul(queries, 1 / Math.sqrt(headWidth)), keys, { transposeB: true }),
  fused: () => ({ scale: tf.fill([heads], 1 / Math.sqrt(headWidth)) }),
});

/** Cosine of the angle between query and key, times a learned factor a head of at most 100. */
function byCosine(scope: Scope, heads: number): Score {
  const logTen: Initializer = (shape) => new Float32Array(shape[0]!).fill(Math.log(10));
  const logScale = scope.parameter('logit_scale', [heads, 1, 1], logTen, 'table');
  const scale = (): Tensor => tf.exp(tf.minimum(logScale, Math.log(100)));
  return {
    compose: (queries, keys) =>
      matMul(
        tf.mul(l2Normalize(queries, -1, LENGTH_EPSILON), scale()),
        l2Normalize(keys, -1, LENGTH_EPSILON),
        { transposeB: true },
      ),
    fused: () => ({ scale: scale(), lengthEpsilon: LENGTH_EPSILON }),
  };
}

/** Least length that a query or a key is divided by. */
const LENGTH_EPSILON = 1e-12;

function joinedProjection(scope: Scope, { width, qkvBias }: WindowAttentionOptions): (x: Tensor) => Tensor {
  const joined = scope.child('qkv');
  const kernel = joined.parameter('kernel', [width, 3 * width], normal(0.02), 'kernel');
  if (qkvBias === 'none') return (x) => linear(x, kernel);
  if (qkvBias === 'joined') {
    const bias = joined.parameter('bias', [3 * width], zeros, 'bias');
    return (x) => linear(x, kernel, bias);
  }
  if (qkvBias === 'without-keys') {
    const bias = joined.parameter('bias', [3 * width], zeros, 'bias');
    return (x) => {
      const [queries, , values] = tf.split(bias, 3) as [Tensor, Tensor, Tensor];
      return linear(x, kernel, tf.concat([queries, tf.zeros([width]), values]));
    };
  }
  const queries = scope.parameter('q_bias', [width], zeros, 'bias');
  const values = scope.parameter('v_bias', [width], zeros, 'bias');
  return (x) => linear(x, kernel, tf.concat([queries, tf.zeros([width]), values] as Tensor[]));
}

/** [position, head] in the order of `positionIndex` → [1, head, query, key] */
function spreadPositions(values: Tensor, window: Pair): Tensor {
  const tokens = window[0] * window[1];
  const index = tf.tensor1d(positionIndex(window), 'int32');
  const pairs = tf.reshape(gather(values, index), [tokens, tokens, values.shape[1]!]);
  return tf.expandDims(tf.transpose(pairs, [2, 0, 1]), 0);
}

const positionCount = (window: Pair): number => (2 * window[0] - 1) * (2 * window[1] - 1);

function tableBias(scope: Scope, { heads, window }: WindowAttentionOptions): () => Tensor {
  const shape = [positionCount(window), heads];
  const table = scope.parameter('relative_position_bias_table', shape, normal(0.02), 'table');
  return () => spreadPositions(table, window);
}

/** Width between the two layers of the position network. */
const POSITION_WIDTH = 512;

/** 16 · sigmoid of a small network over relative coordinates in log spacing (Swin v2, section 3.3). */
function networkBias(
  scope: Scope,
  { heads, window, pretrainedWindow = window }: WindowAttentionOptions,
): () => Tensor {
  const network = scope.child('cpb_mlp');
  const first = dense(network.child(0), 2, POSITION_WIDTH);
  const second = dense(network.child(2), POSITION_WIDTH, heads, { bias: false });
  return () => {
    const coordinates = tf.tensor(coordinateTable(window, pretrainedWindow), [positionCount(window), 2]);
    return spreadPositions(tf.mul(tf.sigmoid(second(relu(first(coordinates)))), 16), window);
  };
}
