import { sizeOf } from '../../shapes.js';
import { isNative } from '../engine.js';
import { tf, type Tensor, type Tensor1D } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { rawOp } from './raw.js';

/**
 * Elements of `x` along an axis, in the order of `indices`. Differentiable in x.
 * @param x any shape and type
 * @param indices int32, any shape; each 0 … size of the axis − 1, repeats allowed
 * @returns the shape of x with the axis replaced by the axes of `indices`
 */
export function gather(x: Tensor, indices: Tensor, axis = 0): Tensor {
  const { shape } = x;
  const at = axis < 0 ? axis + x.rank : axis;
  // indices are no input of the pass: they carry no gradient, wherever they come from
  return withGradient([x], (input) => ({
    value: tf.gather(input!, indices as Tensor1D, at),
    saved: [indices],
    backward: (dy, [savedIndex]) => [gatherBackward(dy, savedIndex!, shape, at)],
  }));
}

/** Brings the gathered axes to the front, adds the rows up, and puts the axis back. */
function gatherBackward(dy: Tensor, indices: Tensor, shape: readonly number[], axis: number): Tensor {
  const rest = shape.filter((_, a) => a !== axis);
  const gathered = Array.from({ length: indices.rank }, (_, i) => axis + i);
  const others = Array.from({ length: dy.rank }, (_, i) => i).filter((i) => !gathered.includes(i));
  const rows = transposed(dy, [...gathered, ...others]).reshape([indices.size, sizeOf(rest)]);
  const sums = addRows(rows, indices.reshape([-1]), shape[axis]!).reshape([shape[axis]!, ...rest]);
  const back = Array.from({ length: shape.length }, (_, i) => (i === axis ? 0 : i < axis ? i + 1 : i));
  return transposed(sums, back);
}

const transposed = (x: Tensor, order: number[]): Tensor =>
  order.every((axis, position) => axis === position) ? x : tf.transpose(x, order);

/** Sum of the rows [count, ...] that share an index [count], int32: [rowCount, ...]. No gradient of its own. */
export function addRows(rows: Tensor, indices: Tensor, rowCount: number): Tensor {
  if (!isNative()) return tf.scatterND(indices.expandDims(1), rows, [rowCount, ...rows.shape.slice(1)]);
  const attributes = {
    T: { type: 'float32' },
    Tindices: { type: 'int32' },
    Tnumsegments: { type: 'int32' },
  } as const;
  return rawOp('UnsortedSegmentSum', [rows, indices, tf.scalar(rowCount, 'int32')], attributes)[0]!;
}

/**
 * Elements or slices of `x` at coordinates. Differentiable in x.
 * @param indices [..., depth], int32: coordinates of the first `depth` axes of x
 * @returns [..., remaining axes of x]
 */
export function gatherND(x: Tensor, indices: Tensor): Tensor {
  const { shape } = x;
  const depth = indices.shape.at(-1)!;
  const count = indices.size / depth;
  return withGradient([x], (input) => ({
    value: tf.gatherND(input!, indices),
    saved: [indices],
    backward: (dy, [savedIndex]) => {
      const rows = dy.reshape([count, ...shape.slice(depth)]);
      return [tf.scatterND(savedIndex!.reshape([count, depth]), rows, [...shape])];
    },
  }));
}

/**
 * Adds each update onto a row of zeros; updates of one row add up. Differentiable in the updates.
 * @param updates [count, ...rest], float32
 * @param indices [count], int32, each 0 … rowCount − 1
 * @returns [rowCount, ...rest]
 */
export function scatterAdd(updates: Tensor, indices: Tensor, rowCount: number): Tensor {
  return withGradient([updates], (rows) => ({
    value: addRows(rows!, indices, rowCount),
    saved: [indices],
    backward: (dy, [savedIndex]) => [tf.gather(dy, savedIndex as Tensor1D)],
  }));
}

/**
 * Of each row the elements that its indices name. Differentiable in x.
 * @param x [..., size]
 * @param indices [..., count], int32, same leading axes
 * @returns [..., count]
 */
export function takeAlongLastAxis(x: Tensor, indices: Tensor): Tensor {
  return tf.tidy(() => {
    const size = x.shape.at(-1)!;
    const rowCount = x.size / size;
    const rows = indices.reshape([rowCount, indices.shape.at(-1)!]);
    const flat = tf.add(rows, tf.range(0, rowCount * size, size, 'int32').expandDims(1)).toInt();
    return gather(x.reshape([-1]), flat.reshape([-1])).reshape(indices.shape);
  });
}
