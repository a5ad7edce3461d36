import { isNative } from '../engine.js';
import { tf, type Tensor } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { rawOp } from './raw.js';

/**
 * Every `strides[axis]`-th element of [begin, end) along each axis. Differentiable in x.
 * @param begin first element, 0 … size − 1, for every axis
 * @param end one past the last, at most the size, for every axis
 * @param strides positive, for every axis
 */
export function stridedSlice(
  x: Tensor,
  begin: readonly number[],
  end: readonly number[],
  strides: readonly number[],
): Tensor {
  const { shape } = x;
  return withGradient([x], (input) => ({
    value: tf.stridedSlice(input!, [...begin], [...end], [...strides]),
    saved: [],
    backward: (dy) => [
      isNative() ? nativeStridedBackward(dy, shape, begin, end, strides) : spread(dy, shape, begin, strides),
    ],
  }));
}

function nativeStridedBackward(
  dy: Tensor,
  shape: readonly number[],
  ...bounds: (readonly number[])[]
): Tensor {
  const numbers = [shape, ...bounds].map((list) => tf.tensor1d([...list], 'int32'));
  return rawOp('StridedSliceGrad', [...numbers, dy], {
    T: { type: 'float32' },
    Index: { type: 'int32' },
    begin_mask: { int: 0 },
    end_mask: { int: 0 },
    ellipsis_mask: { int: 0 },
    new_axis_mask: { int: 0 },
    shrink_axis_mask: { int: 0 },
  })[0]!;
}

/**
 * The elements of a strided slice at their places in `shape`, among zeros. Each becomes the first of a block of
 * `stride`.
 */
export function spread(
  dy: Tensor,
  shape: readonly number[],
  begin: readonly number[],
  strides: readonly number[],
): Tensor {
  let spreadOut = dy;
  for (const [axis, stride] of strides.entries()) {
    const count = spreadOut.shape[axis]!;
    const before = spreadOut.shape.slice(0, axis);
    const after = spreadOut.shape.slice(axis + 1);
    const room = shape[axis]! - begin[axis]!;
    if (stride > 1) {
      const rows = before.reduce((a, b) => a * b, 1);
      const rest = after.reduce((a, b) => a * b, 1);
      const blocks = tf.pad(spreadOut.reshape([rows * count, 1, rest]), [
        [0, 0],
        [0, stride - 1],
        [0, 0],
      ]);
      const kept = Math.min(room, count * stride);
      spreadOut = tf
        .slice(blocks.reshape([rows, count * stride, rest]), [0, 0, 0], [rows, kept, rest])
        .reshape([...before, kept, ...after]);
    }
    const length = spreadOut.shape[axis]!;
    if (length < shape[axis]!) {
      const sides = shape.map((_, a) => (a === axis ? [begin[axis]!, room - length] : [0, 0]));
      spreadOut = tf.pad(spreadOut, sides as [number, number][]);
    }
  }
  return spreadOut;
}

/**
 * Moves elements along axes; what leaves at one end comes in at the other (shift 1: the last comes first).
 * Differentiable in x.
 * @param shifts one shift for each of `axes`, of either sign
 */
export function roll<T extends Tensor>(x: T, shifts: readonly number[], axes: readonly number[]): T {
  return withGradient<T>([x], (input) => ({
    value: rolled(input!, shifts, axes) as T,
    saved: [],
    backward: (dy) => [
      rolled(
        dy,
        shifts.map((shift) => -shift),
        axes,
      ),
    ],
  }));
}

function rolled(x: Tensor, shifts: readonly number[], axes: readonly number[]): Tensor {
  if (isNative()) {
    const numbers = [shifts, axes].map((list) => tf.tensor1d([...list], 'int32'));
    const attributes = {
      T: { type: x.dtype as 'float32' },
      Tshift: { type: 'int32' },
      Taxis: { type: 'int32' },
    } as const;
    return rawOp('Roll', [x, ...numbers], attributes)[0]!;
  }
  let result = tf.clone(x);
  for (const [index, axis] of axes.entries()) {
    const size = x.shape[axis]!;
    const shift = ((shifts[index]! % size) + size) % size;
    if (shift > 0) result = tf.concat(tf.split(result, [size - shift, shift], axis).reverse(), axis);
  }
  return result;
}

export interface CumulativeSumOptions {
  /** The element itself is left out of its sum; default false. */
  readonly exclusive?: boolean;
  /** Sums from the end; default false. */
  readonly reverse?: boolean;
}

/** Running sum along an axis. Differentiable in x. */
export function cumsum<T extends Tensor>(
  x: T,
  axis: number,
  { exclusive = false, reverse = false }: CumulativeSumOptions = {},
): T {
  return withGradient<T>([x], (input) => ({
    value: tf.cumsum(input!, axis, exclusive, reverse) as T,
    saved: [],
    backward: (dy) => [tf.cumsum(dy, axis, exclusive, !reverse)],
  }));
}
