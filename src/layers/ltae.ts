import { softmax } from '../engine/ops/activations-smooth.js';
import { relu } from '../engine/ops/activations.js';
import { linear, matMul } from '../engine/ops/linear.js';
import { tf, type Tensor, type Tensor2D, type Tensor3D, type Tensor4D, type Tensor5D } from '../engine/tf.js';
import { batchNormalization } from './batch-normalization.js';
import { dense } from './dense.js';
import { groupNormalization } from './group-normalization.js';
import type { ForwardContext } from './layer.js';
import { normal, uniformByFanIn, type Scope } from './parameters.js';

export interface LtaeOptions {
  readonly inChannels: number;
  /** Default 16. */
  readonly heads?: number;
  /** Width of a head's query and keys; default 4. */
  readonly keyWidth?: number;
  /** Channels that the input is brought to, null: none; default 256. */
  readonly modelWidth?: number | null;
  /** Channels after each layer of the perceptron behind the attention, e.g. [128]. */
  readonly widths: readonly number[];
  /** Longest period of the positions, in their unit; default 1000. */
  readonly period?: number;
  /** Whether positions are added; default true. */
  readonly positions?: boolean;
  /** Score of a date that is padding; default −1000. */
  readonly padScore?: number;
}

export interface LtaeSeries {
  /** [batch, time, height, width, channels] */
  readonly x: Tensor5D;
  /** Place of each date in time, such as days: [batch, time]; due where positions are added. */
  readonly positions?: Tensor2D | undefined;
  /** 1 where a date is padding: [batch, time]; default none is. */
  readonly padMask?: Tensor2D | undefined;
}

export interface LtaeResult {
  /** [batch, height, width, channels] */
  readonly map: Tensor4D;
  /** Weight of each date: [batch, height, width, head, time] */
  readonly attention: Tensor5D;
}

/**
 * Lightweight temporal attention (Garnot & Landrieu 2020, 2021) of each pixel by itself: one learned query a head, keys
 * from the series, values that are slices of its channels. Parameters have the names of U-TAE and PANGAEA.
 * Its dropout (0.1 on the attention, 0.2 on the result) is left out, in training too.
 */
export function ltae(
  scope: Scope,
  options: LtaeOptions,
): (series: LtaeSeries, context: ForwardContext) => LtaeResult {
  const { inChannels, heads = 16, keyWidth = 4, modelWidth = 256, widths, padScore = -1000 } = options;
  const { period = 1000, positions: hasPositions = true } = options;
  const width = modelWidth ?? inChannels;
  const normalizeInput = groupNormalization(scope.child('in_norm'), { channels: inChannels, groups: heads });
  const bringTo = modelWidth === null ? undefined : pointwise(scope.child('inconv'), inChannels, width);
  const attentionScope = scope.child('attention_heads');
  const spread = Math.sqrt(2 / keyWidth);
  const query = attentionScope.parameter('Q', [heads, keyWidth], normal(spread), 'table');
  const keys = dense(attentionScope.child('fc1_k'), width, heads * keyWidth, { initializer: normal(spread) });
  const transform = perceptronOfRows(scope.child('mlp'), [width, ...widths]);
  const outChannels = widths.at(-1) ?? width;
  const normalizeOutput = groupNormalization(scope.child('out_norm'), {
    channels: outChannels,
    groups: heads,
  });

  return ({ x, positions, padMask }, context) => {
    const [batch, time, rows, columns] = x.shape;
    const pixels = rows * columns;
    let series = tf.reshape(tf.transpose(x, [0, 2, 3, 1, 4]), [batch * pixels, time, inChannels]) as Tensor3D;
    series = normalizeInput(series);
    if (bringTo) series = bringTo(series);
    if (hasPositions) {
      if (!positions) throw new Error('LTAE with positions is called without them.');
      const encoded = encodePositions(positions, width / heads, heads, period);
      context.observe?.('positional_encoding', encoded);
      const byPixel = tf.reshape(series, [batch, pixels, time, width]);
      series = tf.reshape(tf.add(byPixel, tf.expandDims(encoded, 1)), series.shape);
    }
    const projected = tf.reshape(keys(series), [batch * pixels, time, heads, keyWidth]);
    let scores: Tensor = tf.mul(tf.sum(tf.mul(projected, query), -1), 1 / Math.sqrt(keyWidth));
    if (padMask) {
      const byPixel = tf.reshape(scores, [batch, pixels, time, heads]);
      const isPadding = tf.reshape(padMask, [batch, 1, time, 1]);
      const replaced = tf.add(tf.mul(byPixel, tf.sub(1, isPadding)), tf.mul(isPadding, padScore));
      scores = tf.reshape(replaced, scores.shape);
    }
    const attention = softmax(tf.transpose(scores, [0, 2, 1]));
    const values = tf.transpose(
      tf.reshape(series, [batch * pixels, time, heads, width / heads]),
      [0, 2, 1, 3],
    );
    const attended = matMul(tf.expandDims(attention, 2), values).reshape([batch * pixels, width]) as Tensor2D;
    const result = normalizeOutput(transform(attended, context));
    return {
      map: tf.reshape(result, [batch, rows, columns, outChannels]),
      attention: tf.reshape(attention, [batch, rows, columns, heads, time]),
    };
  };
}

/** A linear layer whose kernel is a convolution's of one date: [1, in, out]. */
export function pointwise(scope: Scope, inChannels: number, outChannels: number): (x: Tensor3D) => Tensor3D {
  const initializer = uniformByFanIn(inChannels);
  const kernel = scope.parameter('kernel', [1, inChannels, outChannels], initializer, 'kernel');
  const bias = scope.parameter('bias', [outChannels], initializer, 'bias');
  return (x) => linear(x, tf.reshape(kernel, [inChannels, outChannels]), bias) as Tensor3D;
}

/** Linear, batch normalisation, ReLU, as often as there are widths: [row, in] → [row, out]. */
export function perceptronOfRows(
  scope: Scope,
  widths: readonly number[],
): (x: Tensor2D, context: ForwardContext) => Tensor2D {
  const layers = widths.slice(1).map((width, index) => ({
    ...{ project: dense(scope.child(3 * index), widths[index]!, width), width },
    normalize: batchNormalization(scope.child(3 * index + 1), { channels: width }),
  }));
  return (x, context) =>
    layers.reduce((rows, { project, normalize, width }) => {
      const projected = tf.reshape(project(rows), [rows.shape[0], 1, 1, width]) as Tensor4D;
      return relu(tf.reshape(normalize(projected, context), [rows.shape[0], width])) as Tensor2D;
    }, x);
}

/** Sine and cosine in turn, of periods from 2π to 2π · period, the same for each head: [batch, time, heads · width]. */
function encodePositions(positions: Tensor2D, width: number, heads: number, period: number): Tensor3D {
  const channels = Array.from({ length: width }, (_, channel) => channel);
  const periods = channels.map((channel) => period ** ((2 * Math.floor(channel / 2)) / width));
  const isOdd = tf.tensor1d(channels.map((channel) => channel % 2));
  const angles = tf.div(tf.expandDims(positions, 2), tf.tensor1d(periods));
  const table = tf.add(tf.mul(tf.sin(angles), tf.sub(1, isOdd)), tf.mul(tf.cos(angles), isOdd));
  return tf.tile(table, [1, 1, heads]) as Tensor3D;
}
