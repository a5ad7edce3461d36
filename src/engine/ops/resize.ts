import { checkShape } from '../../shapes.js';
import { isNative } from '../engine.js';
import { isCounting } from '../shapes/backend-name.js';
import { tf, type Tensor, type Tensor4D } from '../tf.js';
import { withGradient } from './custom-gradient.js';
import { gather } from './gather.js';
import { interpolationMatrix, nearestIndices, type AxisResampling } from './interpolation-matrix.js';
import { rawOp } from './raw.js';

export type ResizeMode = 'nearest' | 'nearest-exact' | 'bilinear' | 'bicubic' | 'area';

export interface ResizeOptions {
  /** The words of PyTorch's `interpolate`. */
  readonly mode: ResizeMode;
  /** Corner pixels fall on corner pixels (bilinear, bicubic); default false: pixel centres at halves. */
  readonly alignCorners?: boolean;
  /** Widens the kernel when the image shrinks (bilinear, bicubic), as Pillow and timm do; default false. */
  readonly antialias?: boolean;
  /**
   * Factors of rows and columns that the size was computed from, where positions follow the factor rather
   * than the rounded size (PyTorch's `scale_factor`). Without effect under alignCorners and area.
   */
  readonly scale?: readonly [rows: number, columns: number];
}

/**
 * Resizes images with PyTorch's values and their gradient, on every engine.
 * @param x [batch, height, width, channels]; float32, or int32 for the nearest modes (labels)
 * @param size [height, width] of the result
 * @returns [batch, size[0], size[1], channels]; differentiable in x
 */
export function resize(x: Tensor, size: readonly [number, number], options: ResizeOptions): Tensor4D {
  checkShape('resize input', x.shape, { batch: null, height: null, width: null, channels: null });
  const image = x as Tensor4D;
  const { mode, alignCorners = false, antialias = false, scale } = options;
  // its matrices would count as the model's products
  if (isCounting()) return tf.image.resizeBilinear(image.toFloat(), [...size]);
  if (mode === 'nearest' || mode === 'nearest-exact') {
    return nearest(image, size, mode === 'nearest-exact', scale);
  }
  if (isNative() && mode === 'bilinear' && !antialias && !scale)
    return nativeBilinear(image, size, alignCorners);
  const axis = (index: 0 | 1): Float32Array | undefined => {
    const inSize = image.shape[index + 1]!;
    const outSize = size[index];
    const step = scale && 1 / scale[index];
    if (inSize === outSize && (step === undefined || step === 1) && !antialias) return undefined;
    const how: AxisResampling = { kind: mode, alignCorners, antialias, ...(step !== undefined && { step }) };
    return interpolationMatrix(inSize, outSize, how);
  };
  return resample(image, size, axis(0), axis(1));
}

// ---- separable: one matrix an axis, on every engine ----

/** Output = rows · x · columnsᵀ for every channel; a missing matrix leaves its axis as it is. */
function resample(
  x: Tensor4D,
  size: readonly [number, number],
  rows: Float32Array | undefined,
  columns: Float32Array | undefined,
): Tensor4D {
  const { shape } = x;
  return withGradient<Tensor4D>([x], (input) => ({
    value: alongColumns(alongRows(input as Tensor4D, rows, size[0], false), columns, size[1], false),
    saved: [],
    backward: (dy) => [alongRows(alongColumns(dy, columns, shape[2], true), rows, shape[1], true)],
  }));
}

/** [batch, height, …] → [batch, height', …] by one product a batch. */
function alongRows(
  x: Tensor4D,
  matrix: Float32Array | undefined,
  outSize: number,
  transpose: boolean,
): Tensor4D {
  if (!matrix) return x.clone() as Tensor4D;
  const [batch, height, width, channels] = x.shape;
  const weights = weightTensor(matrix, height, outSize, transpose);
  return tf
    .matMul(weights, x.reshape([batch, height, width * channels]), transpose, false)
    .reshape([batch, outSize, width, channels]);
}

/** [.., width, channels] → [.., width', channels] by one product a row. */
function alongColumns(
  x: Tensor4D,
  matrix: Float32Array | undefined,
  outSize: number,
  transpose: boolean,
): Tensor4D {
  if (!matrix) return x.clone() as Tensor4D;
  const [batch, height, width, channels] = x.shape;
  const weights = weightTensor(matrix, width, outSize, transpose);
  return tf
    .matMul(weights, x.reshape([batch * height, width, channels]), transpose, false)
    .reshape([batch, height, outSize, channels]);
}

/** The matrix as stored: [1, out, in] forward; backward reads the same numbers, [1, in-of-dy, out-of-dx]. */
const weightTensor = (matrix: Float32Array, inSize: number, outSize: number, transpose: boolean): Tensor =>
  tf.tensor(matrix, transpose ? [1, inSize, outSize] : [1, outSize, inSize], 'float32');

// ---- bilinear on the native engine ----

function nativeBilinear(x: Tensor4D, size: readonly [number, number], alignCorners: boolean): Tensor4D {
  const attributes = {
    T: { type: 'float32' },
    align_corners: { bool: alignCorners },
    half_pixel_centers: { bool: !alignCorners },
  } as const;
  return withGradient<Tensor4D>([x], (input) => ({
    value: rawOp('ResizeBilinear', [input!, tf.tensor1d([...size], 'int32')], attributes)[0] as Tensor4D,
    saved: [input!],
    backward: (dy, [savedInput]) => [rawOp('ResizeBilinearGrad', [dy, savedInput!], attributes)[0]!],
  }));
}

// ---- nearest ----

function nearest(
  x: Tensor4D,
  size: readonly [number, number],
  exact: boolean,
  scale: readonly [number, number] | undefined,
): Tensor4D {
  if (isNative() && x.dtype === 'float32' && !scale) return nativeNearest(x, size, exact);
  const indices = (index: 0 | 1): Tensor =>
    tf.tensor1d(nearestIndices(x.shape[index + 1]!, size[index], exact, scale && 1 / scale[index]), 'int32');
  return tf.tidy(() => gather(gather(x, indices(0), 1), indices(1), 2) as Tensor4D);
}

function nativeNearest(x: Tensor4D, size: readonly [number, number], exact: boolean): Tensor4D {
  const attributes = {
    T: { type: 'float32' },
    align_corners: { bool: false },
    half_pixel_centers: { bool: exact },
  } as const;
  const inSize = x.shape.slice(1, 3);
  return withGradient<Tensor4D>([x], (input) => ({
    value: rawOp(
      'ResizeNearestNeighbor',
      [input!, tf.tensor1d([...size], 'int32')],
      attributes,
    )[0] as Tensor4D,
    saved: [],
    backward: (dy) => [
      rawOp('ResizeNearestNeighborGrad', [dy, tf.tensor1d(inSize, 'int32')], attributes)[0]!,
    ],
  }));
}
