import { checkShape } from '../../shapes.js';
import { tf, type Tensor, type Tensor1D } from '../tf.js';

export interface SuppressionOptions {
  /** A box goes where its intersection over union with a kept one is larger than this. */
  readonly iouThreshold: number;
  /** Boxes with a lower score are left out before; default: none. */
  readonly scoreThreshold?: number;
  /** Most boxes to keep; default: all. */
  readonly maxCount?: number;
  /** Class of each box, [box], int32: boxes of different classes never suppress each other. */
  readonly classes?: Tensor;
}

/**
 * Greedy non-maximum suppression, computed in plain numbers: alike on every engine. Has no gradient.
 * @param boxes [box, 4]: two opposite corners, both (x, y) or both (y, x)
 * @param scores [box]
 * @returns [kept], int32: indices by falling score; of equal scores the earlier box comes first
 */
export function nonMaxSuppression(boxes: Tensor, scores: Tensor, options: SuppressionOptions): Tensor1D {
  checkShape('boxes', boxes.shape, { box: null, corner: 4 });
  checkShape('scores', scores.shape, { box: boxes.shape[0]! });
  const corners = boxes.dataSync<'float32'>();
  const score = scores.dataSync<'float32'>();
  const classOf = options.classes?.dataSync<'int32'>();
  const { iouThreshold, scoreThreshold = -Infinity, maxCount = Infinity } = options;
  const order = Array.from(score.keys())
    .filter((box) => score[box]! >= scoreThreshold)
    .sort((a, b) => score[b]! - score[a]! || a - b);
  const kept: number[] = [];
  for (const box of order) {
    if (kept.length >= maxCount) break;
    const isFree = kept.every(
      (other) =>
        (classOf && classOf[other] !== classOf[box]) ||
        !(intersectionOverUnion(corners, other, box) > iouThreshold),
    );
    if (isFree) kept.push(box);
  }
  return tf.tensor1d(kept, 'int32');
}

/** In float32 from end to end, as the references compute it, so that a threshold decides alike. */
function intersectionOverUnion(corners: Float32Array, a: number, b: number): number {
  const { fround } = Math;
  const low = (box: number, axis: number): number =>
    Math.min(corners[box * 4 + axis]!, corners[box * 4 + axis + 2]!);
  const high = (box: number, axis: number): number =>
    Math.max(corners[box * 4 + axis]!, corners[box * 4 + axis + 2]!);
  const side = (axis: number): number =>
    Math.max(0, fround(Math.min(high(a, axis), high(b, axis)) - Math.max(low(a, axis), low(b, axis))));
  const area = (box: number): number =>
    fround(fround(high(box, 0) - low(box, 0)) * fround(high(box, 1) - low(box, 1)));
  const shared = fround(side(0) * side(1));
  return fround(shared / fround(fround(area(a) + area(b)) - shared));
}
