import { crossEntropy } from '../engine/ops/cross-entropy.js';
import { tf, type Scalar, type Tensor1D, type Tensor2D, type Tensor3D, type Tensor4D } from '../engine/tf.js';

export interface SegmentationLossOptions {
  /** Pixels of this class are left out; null counts every pixel. */
  readonly ignoreIndex: number | null;
}

/**
 * Mean cross entropy over the pixels that count (0 if none does).
 * @param logits [batch, height, width, class]
 * @param target [batch, height, width], int32
 */
export function segmentationCrossEntropy(
  logits: Tensor4D,
  target: Tensor3D,
  { ignoreIndex }: SegmentationLossOptions,
): Scalar {
  const classCount = logits.shape[3];
  const rows = logits.reshape([-1, classCount]) as Tensor2D;
  const labels = target.reshape([-1]) as Tensor1D;
  if (ignoreIndex === null) return crossEntropy(rows, labels);
  const counts = tf.notEqual(labels, ignoreIndex);
  const known = tf.where(counts, labels, tf.zerosLike(labels)) as Tensor1D;
  return crossEntropy(rows, known, counts.toFloat() as Tensor1D);
}
