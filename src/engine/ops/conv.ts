import { isNative } from '../engine.js';
import { tf, type Tensor4D } from '../tf.js';
import { convAttributes, shapeTensor } from './conv-attributes.js';
import { composedDepthwise, groupedConv2d, type ConvGeometry } from './conv-taps.js';
import { isGradientTaken, withGradient } from './custom-gradient.js';
import { convolutionKernel, hasKernel, type GivenNormalization } from './onednn.js';
import { rawOp } from './raw.js';
import { isWinograd, winogradConv2d, winogradFilterGradient, winogradInputGradient } from './winograd.js';

/** Rows and columns added before and after: `[[top, bottom], [left, right]]`. */
export type ExplicitPadding = readonly [readonly [number, number], readonly [number, number]];

/** `same` is TensorFlow's rule (the odd pixel goes after); `valid` adds nothing. */
export type Padding = 'same' | 'valid' | ExplicitPadding;

export interface ConvOptions {
  /** Rows and columns alike; default 1. */
  readonly stride?: number;
  /** Default `same`. */
  readonly padding?: Padding;
  /** Default 1. */
  readonly dilation?: number;
  /** Channel groups, each convolved on its own; default 1. */
  readonly groups?: number;
}

/**
 * 2-D convolution without bias.
 * @param x [batch, height, width, channels]
 * @param filter [filterHeight, filterWidth, channels / groups, outChannels]
 * @returns [batch, outHeight, outWidth, outChannels]; differentiable in both arguments on every engine
 */
export function conv2d(x: Tensor4D, filter: Tensor4D, options: ConvOptions = {}): Tensor4D {
  const resolved = {
    stride: options.stride ?? 1,
    dilation: options.dilation ?? 1,
    groups: options.groups ?? 1,
  };
  const padding = resolvePadding(x, filter, options.padding ?? 'same', resolved);
  return tf.tidy(() =>
    isNative()
      ? nativeConv2d(x, filter, padding, resolved)
      : groupedConv2d(padExplicit(x, padding), filter, resolved),
  );
}

/**
 * Convolution, batch normalisation with given statistics, the sum with `added` and, if `isClipped`, max(x, 0), in one
 * pass. No gradient.
 * @returns undefined where the engine has no such kernel, and while a gradient is being taken
 */
export function conv2dNormalized(
  x: Tensor4D,
  filter: Tensor4D,
  norm: GivenNormalization,
  options: Omit<ConvOptions, 'groups'> & {
    readonly isClipped: boolean;
    readonly added?: Tensor4D | undefined;
  },
): Tensor4D | undefined {
  if (isGradientTaken() || !hasKernel('convolution')) return undefined;
  const { stride = 1, dilation = 1, isClipped, added } = options;
  const padding = resolvePadding(x, filter, options.padding ?? 'same', { stride, dilation, groups: 1 });
  if (isWinograd(x.shape, filter, { stride, dilation, padding })) return undefined;
  return convolutionKernel(x, filter, norm, { stride, dilation, padding, isClipped, added }) as Tensor4D;
}

/**
 * Depthwise 2-D convolution without bias: every channel has its own filter.
 * @param x [batch, height, width, channels]
 * @param filter [filterHeight, filterWidth, channels, 1]
 * @returns [batch, outHeight, outWidth, channels]; differentiable in both arguments on every engine
 */
export function depthwiseConv2d(
  x: Tensor4D,
  filter: Tensor4D,
  options: Omit<ConvOptions, 'groups'> = {},
): Tensor4D {
  const resolved = { stride: options.stride ?? 1, dilation: options.dilation ?? 1, groups: 1 };
  const padding = resolvePadding(x, filter, options.padding ?? 'same', resolved);
  return tf.tidy(() =>
    isNative()
      ? nativeDepthwise(x, filter, padding, resolved)
      : composedDepthwise(padExplicit(x, padding), filter, resolved),
  );
}

/** Both sides as numbers, so that every engine pads alike. */
function resolvePadding(
  x: Tensor4D,
  filter: Tensor4D,
  padding: Padding,
  resolved: ConvGeometry,
): ExplicitPadding {
  if (padding === 'valid') return NO_PADDING;
  return padding === 'same' ? samePadding(x, filter, resolved) : padding;
}

