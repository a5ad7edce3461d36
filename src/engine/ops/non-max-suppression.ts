import { checkShape } from '../../shapes.js';
import { tf, type Tensor, type Tensor1D } from '../tf.js';

interface Limits {
  /** A box goes where its intersection over union with a kept one is larger than this. */
  readonly iouThreshold: number;
  /** Boxes with a lower score are left out before; default: none. */
  readonly scoreThreshold?: number;
  /** Most boxes to keep; default: all. */
  readonly maxCount?: number;
}

export interface SuppressionOptions extends Limits {
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
  const { classes, ...limits } = options;
  const kept = keptBoxes(boxes.dataSync<'float32'>(), scores.dataSync<'float32'>(), {
    ...limits,
    ...(classes && { classes: classes.dataSync<'int32'>() }),
  });
  return tf.tensor1d(kept, 'int32');
}

/** As `nonMaxSuppression`, of numbers: corners of [box, 4], in float32. */
export function keptBoxes(
  corners: Float32Array,
  scores: ArrayLike<number>,
  {
    classes,
    iouThreshold,
    scoreThreshold = -Infinity,
    maxCount = Infinity,
  }: Limits & { readonly classes?: ArrayLike<number> },
): number[] {
  const { left, top, right, bottom, areas } = sides(corners);
  const order = Array.from({ length: scores.length }, (_, box) => box)
    .filter((box) => scores[box]! >= scoreThreshold)
    .sort((a, b) => scores[b]! - scores[a]! || a - b);
  const kept: number[] = [];
  const { fround } = Math;
  /** In float32 from end to end, as the references compute it, so that a threshold decides alike. */
  const isSuppressed = (box: number, other: number): boolean => {
    const wide = fround(Math.min(right[box]!, right[other]!) - Math.max(left[box]!, left[other]!));
    const high = fround(Math.min(bottom[box]!, bottom[other]!) - Math.max(top[box]!, top[other]!));
    if (!(wide > 0 && high > 0)) return 0 > iouThreshold;
    const shared = fround(wide * high);
    return fround(shared / fround(fround(areas[box]! + areas[other]!) - shared)) > iouThreshold;
  };
  for (const box of order) {
    if (kept.length >= maxCount) break;
    const isFree = kept.every(
      (other) => (classes && classes[other] !== classes[box]) || !isSuppressed(box, other),
    );
    if (isFree) kept.push(box);
  }
  return kept;
}

function sides(corners: Float32Array) {
  const count = corners.length / 4;
  const pick = (choose: (a: number, b: number) => number, axis: 0 | 1): Float32Array =>
    Float32Array.from({ length: count }, (_, box) =>
      choose(corners[box * 4 + axis]!, corners[box * 4 + axis + 2]!),
    );
  const [left, top, right, bottom] = [
    pick(Math.min, 0),
    pick(Math.min, 1),
    pick(Math.max, 0),
    pick(Math.max, 1),
  ];
  const areas = Float32Array.from(
    { length: count },
    (_, box) => Math.fround(right[box]! - left[box]!) * Math.fround(bottom[box]! - top[box]!),
  );
  return { left, top, right, bottom, areas };
}
