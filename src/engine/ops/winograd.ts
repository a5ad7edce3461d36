import { tf, type Tensor, type Tensor4D } from '../tf.js';
import { hasFusedKernels } from './fused.js';
import { rawOp } from './raw.js';

/**
 * 3 × 3 convolutions by Winograd's F(2 × 2, 3 × 3) (Lavin and Gray 2016, section 4.1): 4 × 4 products for each 2 × 2 pixels
 * of the output in the place of 36, taken as 16 matrix products over the channels (docs/decisions/0024-winograd.md).
 * Differs: rows of tiles are taken in parts that fit into the cache; an infinite pixel becomes NaN in what it touches.
 */

/** Bytes of transformed values that lie in memory at a time. */
const CHUNK_BYTES = 24 * 2 ** 20;
/** With fewer channels the transforms of the maps cost more than the products save, with fewer tiles that of the filter. */
const [LEAST_CHANNELS, LEAST_TILES] = [256, 128];

export interface WinogradGeometry {
  readonly stride: number;
  readonly dilation: number;
  readonly groups?: number;
  /** Rows and columns added before and after. */
  readonly padding: readonly (readonly number[])[];
}

/** Whether a convolution of a map of this shape is one of these and gains by it on this engine. */
export function isWinograd(
  [batch, height, width]: readonly [number, number, number, number],
  filter: Tensor4D,
  { stride, dilation, groups = 1, padding }: WinogradGeometry,
): boolean {
  const [rows, columns, channels, outChannels] = filter.shape;
  if (rows !== 3 || columns !== 3 || stride !== 1 || dilation !== 1 || groups !== 1) return false;
  const [around = 0, ...others] = padding.flat();
  if (around > 2 || others.some((side) => side !== around)) return false;
  if (Math.min(height, width) + 2 * around < 3) return false; // an output without a pixel
  const tiles = batch * Math.ceil(height / 2) * Math.ceil(width / 2);
  return Math.min(channels, outChannels) >= LEAST_CHANNELS && tiles >= LEAST_TILES && hasFusedKernels();
}

/**
 * @param x [batch, height, width, channels]
 * @param filter [3, 3, channels, outChannels]
 * @param padding rows and columns of zeros on every side
 * @returns [batch, height + 2 · padding − 2, width + 2 · padding − 2, outChannels]; no gradient
 */
export const winogradConv2d = (x: Tensor4D, filter: Tensor4D, padding: number): Tensor4D =>
  convolve(x, filter, padding, false);

/** Gradient of x: dy, convolved with the filter turned by 180°. @param padding that of the forward pass */
export const winogradInputGradient = (dy: Tensor4D, filter: Tensor4D, padding: number): Tensor4D =>
  convolve(dy, filter, 2 - padding, true);

function convolve(x: Tensor4D, filter: Tensor4D, padding: number, isTurned: boolean): Tensor4D {
  const [batch, height, width, channels] = x.shape;
  const outChannels = filter.shape[isTurned ? 2 : 3];
  const size = [height + 2 * padding - 2, width + 2 * padding - 2] as const;
  const shape = [batch, ...size, outChannels] as [number, number, number, number];
  return tf.tidy(() => {
    const u = rawOp('GondwanaWinogradFilter', [filter, place(isTurned ? 1 : 0)], {})[0]!;
    const parts = tileRows(shape, Math.max(channels, outChannels)).map(({ first, rows }) =>
      tf.tidy(() => {
        const v = rawOp('GondwanaWinogradInput', [x, place(padding, first, rows)], {})[0]!;
        const m = products(v, u, { isFirstTransposed: false, isSecondTransposed: isTurned });
        v.dispose();
        return rawOp('GondwanaWinogradOutput', [m, place(batch, ...size, first)], {})[0]!;
      }),
    );
    return (parts.length === 1 ? parts[0]! : tf.concat(parts)).reshape(shape) as Tensor4D;
  });
}

/** Gradient of the filter. @param padding that of the forward pass */
export function winogradFilterGradient(x: Tensor4D, dy: Tensor4D, padding: number): Tensor4D {
  const [channels, outChannels] = [x.shape[3], dy.shape[3]];
  return tf.tidy(() => {
    let sum: Tensor | undefined;
    for (const { first, rows } of tileRows(dy.shape, Math.max(channels, outChannels))) {
      const part = tf.tidy(() => {
        const v = rawOp('GondwanaWinogradInput', [x, place(padding, first, rows)], {})[0]!;
        const z = rawOp('GondwanaWinogradGrad', [dy, place(first, rows)], {})[0]!;
        return products(v, z, { isFirstTransposed: true, isSecondTransposed: false });
      });
      const before: Tensor | undefined = sum;
      sum = before ? tf.add(before, part) : part;
      if (before) tf.dispose([before, part]);
    }
    return rawOp('GondwanaWinogradFilterGrad', [sum!], {})[0] as Tensor4D;
  });
}

/** Rows of tiles of an output, over the whole batch, in parts that fit into memory. */
function tileRows(
  [batch, height, width]: readonly [number, number, number, number],
  channels: number,
): { first: number; rows: number }[] {
  const total = batch * Math.ceil(height / 2);
  const bytesARow = 16 * 4 * Math.ceil(width / 2) * channels;
  const count = Math.ceil(total / Math.max(1, Math.floor(CHUNK_BYTES / bytesARow)));
  const bounds = Array.from({ length: count + 1 }, (_, part) => Math.floor((total * part) / count));
  return bounds.slice(1).map((end, part) => ({ first: bounds[part]!, rows: end - bounds[part]! }));
}

const place = (...values: number[]): Tensor => tf.tensor1d(values, 'int32');

/** Of each of the 16 places. */
const products = (
  a: Tensor,
  b: Tensor,
  is: { readonly isFirstTransposed: boolean; readonly isSecondTransposed: boolean },
): Tensor =>
  rawOp('BatchMatMulV2', [a, b], {
    T: { type: 'float32' },
    adj_x: { bool: is.isFirstTransposed },
    adj_y: { bool: is.isSecondTransposed },
  })[0]!;