/** TensorFlow's rule: output size ⌈size / stride⌉, the odd pixel below and at the right. */
function samePadding(x: Tensor4D, filter: Tensor4D, { stride, dilation }: ConvGeometry): ExplicitPadding {
  const side = (size: number, filterSize: number): [number, number] => {
    const reach = (filterSize - 1) * dilation + 1;
    const total = Math.max(0, (Math.ceil(size / stride) - 1) * stride + reach - size);
    return [Math.floor(total / 2), total - Math.floor(total / 2)];
  };
  return [side(x.shape[1], filter.shape[0]), side(x.shape[2], filter.shape[1])];
}

const NO_PADDING: ExplicitPadding = [
  [0, 0],
  [0, 0],
];

const equalPadding = (a: ExplicitPadding, b: ExplicitPadding): boolean => a.flat().join() === b.flat().join();

function padExplicit(x: Tensor4D, [rows, columns]: ExplicitPadding): Tensor4D {
  if (equalPadding([rows, columns], NO_PADDING)) return x;
  return tf.pad4d(x, [[0, 0], [...rows], [...columns], [0, 0]]);
}

// ---- native engine: TensorFlow's own ops, forward and backward ----

/**
 * TensorFlow's fast kernels know `SAME` and `VALID`; its gradients of explicit padding take five times as
 * long. So padding that equals `SAME` is called so, and any other is added to the image beforehand.
 */
function nativeConv2d(
  x: Tensor4D,
  filter: Tensor4D,
  padding: ExplicitPadding,
  resolved: ConvGeometry,
): Tensor4D {
  if (!isWinograd(x.shape, filter, { ...resolved, padding }))
    return nativeConvolution('Conv2D', x, filter, padding, resolved);
  const around = padding[0][0];
  return withGradient<Tensor4D>([x, filter], (input, kernel) => ({
    value: winogradConv2d(input as Tensor4D, kernel as Tensor4D, around),
    saved: [input!, kernel!],
    backward: (dy, saved) => {
      const [savedInput, savedKernel] = saved as [Tensor4D, Tensor4D];
      return [
        () => winogradInputGradient(dy, savedKernel, around),
        () => winogradFilterGradient(savedInput, dy, around),
      ];
    },
  }));
}

function nativeDepthwise(
  x: Tensor4D,
  filter: Tensor4D,
  padding: ExplicitPadding,
  resolved: ConvGeometry,
): Tensor4D {
  if (resolved.dilation > 1) return dilatedDepthwise(padExplicit(x, padding), filter, resolved);
  return nativeConvolution('DepthwiseConv2dNative', x, filter, padding, resolved);
}

/** `op` and its two backward ops, which take the same attributes. */
function nativeConvolution(
  op: 'Conv2D' | 'DepthwiseConv2dNative',
  image: Tensor4D,
  filter: Tensor4D,
  padding: ExplicitPadding,
  resolved: ConvGeometry,
): Tensor4D {
  const { stride, dilation } = resolved;
  const isSame = equalPadding(padding, samePadding(image, filter, resolved));
  const x = isSame ? image : padExplicit(image, padding);
  const attributes = convAttributes(op, {
    ...{ stride: [stride, stride], dilation, padding: isSame ? 'SAME' : 'VALID' },
  });
  return withGradient<Tensor4D>([x, filter], (input, kernel) => ({
    value: rawOp(op, [input!, kernel!], attributes)[0] as Tensor4D,
    saved: [input!, kernel!],
    backward: (dy, saved) => {
      const [savedInput, savedKernel] = saved as [Tensor4D, Tensor4D];
      return [
        () => rawOp(`${op}BackpropInput`, [shapeTensor(savedInput.shape), savedKernel, dy], attributes)[0]!,
        () => rawOp(`${op}BackpropFilter`, [savedInput, shapeTensor(savedKernel.shape), dy], attributes)[0]!,
      ];
    },
  }));
}

/** A grouped convolution with one channel a group; TensorFlow's depthwise op has no dilated gradient. */
function dilatedDepthwise(x: Tensor4D, filter: Tensor4D, resolved: ConvGeometry): Tensor4D {
  const [rows, columns, channels] = filter.shape;
  const grouped = filter.reshape([rows, columns, 1, channels]) as Tensor4D;
  return nativeConv2d(x, grouped, NO_PADDING, { ...resolved, groups: channels });
}
