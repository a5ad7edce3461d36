import { softmax } from '../engine/ops/activations-smooth.js';
import { isGradientTaken } from '../engine/ops/custom-gradient.js';
import { fusedAttention, hasFusedKernels } from '../engine/ops/fused.js';
import { addBias, matMul } from '../engine/ops/linear.js';
import { tf, type Tensor, type Tensor3D, type Tensor4D, type Variable } from '../engine/tf.js';
import { dense } from './dense.js';
import { layerNormalization } from './layer-normalization.js';
import { zeros, type Scope } from './parameters.js';

export interface AttendOptions {
  /** Default 1 / √headWidth. */
  readonly scale?: number;
  /** Added to the scores, broadcast to [batch, head, query, key]: position biases, masks of −∞. */
  readonly bias?: Tensor;
}

/**
 * Scaled dot-product attention.
 * @param queries [batch, head, query, headWidth]
 * @param keys [batch, head, key, headWidth]
 * @param values [batch, head, key, valueWidth]
 * @returns [batch, head, query, valueWidth]
 */
export function attend(
  queries: Tensor4D,
  keys: Tensor4D,
  values: Tensor4D,
  { scale = 1 / Math.sqrt(queries.shape[3]), bias }: AttendOptions = {},
): Tensor4D {
  const scores = matMul(tf.mul(queries, scale), keys, { transposeB: true });
  return matMul(softmax(bias ? tf.add(scores, bias) : scores), values) as Tensor4D;
}

/** [batch, token, head · headWidth] → [batch, head, token, headWidth] */
export function splitHeads(x: Tensor3D, heads: number): Tensor4D {
  const [batch, tokens, width] = x.shape;
  return tf.transpose(tf.reshape(x, [batch, tokens, heads, width / heads]), [0, 2, 1, 3]);
}

/** [batch, head, token, headWidth] → [batch, token, head · headWidth] */
export function mergeHeads(x: Tensor4D): Tensor3D {
  const [batch, heads, tokens, headWidth] = x.shape;
  return tf.reshape(tf.transpose(x, [0, 2, 1, 3]), [batch, tokens, heads * headWidth]);
}

export interface SelfAttentionOptions {
  readonly width: number;
  readonly heads: number;
  /** Default width / heads. */
  readonly headWidth?: number;
  /**
   * Of queries, keys and values; default true. `query-value`: tables `q_bias` and `v_bias`, none for the keys, where
   * it would change nothing.
   */
  readonly qkvBias?: boolean | 'query-value';
  /** Of the projection; default true. */
  readonly outBias?: boolean;
  /** Epsilon of a layer normalisation of queries and keys, head by head; default none. */
  readonly qkNormEpsilon?: number;
  /** Names of the joined projection and of the last one; default `qkv` and `proj`. */
  readonly names?: readonly [string, string];
  /** Names of three projections of queries, keys and values, in the place of the joined one. */
  readonly separate?: readonly [string, string, string];
}

export interface SelfAttentionContext extends AttendOptions {
  /** Turns queries and keys by their position, [batch, head, token, headWidth] each. */
  readonly rotate?: (x: Tensor4D) => Tensor4D;
}

/** Multi-head self-attention: [batch, token, width] → the same. */
export function selfAttention(
  scope: Scope,
  options: SelfAttentionOptions,
): (x: Tensor3D, context?: SelfAttentionContext) => Tensor3D {
  const { width, heads, headWidth = width / heads, outBias = true } = options;
  const { qkNormEpsilon, names = ['qkv', 'proj'] } = options;
  const inner = heads * headWidth;
  const { joined, project } = queriesKeysValues(scope, options, names[0], inner);
  const norm = (name: string): ((x: Tensor4D) => Tensor4D) =>
    qkNormEpsilon === undefined
      ? (x) => x
      : layerNormalization(scope.child(name), { channels: headWidth, epsilon: qkNormEpsilon });
  const [normQueries, normKeys] = [norm('q_norm'), norm('k_norm')];
  const out = dense(scope.child(names[1]), inner, width, { bias: outBias });
  return (x, { rotate, ...attention }: SelfAttentionContext = {}) => {
    if (joined && !rotate && qkNormEpsilon === undefined && hasFusedKernels()) {
      const { scale = 1 / Math.sqrt(headWidth), bias } = attention;
      // the kernel has no gradient of a bias
      if (!bias || (!isGradientTaken() && isOfEveryImage(bias, heads, x.shape[1])))
        return out(fusedAttention(joined(x), { scale: tf.fill([heads], scale), bias }) as Tensor3D);
    }
    const turn = rotate ?? ((y: Tensor4D) => y);
    const [q, k, v] = project(x);
    return out(mergeHeads(attend(turn(normQueries(q)), turn(normKeys(k)), v, attention)));
  };
}

/** Whether a bias tells heads apart and no images. */
const isOfEveryImage = ({ shape, size }: Tensor, heads: number, tokens: number): boolean =>
  size === heads * tokens * tokens && shape.slice(-3).join() === [heads, tokens, tokens].join();

interface Projections {
  /** Queries, keys and values, [batch, head, token, headWidth] each. */
  readonly project: (x: Tensor3D) => [Tensor4D, Tensor4D, Tensor4D];
  /** All in one, [batch, token, (queries, keys, values) · head · headWidth], where they are computed so. */
  readonly joined?: (x: Tensor3D) => Tensor3D;
}

function queriesKeysValues(
  scope: Scope,
  { width, heads, qkvBias = true, separate }: SelfAttentionOptions,
  joinedName: string,
  inner: number,
): Projections {
  const withBias = qkvBias === true;
  if (separate) {
    const parts = separate.map((name) => dense(scope.child(name), width, inner, { bias: withBias }));
    return {
      project: (x) => parts.map((part) => splitHeads(part(x), heads)) as [Tensor4D, Tensor4D, Tensor4D],
    };
  }
  const product = dense(scope.child(joinedName), width, 3 * inner, { bias: withBias });
  const table = (name: string): Variable => scope.parameter(name, [inner], zeros, 'bias');
  const offsets = qkvBias === 'query-value' ? [table('q_bias'), table('v_bias')] : undefined;
  const joined = (x: Tensor3D): Tensor3D => {
    if (!offsets) return product(x);
    const [queries, values] = offsets;
    return addBias(product(x), tf.concat([queries!, tf.zeros([inner]), values!] as Tensor[]));
  };
  const project = (x: Tensor3D): [Tensor4D, Tensor4D, Tensor4D] => {
    const all = joined(x);
    const [batch, tokens] = all.shape;
    // one transposition; its three parts share its memory
    const parts = tf.transpose(tf.reshape(all, [batch, tokens, 3, heads, inner / heads]), [2, 0, 3, 1, 4]);
    return tf.unstack(parts) as [Tensor4D, Tensor4D, Tensor4D];
  };
  return { joined, project };
}
