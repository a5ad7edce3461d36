import { InputError } from '../../errors.js';
import { isNative } from '../engine.js';
import { tf, type Tensor, type Tensor4D } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { addRows } from './gather.js';
import { adaptiveRange } from './interpolation-matrix.js';
import { toPair, type Pair } from './pair.js';
import { rawOp } from './raw.js';
import { resize } from './resize.js';
import { spread, stridedSlice } from './slice.js';

export interface PoolOptions {
  readonly kernel: Pair;
  /** Default: the kernel's size. */
  readonly stride?: Pair;
  /** Rows and columns added on both sides; at most half the kernel. Default 0. */
  readonly padding?: Pair;
}

export interface AvgPoolOptions extends PoolOptions {
  /** Divide by the kernel's whole area, padding included (PyTorch's default, true), or by what lies inside. */
  readonly countPadding?: boolean;
}

/** Padding as four numbers an axis pair, the form tfjs and TensorFlow both take. */
type ExplicitPad = [[number, number], [number, number], [number, number], [number, number]];

interface Window {
  readonly kernel: readonly [number, number];
  readonly stride: readonly [number, number];
  readonly pad: ExplicitPad;
  readonly isPadded: boolean;
}

/**
 * Largest value of each window; padding counts as −∞. Differentiable in x (the first of equal values takes it).
 * @param x [batch, height, width, channels]
 * @returns [batch, ⌊(height + 2·padding − kernel) / stride⌋ + 1, …, channels]
 * @throws InputError POOL_PADDING where padding exceeds half the kernel
 */
export function maxPool2d(x: Tensor, options: PoolOptions): Tensor4D {
  const window = resolveWindow(options);
  return (isNative() ? nativeMaxPool : composedMaxPool)(x as Tensor4D, window);
}

/** Mean of each window; padding counts as 0. Differentiable in x. Shapes and errors as `maxPool2d`. */
export function avgPool2d(x: Tensor, options: AvgPoolOptions): Tensor4D {
  const window = resolveWindow(options);
  return tf.tidy(() => {
    const padded = window.isPadded ? tf.pad(x, window.pad) : x;
    const mean = tf.avgPool(padded as Tensor4D, [...window.kernel], [...window.stride], 'valid');
    if (!window.isPadded || (options.countPadding ?? true)) return mean;
    return tf.mul(mean, insideCorrection(x as Tensor4D, mean, window)) as Tensor4D;
  });
}

/**
 * Mean over an even division of the image (PyTorch's adaptive average; windows may overlap). Differentiable in x.
 * @param x [batch, height, width, channels]
 * @returns [batch, size[0], size[1], channels]
 */
export const adaptiveAvgPool2d = (x: Tensor, size: readonly [number, number]): Tensor4D =>
  resize(x, size, { mode: 'area' });

/** Largest value over the same division; otherwise as `adaptiveAvgPool2d`. Meant for small result sizes. */
export function adaptiveMaxPool2d(x: Tensor, size: readonly [number, number]): Tensor4D {
  const [batch, height, width, channels] = (x as Tensor4D).shape;
  return tf.tidy(() => {
    const cell = (row: number, column: number): Tensor4D => {
      const [top, bottom] = adaptiveRange(height, size[0], row);
      const [left, right] = adaptiveRange(width, size[1], column);
      const kernel: [number, number] = [bottom - top, right - left];
      const part = tf.slice(x, [0, top, left, 0], [batch, ...kernel, channels]);
      return maxPool2d(part, { kernel });
    };
    const rows = Array.from({ length: size[0] }, (_, row) =>
      tf.concat(
        Array.from({ length: size[1] }, (__, column) => cell(row, column)),
        2,
      ),
    );
    return tf.concat(rows, 1) as Tensor4D;
  });
}

/** Mean over the whole image: [batch, height, width, channels] → [batch, channels]. Differentiable in x. */
export const globalAvgPool2d = (x: Tensor): Tensor => tf.mean(x, [1, 2]);

function resolveWindow(options: PoolOptions): Window {
  const kernel = toPair(options.kernel);
  const [padRows, padColumns] = toPair(options.padding ?? 0);
  if (padRows * 2 > kernel[0] || padColumns * 2 > kernel[1]) {
    throw new InputError('POOL_PADDING', 'A pooling window can lie wholly in the padding.', {
      where: `padding [${padRows}, ${padColumns}], kernel [${kernel.join(', ')}]`,
      hint: 'Pad by at most half the kernel.',
    });
  }
  return {
    kernel,
    stride: toPair(options.stride ?? kernel),
    pad: [
      [0, 0],
      [padRows, padRows],
      [padColumns, padColumns],
      [0, 0],
    ],
    isPadded: padRows + padColumns > 0,
  };
}

