import { isNative } from '../engine.js';
import { tf, type Tensor } from '../tf.js';
import { isGradientTaken, withGradient } from './custom-gradient.js';
import { rawOp } from './raw.js';

/**
 * Kernels of our own (`native/`), compiled with the native engine: one pass over the data where TensorFlow's ops need
 * several. Processor alone.
 */
let known: boolean | undefined;

/** Whether this engine has them: tried once a thread. An engine that was built without them, and a GPU, have not. */
export function hasFusedKernels(): boolean {
  if (!isNative()) return false;
  return (known ??= !isOnGpu() && runs());
}

const isOnGpu = (): boolean => (tf.backend() as unknown as { isUsingGpuDevice: boolean }).isUsingGpuDevice;

function runs(): boolean {
  const x = tf.ones([2, 2]);
  try {
    tf.dispose(fusedGelu(x));
    return true;
  } catch {
    return false; // the op is unknown
  } finally {
    x.dispose();
  }
}

/** x · Φ(x) of any shape. */
export const fusedGelu = (x: Tensor): Tensor => rawOp('GondwanaGelu', [x], {})[0]!;

/** dy · the slope of GELU at x. */
export const fusedGeluGradient = (dy: Tensor, x: Tensor): Tensor =>
  rawOp('GondwanaGeluGrad', [dy, x], {})[0]!;

/** Normalised values, and each row's mean and 1 / √(variance + ε), [...]; x [..., channels], scale and offset [channels]. */
export const fusedLayerNorm = (x: Tensor, scale: Tensor, offset: Tensor, epsilon: number): Tensor[] =>
  rawOp('GondwanaLayerNorm', [x, scale, offset], { epsilon: { float: epsilon } }, 3);

/** Gradients of x, scale and offset. */
export const fusedLayerNormGradient = (
  dy: Tensor,
  x: Tensor,
  mean: Tensor,
  inverse: Tensor,
  scale: Tensor,
): Tensor[] => rawOp('GondwanaLayerNormGrad', [dy, x, mean, inverse, scale], {}, 3);

/** y · (dy − Σ dy · y) over the last axis, for y = softmax(x). */
export const fusedSoftmaxGradient = (dy: Tensor, y: Tensor): Tensor =>
  rawOp('GondwanaSoftmaxGrad', [dy, y], {})[0]!;

export interface JoinedAttentionOptions {
  /** Of the scores: [head]. */
  readonly scale: Tensor;
  /** Positions that attend to each other, int32 [window, token], each position once; default all of them. */
  readonly rows?: Tensor;
  /** Added to the scores of every window: [..., head, query, key]. */
  readonly bias?: Tensor | undefined;
  /** Added to the scores of every head: [window, query, key]. */
  readonly mask?: Tensor | undefined;
  /** Queries and keys are divided by their lengths, or by this where they are shorter; default they are not. */
  readonly lengthEpsilon?: number;
}

/**
 * Attention from joined projections; scores never lie in memory. A gradient is there where all positions attend to each
 * other without bias, mask and lengths, and takes the scale for a constant.
 * @param qkv [batch, position, (queries, keys, values) · head · headWidth]
 * @returns [batch, position, head · headWidth]
 */
export function fusedAttention(
  qkv: Tensor,
  { scale, rows, bias, mask, lengthEpsilon = 0 }: JoinedAttentionOptions,
): Tensor {
  const compute = (x: Tensor): Tensor => {
    const none = tf.tensor1d([]);
    const all = rows ?? tf.tensor2d([], [0, 0], 'int32');
    const inputs = [x, scale, all, bias ?? none, mask ?? none];
    return rawOp('GondwanaAttention', inputs, { epsilon: { float: lengthEpsilon } })[0]!;
  };
  return tf.tidy(() => {
    if (!isGradientTaken()) return compute(qkv);
    if (rows || bias || mask || lengthEpsilon !== 0)
      throw new Error('Attention of joined projections has a gradient of queries, keys and values alone.');
    // the scale is no input: who asks for its gradient is refused
    return withGradient([qkv], (x) => ({
      value: compute(x!),
      saved: [x!, scale],
      backward: (dy, saved) => [() => rawOp('GondwanaAttentionGrad', [dy, ...saved], {})[0]!],
    }));
  });
}
