import { isNative } from '../engine.js';
import { tf, type Tensor, type Tensor4D } from '../tf.js';
import { convAttributes, shapeTensor } from './conv-attributes.js';
import { withGradient } from './custom-gradient.js';
import { linear } from './linear.js';
import { toPair, type Pair } from './pair.js';
import { rawOp } from './raw.js';
import { stridedSlice } from './slice.js';

export interface ConvTransposeOptions {
  readonly stride: Pair;
  /** Rows and columns cut from every side of the result; default 0. */
  readonly padding?: Pair;
  /** Rows and columns kept at the bottom and right of the result only; default 0. */
  readonly outputPadding?: Pair;
}

/** The convolution (without padding) whose gradient this is. */
interface Geometry {
  /** [batch, height, width, outChannels] before the padding is cut. */
  readonly full: readonly [number, number, number, number];
  readonly stride: readonly [number, number];
}

/**
 * Transposed 2-D convolution without bias, sized as PyTorch's: (height − 1) · stride − 2 · padding + kernel +
 * outputPadding. Differentiable in both arguments.
 * @param x [batch, height, width, inChannels]
 * @param filter [filterHeight, filterWidth, outChannels, inChannels]
 * @returns [batch, outHeight, outWidth, outChannels]
 */
export function conv2dTranspose(x: Tensor, filter: Tensor, options: ConvTransposeOptions): Tensor4D {
  const [batch, height, width] = (x as Tensor4D).shape;
  const [rows, columns, outChannels] = (filter as Tensor4D).shape;
  const stride = toPair(options.stride);
  const padding = toPair(options.padding ?? 0);
  const extra = toPair(options.outputPadding ?? 0);
  const full = [
    batch,
    (height - 1) * stride[0] + rows + extra[0],
    (width - 1) * stride[1] + columns + extra[1],
    outChannels,
  ] as const;
  const isOfBlocks = rows === stride[0] && columns === stride[1] && extra[0] + extra[1] === 0;
  return tf.tidy(() => {
    const spread =
      isNative() && isOfBlocks && outChannels < FEW_CHANNELS
        ? blocksByProduct(x as Tensor4D, filter as Tensor4D)
        : transposedFull(x as Tensor4D, filter as Tensor4D, { full, stride });
    if (padding[0] + padding[1] === 0) return spread;
    const size: [number, number, number, number] = [
      batch,
      full[1] - 2 * padding[0],
      full[2] - 2 * padding[1],
      outChannels,
    ];
    return tf.slice4d(spread, [0, ...padding, 0], size);
  });
}

/** Of so few, convolutions leave most of a vector of the processor empty: the product takes a quarter to half of the time. */
const FEW_CHANNELS = 16;

/** Every pixel becomes a block by itself, where blocks do not overlap. */
function blocksByProduct(x: Tensor4D, filter: Tensor4D): Tensor4D {
  const [batch, height, width, inChannels] = x.shape;
  const [rows, columns, outChannels] = filter.shape;
  const kernel = tf.transpose(filter, [3, 0, 1, 2]).reshape([inChannels, rows * columns * outChannels]);
  const blocks = linear(x, kernel).reshape([batch, height, width, rows, columns, outChannels]);
  return tf
    .transpose(blocks, [0, 1, 3, 2, 4, 5])
    .reshape([batch, height * rows, width * columns, outChannels]);
}

function transposedFull(x: Tensor4D, filter: Tensor4D, geometry: Geometry): Tensor4D {
  const { full, stride } = geometry;
  const attributes = convAttributes('Conv2D', { stride, padding: 'VALID' });
  return withGradient<Tensor4D>([x, filter], (input, kernel) => ({
    value: isNative()
      ? (rawOp('Conv2DBackpropInput', [shapeTensor(full), kernel!, input!], attributes)[0] as Tensor4D)
      : tf.conv2dTranspose(input as Tensor4D, kernel as Tensor4D, [...full], [...stride], 'valid'),
    saved: [input!, kernel!],
    backward: (dy, [savedInput, savedKernel]) => [
      () =>
        isNative()
          ? rawOp('Conv2D', [dy, savedKernel!], attributes)[0]!
          : tf.conv2d(dy, savedKernel as Tensor4D, [...stride], 'valid'),
      () =>
        isNative()
          ? rawOp('Conv2DBackpropFilter', [dy, shapeTensor(savedKernel!.shape), savedInput!], attributes)[0]!
          : filterGradientByTaps(dy, savedInput as Tensor4D, savedKernel!.shape, stride),
    ],
  }));
}

/** One product a filter tap: what the tap wrote to (of dy), times what it read (of x). */
function filterGradientByTaps(
  dy: Tensor4D,
  x: Tensor4D,
  [rows, columns, outChannels, inChannels]: number[],
  [strideRows, strideColumns]: readonly [number, number],
): Tensor {
  const [batch, height, width] = x.shape;
  const read = x.reshape([-1, inChannels!]);
  const taps: Tensor[] = [];
  for (let row = 0; row < rows!; row++) {
    for (let column = 0; column < columns!; column++) {
      const end = [
        batch,
        row + (height - 1) * strideRows + 1,
        column + (width - 1) * strideColumns + 1,
        outChannels!,
      ];
      const written = stridedSlice(dy, [0, row, column, 0], end, [1, strideRows, strideColumns, 1]);
      taps.push(tf.matMul(written.reshape([-1, outChannels!]), read, true, false));
    }
  }
  return tf.stack(taps).reshape([rows!, columns!, outChannels!, inChannels!]);
}
