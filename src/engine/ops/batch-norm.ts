import { isNative } from '../engine.js';
import { tf, type Tensor, type Tensor1D, type Tensor4D } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { rawOp } from './raw.js';

/** Statistics that follow the batches: value ← (1 − momentum) · value + momentum · batch. */
export interface RunningStatistics {
  /** [channels] */
  readonly mean: Tensor1D;
  /** [channels]; the batch's part is divided by count − 1, as PyTorch has it. */
  readonly variance: Tensor1D;
  readonly momentum: number;
}

export interface BatchNormResult {
  /** [batch, height, width, channels] */
  readonly y: Tensor4D;
  /** The running statistics after this batch: [channels]. They carry no gradient. */
  readonly mean: Tensor1D;
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
    if (isNative()) return fused(x, scale, offset, { mean, variance, momentum: 1, epsilon, training: false });
    const factor = tf.mul(scale, tf.rsqrt(tf.add(variance, epsilon)));
    return tf.add(tf.mul(x, factor), tf.sub(offset, tf.mul(mean, factor)));
  });
}

/**
 * Normalises with the statistics of the batch itself (training) and moves running statistics by them.
 * Differentiable in x, scale and offset.
 * @param x [batch, height, width, channels]; scale, offset [channels]
 */
export function batchNormTraining(
  x: Tensor4D,
  scale: Tensor1D,
  offset: Tensor1D,
  epsilon: number,
  running: RunningStatistics,
): BatchNormResult {
  const forward = isNative() ? native : composed;
  return tf.tidy(() => forward(x, scale, offset, epsilon, running) as never) as BatchNormResult;
}

function native(
  x: Tensor4D,
  scale: Tensor1D,
  offset: Tensor1D,
  epsilon: number,
  running: RunningStatistics,
): BatchNormResult {
  let statistics: readonly Tensor[] = [];
  const y = fused(x, scale, offset, {
    ...running,
    epsilon,
    training: true,
    onStatistics: (...moved) => (statistics = moved.map((tensor) => tf.keep(tensor))),
  });
  const [mean, variance] = statistics.map((kept) => {
    const owned = kept.clone(); // in the caller's scope
    kept.dispose();
    return owned;
  }) as [Tensor1D, Tensor1D];
  return { y, mean, variance };
}

interface FusedOptions extends RunningStatistics {
  readonly epsilon: number;
  readonly training: boolean;
  /** Gets the op's own mean and variance, in training the moved ones, which end with the forward pass. */
  readonly onStatistics?: (mean: Tensor, variance: Tensor) => void;
}

/** One pass over the image instead of two; the mean and the variance get no gradient. */
function fused(x: Tensor4D, scale: Tensor1D, offset: Tensor1D, options: FusedOptions): Tensor4D {
  const { mean, variance, momentum, epsilon, training, onStatistics } = options;
  const attributes = {
    T: { type: 'float32' },
    U: { type: 'float32' },
    epsilon: { float: epsilon },
    data_format: { text: 'NHWC' },
    is_training: { bool: training },
  } as const;
  return withGradient<Tensor4D>([x, scale, offset], (input, gamma, beta) => {
    const forward = { ...attributes, exponential_avg_factor: { float: momentum } };
    const inputs = [input!, gamma!, beta!, mean, variance];
    const [value, newMean, newVariance, ...reserved] = rawOp('FusedBatchNormV3', inputs, forward, 6);
    onStatistics?.(newMean!, newVariance!);
    return {
      value: value as Tensor4D,
      saved: [input!, gamma!, ...reserved],
      backward: (dy, saved) => rawOp('FusedBatchNormGradV3', [dy, ...saved], attributes, 5).slice(0, 3),
    };
  });
}

/** The gradient of all at once: taken piece by piece it would keep five images instead of one. */
function composed(
  x: Tensor4D,
  scale: Tensor1D,
  offset: Tensor1D,
  epsilon: number,
  running: RunningStatistics,
): BatchNormResult {
  const count = x.size / x.shape[3];
  const { mean, variance } = tf.tidy(() => {
    const average = x.mean([0, 1, 2]);
    return { mean: average, variance: tf.square(tf.sub(x, average)).mean([0, 1, 2]) };
  });
  const y = withGradient<Tensor4D>([x, scale, offset], (input, gamma, beta) => {
    const factor = tf.rsqrt(tf.add(variance, epsilon));
    const normalized = tf.mul(tf.sub(input!, mean), factor);
    return {
      value: tf.add(tf.mul(normalized, gamma!), beta!) as Tensor4D,
      saved: [normalized, factor, gamma!],
      backward: (dy, saved) => {
        const [xHat, inverse, savedGamma] = saved as [Tensor4D, Tensor1D, Tensor1D];
        const offsetSlope = dy.sum([0, 1, 2]);
        const scaleSlope = tf.mul(dy, xHat).sum([0, 1, 2]);
        const towardsMean = tf.add(offsetSlope, tf.mul(xHat, scaleSlope)).div(count);
        return [tf.mul(tf.sub(dy, towardsMean), tf.mul(savedGamma, inverse)), scaleSlope, offsetSlope];
      },
    };
  });
  const move = (value: Tensor1D, batch: Tensor, factor = 1): Tensor1D =>
    tf.add(tf.mul(value, 1 - running.momentum), tf.mul(batch, running.momentum * factor));
  return {
    y,
    mean: move(running.mean, mean),
    variance: move(running.variance, variance, count / Math.max(1, count - 1)),
  };
}
