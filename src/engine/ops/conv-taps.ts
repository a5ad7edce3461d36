import { tf, type Tensor, type Tensor4D } from '../tf.js';
import { withGradient } from './custom-gradient.js';

/**
 * Convolutions of the engines without TensorFlow: the forward kernel of tfjs, and gradients filter weight by filter
 * weight. Their kernels lack dilated and grouped gradients, and wasm has no filter gradient at all. Only the image
 * and the filter are kept for the backward pass: shifted copies of them would fill the memory of wasm.
 * Images come padded.
 */

export interface ConvGeometry {
  readonly stride: number;
  readonly dilation: number;
  readonly groups: number;
}

interface Geometry extends ConvGeometry {
  /** Rows and columns of the result. */
  readonly out: readonly [number, number];
}

const geometryOf = (x: Tensor4D, filter: Tensor4D, resolved: ConvGeometry): Geometry => {
  const size = (axis: 1 | 2): number =>
    Math.floor((x.shape[axis] - (filter.shape[axis - 1]! - 1) * resolved.dilation - 1) / resolved.stride) + 1;
  return { ...resolved, out: [size(1), size(2)] };
};

/** [batch, height, width, channels] * [rows, columns, channels / groups, outChannels], unpadded. */
export function groupedConv2d(x: Tensor4D, filter: Tensor4D, resolved: ConvGeometry): Tensor4D {
  if (resolved.groups === 1) return composedConv2d(x, filter, resolved);
  const inputs = tf.split(x, resolved.groups, 3) as Tensor4D[];
  const filters = tf.split(filter, resolved.groups, 3) as Tensor4D[];
  const outputs = inputs.map((input, group) => composedConv2d(input, filters[group]!, resolved));
  return tf.concat(outputs, 3);
}

function composedConv2d(x: Tensor4D, filter: Tensor4D, resolved: ConvGeometry): Tensor4D {
  const geometry = geometryOf(x, filter, resolved);
  const { stride, dilation } = resolved;
  const [rows, columns, inChannels, outChannels] = filter.shape;
  return withGradient<Tensor4D>([x, filter], (image, kernel) => ({
    value: tf.conv2d(image as Tensor4D, kernel as Tensor4D, stride, 'valid', 'NHWC', dilation),
    saved: [image!, kernel!],
    backward: (dy, [savedImage, savedKernel]) => {
      const slopes = dy.reshape([-1, outChannels]);
      const tapKernel = ([row, column]: Tap): Tensor =>
        savedKernel!
          .slice([row, column, 0, 0], [1, 1, inChannels, outChannels])
          .reshape([inChannels, outChannels]);
      return [
        () =>
          sumOverTaps(rows, columns, (tap) => {
            const flat = tf.matMul(slopes, tapKernel(tap), false, true);
            return scatterTap(
              flat.reshape([x.shape[0], ...geometry.out, inChannels]),
              x.shape,
              tap,
              geometry,
            );
          }),
        () =>
          stackTaps(rows, columns, filter.shape, (tap) => {
            const view = tapView(savedImage as Tensor4D, tap, geometry).reshape([-1, inChannels]);
            return tf.matMul(view, slopes, true, false);
          }),
      ];
    },
  }));
}

/** [batch, height, width, channels] * [rows, columns, channels, 1], unpadded. */
export function composedDepthwise(x: Tensor4D, filter: Tensor4D, resolved: ConvGeometry): Tensor4D {
  const geometry = geometryOf(x, filter, resolved);
  const { stride, dilation } = resolved;
  const [rows, columns, channels] = filter.shape;
  return withGradient<Tensor4D>([x, filter], (image, kernel) => ({
    value: tf.depthwiseConv2d(image as Tensor4D, kernel as Tensor4D, stride, 'valid', 'NHWC', dilation),
    saved: [image!, kernel!],
    backward: (dy, [savedImage, savedKernel]) => [
      () =>
        sumOverTaps(rows, columns, (tap) => {
          const weight = savedKernel!.slice([...tap, 0, 0], [1, 1, channels, 1]).reshape([1, 1, 1, channels]);
          return scatterTap(tf.mul(dy, weight), x.shape, tap, geometry);
        }),
      () =>
        stackTaps(rows, columns, filter.shape, (tap) =>
          tf.mul(tapView(savedImage as Tensor4D, tap, geometry), dy).sum([0, 1, 2]),
        ),
    ],
  }));
}

