import { isNative } from '../engine.js';
import { tf, type Tensor } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { rawOp } from './raw.js';

/** Elements added before and after, for every axis in memory order. */
export type AxisPaddings = readonly (readonly [before: number, after: number])[];

/** Adds elements of one value around `x`. Differentiable in x. */
export const constantPad = <T extends Tensor>(x: T, paddings: AxisPaddings, value = 0): T =>
  (isUnpadded(paddings) ? x : tf.pad(x, mutable(paddings), value)) as T;

/**
 * Adds mirrored elements around `x`: `reflect` leaves the border element out (PyTorch's reflect), `symmetric`
 * repeats it. A side takes at most size − 1 (reflect) or size (symmetric) elements. Differentiable in x.
 */
export function mirrorPad<T extends Tensor>(x: T, paddings: AxisPaddings, mode: 'reflect' | 'symmetric'): T {
  if (isUnpadded(paddings)) return x;
  return withGradient<T>([x], (input) => ({
    value: tf.mirrorPad(input!, mutable(paddings), mode) as T,
    saved: [],
    backward: (dy) => [isNative() ? nativeBackward(dy, paddings, mode) : fold(dy, paddings, mode)],
  }));
}

const isUnpadded = (paddings: AxisPaddings): boolean => paddings.every(([a, b]) => a === 0 && b === 0);
const mutable = (paddings: AxisPaddings): [number, number][] => paddings.map(([a, b]) => [a, b]);

const nativeBackward = (dy: Tensor, paddings: AxisPaddings, mode: string): Tensor =>
  rawOp('MirrorPadGrad', [dy, tf.tensor2d(mutable(paddings), [paddings.length, 2], 'int32')], {
    T: { type: 'float32' },
    Tpaddings: { type: 'int32' },
    mode: { text: mode.toUpperCase() },
  })[0]!;

/** Folds each mirrored border back onto the elements it was copied from, axis by axis. */
function fold(dy: Tensor, paddings: AxisPaddings, mode: 'reflect' | 'symmetric'): Tensor {
  const gap = mode === 'reflect' ? 1 : 0;
  let folded = dy;
  for (const [axis, [before, after]] of paddings.entries()) {
    if (before === 0 && after === 0) continue;
    const size = folded.shape[axis]! - before - after;
    const part = (start: number, length: number): Tensor => {
      const begin = folded.shape.map((_, a) => (a === axis ? start : 0));
      return tf.slice(
        folded,
        begin,
        folded.shape.map((length_, a) => (a === axis ? length : length_)),
      );
    };
    const placed = (start: number, length: number, at: number): Tensor =>
      tf.pad(
        tf.reverse(part(start, length), axis),
        folded.shape.map((_, a) => (a === axis ? [at, size - at - length] : [0, 0])),
      );
    let sum = part(before, size);
    if (before > 0) sum = tf.add(sum, placed(0, before, gap));
    if (after > 0) sum = tf.add(sum, placed(before + size, after, size - gap - after));
    folded = sum;
  }
  return folded;
}
