import { gelu } from '../engine/ops/activations-smooth.js';
import { checkpointIfAsked } from '../engine/ops/checkpoint.js';
import { tf, type Tensor, type Tensor3D } from '../engine/tf.js';
import { selfAttention, type SelfAttentionContext, type SelfAttentionOptions } from './attention.js';
import { layerNormalization } from './layer-normalization.js';
import { collectVariables, ones, type Scope } from './parameters.js';
import { perceptron } from './perceptron.js';

export interface TransformerBlockOptions extends Omit<SelfAttentionOptions, 'names'> {
  /** Width between the layers of the perceptron. */
  readonly hidden: number;
  /** Of both layer normalisations. */
  readonly normEpsilon: number;
  /** Bias of both layer normalisations: default learned. */
  readonly normBias?: boolean | 'constant';
  /** Default erf GELU. */
  readonly activation?: <T extends Tensor>(x: T) => T;
  /** Builds what stands in the place of the perceptron, such as a gated one. */
  readonly mlp?: (scope: Scope) => <T extends Tensor>(x: T) => T;
  /** Names of the factors that scale what each half adds, e.g. `ls1/gamma`; default none. */
  readonly layerScale?: readonly [string, string];
  /** Default `norm1`, `attn`, `norm2`, `mlp`. */
  readonly names?: Readonly<
    Partial<Record<'norm1' | 'attn' | 'norm2' | 'mlp' | 'qkv' | 'proj' | 'fc1' | 'fc2', string>>
  >;
}

/**
 * Attention, then a perceptron, each on the normalised stream and added to it. Intermediates are freed, in
 * `withCheckpoints` those that gradients are taken of as well.
 */
export function transformerBlock(
  given: Scope,
  options: TransformerBlockOptions,
): (x: Tensor3D, context?: SelfAttentionContext) => Tensor3D {
  const {
    width,
    hidden,
    normEpsilon,
    normBias = true,
    activation = gelu,
    layerScale,
    mlp: ownMlp,
    names: ownNames = {},
    ...attention
  } = options;
  const { scope, variables } = collectVariables(given);
  const names = { norm1: 'norm1', attn: 'attn', norm2: 'norm2', mlp: 'mlp', ...ownNames };
  const norm = (name: string): (<T extends Tensor>(x: T) => T) =>
    layerNormalization(scope.child(name), { channels: width, epsilon: normEpsilon, bias: normBias });
  const scaled = (index: 0 | 1): ((x: Tensor3D) => Tensor3D) => {
    if (!layerScale) return (x) => x;
    const path = layerScale[index].split('/');
    const factor = path
      .slice(0, -1)
      .reduce((at, part) => at.child(part), scope)
      .parameter(path.at(-1)!, [width], ones, 'table');
    return (x) => tf.mul(x, factor);
  };
  const norm1 = norm(names.norm1);
  const attend = selfAttention(scope.child(names.attn), {
    ...attention,
    width,
    names: [names.qkv ?? 'qkv', names.proj ?? 'proj'],
  });
  const scale1 = scaled(0);
  const norm2 = norm(names.norm2);
  const mlpNames = [names.fc1 ?? 'fc1', names.fc2 ?? 'fc2'] as const;
  const mlpScope = scope.child(names.mlp);
  const mlp = ownMlp?.(mlpScope) ?? perceptron(mlpScope, { width, hidden, activation, names: mlpNames });
  const scale2 = scaled(1);
  const run = (x: Tensor3D, context?: SelfAttentionContext): Tensor3D =>
    tf.tidy(() => {
      const attended = tf.add(x, scale1(attend(norm1(x), context))) as Tensor3D;
      return tf.add(attended, scale2(mlp(norm2(attended)))) as Tensor3D;
    });
  return (x, context) => {
    const { bias, ...others } = context ?? {};
    const block = (stream: Tensor, positions?: Tensor): Tensor3D =>
      run(stream as Tensor3D, { ...others, ...(positions && { bias: positions }) });
    return checkpointIfAsked(block, bias ? [x, bias] : [x], variables);
  };
}
