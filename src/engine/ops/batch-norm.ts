import { isNative } from '../engine.js';
import { tf, type Tensor1D, type Tensor4D } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { rawOp } from './raw.js';

export interface BatchNormResult {
  /** [batch, height, width, channels] */
  readonly y: Tensor4D;
  /** Mean over batch, height and width: [channels]. */
  readonly mean: Tensor1D;
  /** Variance over batch, height and width, divided by count − 1 as running statistics want it: [channels]. */
  readonly variance: Tensor1D;
}

/**
 * Normalises with given statistics (evaluation). Differentiable in x, scale and offset; the statistics carry
 * no gradient on the native engine.
 * @param x [batch, height, width, channels]; the others [channels]
 */
export function batchNorm(
  x: Tensor4D,
  mean: Tensor1D,
  variance: Tensor1D,
  scale: Tensor1D,
  offset: Tensor1D,
  epsilon: number,
): Tensor4D {
  return tf.tidy(() => {
    if (isNative()) return nativeInference(x, mean, variance, scale, offset, epsilon);
    const factor = tf.mul(scale, tf.rsqrt(tf.add(variance, epsilon)));
    return tf.add(tf.mul(x, factor), tf.sub(offset, tf.mul(mean, factor)));
  });
}

/** One pass over the image instead of two; the mean and the variance get no gradient. */
function nativeInference(
  x: Tensor4D,
  mean: Tensor1D,
  variance: Tensor1D,
  scale: Tensor1D,
  offset: Tensor1D,
  epsilon: number,
): Tensor4D {
  const attributes = {
    T: { type: 'float32' },
    U: { type: 'float32' },
    epsilon: { float: epsilon },
    data_format: { text: 'NHWC' },
    is_training: { bool: false },
  } as const;
  return withGradient<Tensor4D>([x, scale, offset], (input, gamma, beta) => {
    const forward = { ...attributes, exponential_avg_factor: { float: 1 } };
    const outputs = rawOp('FusedBatchNormV3', [input!, gamma!, beta!, mean, variance], forward, 6);
    const [value, , , ...reserved] = outputs;
    return {
      value: value as Tensor4D,
      saved: [input!, gamma!, ...reserved],
      backward: (dy, saved) => rawOp('FusedBatchNormGradV3', [dy, ...saved], attributes, 5).slice(0, 3),
    };
  });
}

/**
 * Normalises with the statistics of the batch itself (training). Differentiable in x, scale and offset;
 * the returned mean and variance carry no gradient.
 * @param x [batch, height, width, channels]; scale, offset [channels]
 */
export function batchNormTraining(
  x: Tensor4D,
  scale: Tensor1D,
  offset: Tensor1D,
  epsilon: number,
): BatchNormResult {
  return tf.tidy(
    () => (isNative() ? native : composed)(x, scale, offset, epsilon) as never,
  ) as BatchNormResult;
}

function native(x: Tensor4D, scale: Tensor1D, offset: Tensor1D, epsilon: number): BatchNormResult {
  const attributes = {
    T: { type: 'float32' },
    U: { type: 'float32' },
    epsilon: { float: epsilon },
    data_format: { text: 'NHWC' },
    is_training: { bool: true },
  } as const;
  let statistics: readonly [Tensor1D, Tensor1D] | undefined;
  const y = withGradient<Tensor4D>([x, scale, offset], (input, gamma, beta) => {
    const none = tf.zeros([0]);
    const forward = { ...attributes, exponential_avg_factor: { float: 1 } };
    const outputs = rawOp('FusedBatchNormV3', [input!, gamma!, beta!, none, none], forward, 6);
    const [value, mean, variance, ...reserved] = outputs;
    // kept beyond the scope of this function, which ends with the forward pass
    statistics = [tf.keep(mean as Tensor1D), tf.keep(variance as Tensor1D)];
    return {
      value: value as Tensor4D,
      saved: [input!, gamma!, ...reserved],
      backward: (dy, saved) => rawOp('FusedBatchNormGradV3', [dy, ...saved], attributes, 5).slice(0, 3),
    };
  });
  const [mean, variance] = statistics!.map((kept) => {
    const owned = kept.clone(); // in the caller's scope
    kept.dispose();
    return owned;
  }) as [Tensor1D, Tensor1D];
  return { y, mean, variance };
}

function composed(x: Tensor4D, scale: Tensor1D, offset: Tensor1D, epsilon: number): BatchNormResult {
  const count = x.size / x.shape[3];
  const mean = x.mean([0, 1, 2]) as Tensor1D;
  const centred = tf.sub(x, mean) as Tensor4D;
  const variance = centred.square().mean([0, 1, 2]) as Tensor1D;
  const y = tf.add(tf.mul(tf.mul(centred, tf.rsqrt(tf.add(variance, epsilon))), scale), offset) as Tensor4D;
  return { y, mean, variance: tf.mul(variance, count / Math.max(1, count - 1)) };
}
