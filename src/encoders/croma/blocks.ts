import { gelu } from '../../engine/ops/activations-smooth.js';
import { tf, type Tensor, type Tensor2D, type Tensor3D, type Tensor4D } from '../../engine/tf.js';
import { attend, mergeHeads, selfAttention, splitHeads } from '../../layers/attention.js';
import { dense } from '../../layers/dense.js';
import { layerNormalization } from '../../layers/layer-normalization.js';
import type { ForwardContext } from '../../layers/layer.js';
import type { Scope } from '../../layers/parameters.js';
import { tokensOf } from '../../layers/patch-embedding.js';
import { perceptron } from '../../layers/perceptron.js';
import { patchRows } from '../whole-patches.js';

export interface CromaSizes {
  readonly width: number;
  readonly heads: number;
  readonly depth: number;
  /** Width between the layers of a perceptron. */
  readonly hidden: number;
  readonly normEpsilon: number;
}

/** What an encoder of patches gives. */
export interface CromaStreams {
  /** [batch, row · column, width] after each block, not normalised. */
  readonly streams: readonly Tensor3D[];
  /** The normalisation that belongs behind the last block. */
  readonly norm: (x: Tensor3D) => Tensor3D;
  readonly grid: readonly [number, number];
}

/** Images of one modality → streams of the first `depth` blocks; default all. */
export type EncodeModality = (images: Tensor4D, context: ForwardContext, depth?: number) => CromaStreams;

/**
 * The transformer of one modality.
 * @param name of the encoder, for those who look at intermediates
 */
export function modalityEncoder(
  scope: Scope,
  name: string,
  { bandCount, patchSize, ...sizes }: CromaSizes & { readonly bandCount: number; readonly patchSize: number },
): EncodeModality {
  const { width, heads, depth: allBlocks } = sizes;
  const embed = dense(scope.child('linear_input'), bandCount * patchSize * patchSize, width);
  const transformer = scope.child('transformer');
  const blocks = Array.from({ length: allBlocks }, (_, index) => {
    const layer = transformer.child('layers').child(index);
    return [ownAttention(layer.child(0), sizes), feedForward(layer.child(1), sizes)] as const;
  });
  const norm = layerNormalization(transformer.child('norm_out'), normOptions(sizes));
  return (images, context, depth = allBlocks) => {
    const patches = patchRows(images, patchSize, 'channel-first');
    const grid = [patches.shape[1], patches.shape[2]] as const;
    let x = embed(tokensOf(patches));
    context.observe?.(`${name}.linear_input`, x);
    const bias = distanceBias(heads, grid);
    const streams = blocks.slice(0, depth).map(([attention, mlp], index) => {
      x = tf.tidy(() => {
        const attended = added(x, attention(x, bias), `${name}.layer${index}.0`, context);
        return added(attended, mlp(attended), `${name}.layer${index}.1`, context);
      });
      return x;
    });
    return { streams, norm, grid };
  };
}

/** SAR tokens and optical ones, both normalised → streams of the first `depth` blocks; default all. */
export type CrossEncoder = (
  tokens: Tensor3D,
  attended: Tensor3D,
  grid: readonly [number, number],
  context: ForwardContext,
  depth?: number,
) => CromaStreams;

/** Blocks in which the tokens attend to themselves, then to those of the context. */
export function crossEncoder(scope: Scope, name: string, sizes: CromaSizes): CrossEncoder {
  const blocks = Array.from({ length: sizes.depth }, (_, index) => {
    const layer = scope.child('layers').child(index);
    return [
      ownAttention(layer.child(0), sizes),
      crossAttention(layer.child(1), sizes),
      feedForward(layer.child(2), sizes),
    ] as const;
  });
  const norm = layerNormalization(scope.child('norm_out'), normOptions(sizes));
  return (tokens, attended, grid, context, depth = sizes.depth) => {
    const bias = distanceBias(sizes.heads, grid);
    let x = tokens;
    const streams = blocks.slice(0, depth).map(([own, cross, mlp], index) => {
      x = tf.tidy(() => {
        const afterOwn = added(x, own(x, bias), `${name}.xlayer${index}.0`, context);
        const afterCross = added(
          afterOwn,
          cross(afterOwn, attended, bias),
          `${name}.xlayer${index}.1`,
          context,
        );
        return added(afterCross, mlp(afterCross), `${name}.xlayer${index}.2`, context);
      });
      return x;
    });
    return { streams, norm, grid };
  };
}