function nativeMaxPool(x: Tensor4D, { kernel, stride, pad, isPadded }: Window): Tensor4D {
  const attributes = {
    T: { type: 'float32' },
    ksize: { int: [1, ...kernel, 1] },
    strides: { int: [1, ...stride, 1] },
    padding: { text: isPadded ? 'EXPLICIT' : 'VALID' },
    explicit_paddings: { int: isPadded ? pad.flat() : [] },
    data_format: { text: 'NHWC' },
  } as const;
  return withGradient<Tensor4D>([x], (input) => {
    const value = rawOp('MaxPool', [input!], attributes)[0] as Tensor4D;
    return {
      value,
      saved: [input!, value],
      backward: (dy, saved) => [
        isGpu()
          ? rawOp('MaxPoolGrad', [...saved, dy], attributes)[0]!
          : argmaxBackward(dy, saved[0] as Tensor4D, { kernel, stride, pad, isPadded }),
      ],
    };
  });
}

const isGpu = (): boolean =>
  (tf.backend() as unknown as { isUsingGpuDevice?: boolean }).isUsingGpuDevice ?? false;

/** On the processor a third of the time that TensorFlow's own MaxPoolGrad takes, and the same elements win. */
function argmaxBackward(dy: Tensor4D, x: Tensor4D, { kernel, stride, pad, isPadded }: Window): Tensor {
  const padded = isPadded ? tf.pad(x, pad, -Infinity) : x;
  const winners = rawOp(
    'MaxPoolWithArgmax',
    [padded],
    {
      T: { type: 'float32' },
      Targmax: { type: 'int32' },
      ksize: { int: [1, ...kernel, 1] },
      strides: { int: [1, ...stride, 1] },
      padding: { text: 'VALID' },
      include_batch_in_index: { bool: true },
    },
    2,
  )[1]!;
  const sums = addRows(dy.reshape([-1]), winners.reshape([-1]), padded.size).reshape(padded.shape);
  return isPadded
    ? tf.slice(
        sums,
        pad.map(([before]) => before),
        x.shape,
      )
    : sums;
}

/** The gradient by hand: wasm's kernel takes 0 for the largest value of a negative window. */
function composedMaxPool(x: Tensor4D, { kernel, stride, pad, isPadded }: Window): Tensor4D {
  return withGradient<Tensor4D>([x], (input) => {
    const value = tf.maxPool(input as Tensor4D, [...kernel], [...stride], isPadded ? pad : 'valid');
    return {
      value,
      saved: [input!, value],
      backward: (dy, [savedInput, largest]) => {
        const padded = isPadded ? tf.pad(savedInput!, pad, -Infinity) : savedInput!;
        const sum = maxPoolBackward(dy, padded as Tensor4D, largest as Tensor4D, kernel, stride);
        return [
          isPadded
            ? tf.slice(
                sum,
                pad.map(([before]) => before),
                x.shape,
              )
            : sum,
        ];
      },
    };
  });
}

/** Tap by tap: the first element of a window that equals its largest value takes the gradient. */
function maxPoolBackward(
  dy: Tensor4D,
  padded: Tensor4D,
  largest: Tensor4D,
  [rows, columns]: readonly [number, number],
  stride: readonly [number, number],
): Tensor {
  const [batch, outHeight, outWidth, channels] = largest.shape;
  const strides = [1, ...stride, 1];
  let sum: Tensor = tf.zerosLike(padded);
  let rest: Tensor = dy;
  for (let tap = 0; tap < rows * columns; tap++) {
    const begin = [0, Math.floor(tap / columns), tap % columns, 0];
    const end = [
      batch,
      begin[1]! + (outHeight - 1) * stride[0] + 1,
      begin[2]! + (outWidth - 1) * stride[1] + 1,
      channels,
    ];
    const isLargest = tf.equal(stridedSlice(padded, begin, end, strides), largest);
    const none = tf.zerosLike(rest);
    sum = tf.add(sum, spread(tf.where(isLargest, rest, none), padded.shape, begin, strides));
    rest = tf.where(isLargest, none, rest);
  }
  return sum;
}

/** Kernel area over the number of window elements inside the image: [1, outHeight, outWidth, 1]. */
function insideCorrection(x: Tensor4D, mean: Tensor4D, { kernel, stride, pad }: Window): Tensor {
  const inside = (axis: 0 | 1): number[] =>
    Array.from({ length: mean.shape[axis + 1]! }, (_, out) => {
      const start = out * stride[axis] - pad[axis + 1]![0];
      return Math.min(x.shape[axis + 1]!, start + kernel[axis]) - Math.max(0, start);
    });
  const factors = inside(0).flatMap((rows) =>
    inside(1).map((columns) => (kernel[0] * kernel[1]) / (rows * columns)),
  );
  return tf.tensor(factors, [1, mean.shape[1], mean.shape[2], 1], 'float32');
}
