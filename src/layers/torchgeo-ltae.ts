import { tf, type Tensor2D, type Tensor3D } from '../engine/tf.js';
import { attend, mergeHeads, splitHeads } from './attention.js';
import { dense } from './dense.js';
import type { ForwardContext } from './layer.js';
import { layerNormalization } from './layer-normalization.js';
import { perceptronOfRows, pointwise } from './ltae.js';
import { ones, uniformByFanIn, zeros, type Initializer, type Scope } from './parameters.js';
import { linear } from '../engine/ops/linear.js';
import { layerNorm } from '../engine/ops/norm.js';

export interface TorchGeoLtaeOptions {
  readonly inChannels: number;
  readonly heads: number;
  /** Channels that the input is brought to, null: none. */
  readonly modelWidth: number | null;
  /** Channels after each layer of the perceptron; the first is the model's width. */
  readonly widths: readonly number[];
  /** Dates of a series. */
  readonly length: number;
  /** Rows of the table of positions, and its longest period. */
  readonly positionCount: number;
  /** Of the layer normalisations; default 1e-5. */
  readonly normEpsilon?: number;
}

/**
 * What torchgeo calls L-TAE: full self-attention among the dates and their mean, where the published model has one
 * learned query a head (see `ltae`). [row, date, channel] → [row, channel].
 */
export function torchGeoLtae(
  scope: Scope,
  options: TorchGeoLtaeOptions,
): (x: Tensor3D, context: ForwardContext) => Tensor2D {
  const {
    inChannels,
    heads,
    modelWidth,
    widths,
    length,
    positionCount,
    normEpsilon: epsilon = 1e-5,
  } = options;
  const width = modelWidth ?? inChannels;
  const normalizeInput = layerNormalization(scope.child('inlayernorm'), { channels: inChannels, epsilon });
  const bringTo =
    modelWidth === null ? undefined : broughtTo(scope.child('inconv'), options, modelWidth, epsilon);
  const table = scope
    .child('pos_encoder')
    .parameter('pe', [1, positionCount, width], sinusoids(positionCount, width), 'constant');
  const attention = scope.child('attention');
  const initializer = uniformByFanIn(width);
  const kernel = attention.parameter('in_proj_weight', [width, 3 * width], initializer, 'kernel');
  const bias = attention.parameter('in_proj_bias', [3 * width], zeros, 'bias');
  const out = dense(attention.child('out_proj'), width, width);
  const transform = perceptronOfRows(scope.child('mlp'), widths);
  const normalizeOutput = layerNormalization(scope.child('outlayernorm'), {
    channels: widths.at(-1)!,
    epsilon,
  });

  return (x, context) => {
    const normed = normalizeInput(x);
    const brought = bringTo ? bringTo(normed) : normed;
    const series = tf.add(brought, tf.slice(table, [0, 0, 0], [1, length, width])) as Tensor3D;
    const [queries, keys, values] = tf
      .split(linear(series, kernel, bias), 3, -1)
      .map((part) => splitHeads(part as Tensor3D, heads));
    const attended = out(mergeHeads(attend(queries!, keys!, values!)));
    return normalizeOutput(transform(tf.mean(attended, 1) as Tensor2D, context));
  };
}

/** A linear layer a date, then a normalisation over dates and channels together, whose parameters are [channel, date]. */
function broughtTo(
  scope: Scope,
  { inChannels, length }: TorchGeoLtaeOptions,
  width: number,
  epsilon: number,
): (x: Tensor3D) => Tensor3D {
  const project = pointwise(scope.child(0), inChannels, width);
  const norm = scope.child(1);
  const scale = norm.parameter('scale', [width, length], ones, 'table');
  const offset = norm.parameter('offset', [width, length], zeros, 'table');
  return (x) => {
    const size = width * length;
    const rows = tf.reshape(tf.transpose(project(x), [0, 2, 1]), [x.shape[0], size]);
    const normed = layerNorm(rows, tf.reshape(scale, [size]), tf.reshape(offset, [size]), epsilon);
    return tf.transpose(tf.reshape(normed, [x.shape[0], width, length]), [0, 2, 1]);
  };
}

/** Sine and cosine in turn, of positions 0, 1, 2, …: [1, position, channel]. */
const sinusoids =
  (positionCount: number, width: number): Initializer =>
  () =>
    Float32Array.from({ length: positionCount * width }, (_, at) => {
      const [position, channel] = [Math.floor(at / width), at % width];
      const angle = position / positionCount ** ((2 * Math.floor(channel / 2)) / width);
      return channel % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
    });