/** The head on the mean over patches: [batch, token, width] → [batch, width]. */
export function pooledHead(
  scope: Scope,
  sizes: Omit<CromaSizes, 'depth' | 'heads'>,
): (normed: Tensor3D) => Tensor2D {
  const norm = layerNormalization(scope.child(0), normOptions(sizes));
  const mlp = perceptron(scope, { ...perceptronOptions(sizes), names: ['1', '3'] });
  return (normed) => mlp(norm(tf.mean<Tensor2D>(normed, 1)));
}

function added(x: Tensor3D, change: Tensor3D, name: string, context: ForwardContext): Tensor3D {
  context.observe?.(name, change);
  return tf.add(x, change);
}

const normOptions = ({ width, normEpsilon }: Pick<CromaSizes, 'width' | 'normEpsilon'>) => ({
  channels: width,
  epsilon: normEpsilon,
});

const perceptronOptions = ({ width, hidden }: Pick<CromaSizes, 'width' | 'hidden'>) => ({
  ...{ width, hidden, activation: gelu },
});

function ownAttention(scope: Scope, sizes: CromaSizes): (x: Tensor3D, bias: Tensor) => Tensor3D {
  const { width, heads } = sizes;
  const attention = selfAttention(scope, { width, heads, qkvBias: false, names: ['to_qkv', 'to_out'] });
  const norm = layerNormalization(scope.child('input_norm'), normOptions(sizes));
  return (x, bias) => attention(norm(x), { bias });
}

/** One normalisation serves both the tokens that ask and those that are asked. */
function crossAttention(
  scope: Scope,
  sizes: CromaSizes,
): (x: Tensor3D, attended: Tensor3D, bias: Tensor) => Tensor3D {
  const { width, heads } = sizes;
  const [queries, keys, values] = ['to_q', 'to_k', 'to_v'].map((name) =>
    dense(scope.child(name), width, width, { bias: false }),
  ) as [Projection, Projection, Projection];
  const out = dense(scope.child('to_out'), width, width);
  const norm = layerNormalization(scope.child('input_norm'), normOptions(sizes));
  return (x, attended, bias) => {
    const [asking, asked] = [norm(x), norm(attended)];
    const [q, k, v] = [queries(asking), keys(asked), values(asked)].map((part) => splitHeads(part, heads));
    return out(mergeHeads(attend(q!, k!, v!, { bias })));
  };
}

type Projection = (x: Tensor3D) => Tensor3D;

function feedForward(scope: Scope, sizes: CromaSizes): (x: Tensor3D) => Tensor3D {
  const norm = layerNormalization(scope.child('input_norm'), normOptions(sizes));
  const mlp = perceptron(scope.child('net'), { ...perceptronOptions(sizes), names: ['0', '3'] });
  return (x) => mlp(norm(x));
}

/**
 * What is added to attention scores: minus the distance between two patches, in patches, times the head's slope
 * (ALiBi, Press et al. 2022, in two dimensions).
 * @returns [1, head, patch, patch]
 */
export function distanceBias(heads: number, [rows, columns]: readonly [number, number]): Tensor4D {
  const patches = rows * columns;
  const distances = new Float32Array(patches * patches);
  for (let a = 0; a < patches; a++) {
    for (let b = 0; b < patches; b++) {
      const down = Math.floor(a / columns) - Math.floor(b / columns);
      const across = (a % columns) - (b % columns);
      distances[a * patches + b] = -Math.sqrt(down * down + across * across);
    }
  }
  const slopes = tf.tensor4d(Float32Array.from(slopesOf(heads)), [1, heads, 1, 1]);
  return tf.mul(tf.tensor4d(distances, [1, 1, patches, patches]), slopes);
}

/** 2^(−8 k / heads), k = 1 … heads, for powers of two; else every second slope of the next power fills up. */
function slopesOf(heads: number): number[] {
  const power = 2 ** Math.floor(Math.log2(heads));
  const slopes = Array.from({ length: power }, (_, k) => 2 ** ((-8 * (k + 1)) / power));
  if (power === heads) return slopes;
  return [
    ...slopes,
    ...slopesOf(2 * power)
      .filter((_, k) => k % 2 === 0)
      .slice(0, heads - power),
  ];
}
