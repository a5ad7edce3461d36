import { isNative } from '../engine.js';
import { tf, type Tensor } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { linear } from './linear.js';
import { rawOp } from './raw.js';
import { stridedSlice } from './slice.js';

/** One number for time, rows and columns alike, or [time, rows, columns]. */
export type Triple = number | readonly [time: number, rows: number, columns: number];

export interface Conv3dOptions {
  /** Default 1. */
  readonly stride?: Triple;
  /** Elements added on both sides of time, rows and columns; default 0. */
  readonly padding?: Triple;
}

type Tensor5D = ReturnType<typeof tf.tensor5d>;
type Three = readonly [number, number, number];

const toTriple = (value: Triple): Three => (typeof value === 'number' ? [value, value, value] : value);

/**
 * 3-D convolution without bias. Differentiable in both arguments.
 * @param x [batch, time, height, width, channels]
 * @param filter [filterTime, filterHeight, filterWidth, channels, outChannels]
 * @returns [batch, outTime, outHeight, outWidth, outChannels]
 */
export function conv3d(x: Tensor, filter: Tensor, options: Conv3dOptions = {}): Tensor5D {
  const stride = toTriple(options.stride ?? 1);
  const padding = toTriple(options.padding ?? 0);
  return tf.tidy(() => {
    const isPadded = padding.some((side) => side > 0);
    const sides = [0, ...padding, 0].map((side): [number, number] => [side, side]);
    const padded = (isPadded ? tf.pad(x, sides) : x) as Tensor5D;
    const kernel = filter as Tensor5D;
    if (stride.every((step, axis) => step === kernel.shape[axis])) return patches(padded, kernel, stride);
    return isNative() ? native(padded, kernel, stride) : byTaps(padded, kernel, stride);
  });
}

const outSizes = (x: Tensor5D, filter: Tensor5D, stride: Three): Three =>
  stride.map(
    (step, axis) => Math.floor((x.shape[axis + 1]! - filter.shape[axis]!) / step) + 1,
  ) as unknown as Three;

/** Stride = filter: the windows do not overlap, so that one matrix product does (patch embedding). */
function patches(x: Tensor5D, filter: Tensor5D, stride: Three): Tensor5D {
  const [batch, , , , channels] = x.shape;
  const [time, height, width] = outSizes(x, filter, stride);
  const whole = [batch, time * stride[0], height * stride[1], width * stride[2], channels];
  const isWhole = whole.every((size, axis) => size === x.shape[axis]);
  const used = isWhole ? x : tf.slice(x, [0, 0, 0, 0, 0], whole);
  // time first, then the image: transposes of at most 6 axes, which every engine has
  const perTime = used.reshape([batch * time, stride[0], height, stride[1], width, stride[2] * channels]);
  const windows = tf.transpose(perTime, [0, 2, 4, 1, 3, 5]);
  const [rows, outChannels] = [stride[0] * stride[1] * stride[2] * channels, filter.shape[4]];
  const product = linear(windows.reshape([-1, rows]), filter.reshape([rows, outChannels]));
  return product.reshape([batch, time, height, width, outChannels]) as Tensor5D;
}

function native(x: Tensor5D, filter: Tensor5D, stride: Three): Tensor5D {
  const attributes = {
    T: { type: 'float32' },
    strides: { int: [1, ...stride, 1] },
    dilations: { int: [1, 1, 1, 1, 1] },
    padding: { text: 'VALID' },
    data_format: { text: 'NDHWC' },
  } as const;
  const forInput = { ...attributes, Tshape: { type: 'int32' } } as const;
  const shapeTensor = (t: Tensor): Tensor => tf.tensor1d(t.shape, 'int32');
  return withGradient<Tensor5D>([x, filter], (input, kernel) => ({
    value: rawOp('Conv3D', [input!, kernel!], attributes)[0] as Tensor5D,
    saved: [input!, kernel!],
    backward: (dy, [savedInput, savedKernel]) => [
      () => rawOp('Conv3DBackpropInputV2', [shapeTensor(savedInput!), savedKernel!, dy], forInput)[0]!,
      () => rawOp('Conv3DBackpropFilterV2', [savedInput!, shapeTensor(savedKernel!), dy], attributes)[0]!,
    ],
  }));
}

/** One product a filter tap, of ops whose gradients are right on every engine. */
function byTaps(x: Tensor5D, filter: Tensor5D, stride: Three): Tensor5D {
  const [times, rows, columns, channels, outChannels] = filter.shape;
  const out = outSizes(x, filter, stride);
  const products: Tensor[] = [];
  const kernels = filter.reshape([times * rows * columns, channels, outChannels]);
  for (let tap = 0; tap < times * rows * columns; tap++) {
    const at = [Math.floor(tap / (rows * columns)), Math.floor(tap / columns) % rows, tap % columns];
    const end = out.map((size, axis) => at[axis]! + (size - 1) * stride[axis]! + 1);
    const seen = stridedSlice(x, [0, ...at, 0], [x.shape[0], ...end, channels], [1, ...stride, 1]);
    const kernel = tf
      .slice(kernels, [tap, 0, 0], [1, channels, outChannels])
      .reshape([channels, outChannels]);
    products.push(linear(seen.reshape([-1, channels]), kernel));
  }
  return tf.addN(products).reshape([x.shape[0], ...out, outChannels]) as Tensor5D;
}