/** Row and column of one filter weight. */
type Tap = readonly [row: number, column: number];

const tapsOf = (rows: number, columns: number): Tap[] =>
  Array.from(
    { length: rows * columns },
    (_, index) => [Math.floor(index / columns), index % columns] as const,
  );

/** Adds up as it goes: one image at a time is alive beside the sum. */
function sumOverTaps(rows: number, columns: number, part: (tap: Tap) => Tensor): Tensor {
  let sum: Tensor | undefined;
  for (const tap of tapsOf(rows, columns)) {
    const before: Tensor | undefined = sum;
    sum = tf.tidy(() => (before ? tf.add(before, part(tap)) : part(tap)));
    before?.dispose();
  }
  return sum!;
}

const stackTaps = (rows: number, columns: number, shape: number[], part: (tap: Tap) => Tensor): Tensor =>
  tf.tidy(() => tf.stack(tapsOf(rows, columns).map((tap) => tf.tidy(() => part(tap)))).reshape(shape));

/**
 * The part of the image that a filter weight sees: [batch, outHeight, outWidth, channels]. With a stride, pixels
 * are taken by reshaping to [.., out, stride, ..] and keeping the first.
 */
function tapView(x: Tensor4D, tap: Tap, { out, stride, dilation }: Geometry): Tensor {
  const [batch, height, width, channels] = x.shape;
  const [row, column] = [tap[0] * dilation, tap[1] * dilation];
  const [outHeight, outWidth] = out;
  if (stride === 1) return x.slice([0, row, column, 0], [batch, outHeight, outWidth, channels]);
  const below = Math.max(0, row + outHeight * stride - height);
  const right = Math.max(0, column + outWidth * stride - width);
  const padded =
    below + right > 0
      ? tf.pad4d(x, [
          [0, 0],
          [0, below],
          [0, right],
          [0, 0],
        ])
      : x;
  return padded
    .slice([0, row, column, 0], [batch, outHeight * stride, outWidth * stride, channels])
    .reshape([batch * outHeight, stride, outWidth, stride * channels])
    .slice([0, 0, 0, 0], [batch * outHeight, 1, outWidth, channels])
    .reshape([batch, outHeight, outWidth, channels]);
}

/** The reverse of `tapView`: an image of `shape` with `part` where the weight sees it, and zeros elsewhere. */
function scatterTap(
  part: Tensor,
  shape: readonly number[],
  tap: Tap,
  { out, stride, dilation }: Geometry,
): Tensor {
  const [batch, height, width, channels] = shape as [number, number, number, number];
  const [row, column] = [tap[0] * dilation, tap[1] * dilation];
  const [outHeight, outWidth] = out;
  const spread =
    stride === 1
      ? part
      : tf
          .pad4d(part.reshape([batch * outHeight, 1, outWidth, channels]) as Tensor4D, [
            [0, 0],
            [0, stride - 1],
            [0, 0],
            [0, (stride - 1) * channels],
          ])
          .reshape([batch, outHeight * stride, outWidth * stride, channels]);
  // the zeros after the last pixel may reach past the border
  const fitHeight = Math.min(outHeight * stride, height - row);
  const fitWidth = Math.min(outWidth * stride, width - column);
  const fitted = spread.slice([0, 0, 0, 0], [batch, fitHeight, fitWidth, channels]) as Tensor4D;
  return tf.pad4d(fitted, [
    [0, 0],
    [row, height - row - fitHeight],
    [column, width - column - fitWidth],
    [0, 0],
  ]);
}
