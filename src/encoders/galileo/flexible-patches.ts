import { conv2d } from '../../engine/ops/conv.js';
import { interpolationMatrix } from '../../engine/ops/interpolation-matrix.js';
import { addBias, matMul } from '../../engine/ops/linear.js';
import { tf, type Tensor, type Tensor2D, type Tensor4D } from '../../engine/tf.js';
import { uniformByFanIn, type Scope } from '../../layers/parameters.js';
import { checkHoldsPatch } from '../../layers/patch-embedding.js';

export interface FlexiblePatchOptions {
  readonly bandCount: number;
  readonly width: number;
  /** Side of the patches that the kernel was trained for, in pixels. */
  readonly fullSize: number;
  /** Side of the patches here, at most the full one. */
  readonly patchSize: number;
}

/**
 * Patch embedding whose kernel is brought to smaller patches (FlexiViT, Beyer et al. 2023): the kernel that gives for a
 * patch what the full one gives for the enlarged patch, as nearly as can be.
 * images [batch, height, width, band] → [batch, row, column, width]
 */
export function flexiblePatches(
  scope: Scope,
  { bandCount, width, fullSize, patchSize }: FlexiblePatchOptions,
): (images: Tensor4D) => Tensor4D {
  const fanIn = bandCount * fullSize * fullSize;
  const shape = [fullSize, fullSize, bandCount, width];
  const kernel = scope.parameter('kernel', shape, uniformByFanIn(fanIn), 'kernel');
  const bias = scope.parameter('bias', [width], uniformByFanIn(fanIn), 'bias');
  const change = patchSize === fullSize ? undefined : kernelChange(fullSize, patchSize);
  return (images) => {
    checkHoldsPatch(images.shape[1], images.shape[2], patchSize);
    return tf.tidy(() => {
      const own = kernel as unknown as Tensor4D;
      const resized = change ? resizeKernel(own, tf.tensor2d(change, [patchSize, fullSize])) : own;
      return addBias(conv2d(images, resized, { stride: patchSize, padding: 'valid' }), bias);
    });
  };
}

/** Rows, then columns of [row, column, band, width] by the same matrix [to, from]. */
function resizeKernel(kernel: Tensor4D, change: Tensor2D): Tensor4D {
  const [from, , bands, width] = kernel.shape;
  const to = change.shape[0];
  const rows: Tensor = matMul(change, tf.reshape(kernel, [from, from * bands * width]));
  const columnsFirst = tf.transpose(tf.reshape(rows, [to, from, bands * width]), [1, 0, 2]);
  const both = matMul(change, tf.reshape(columnsFirst, [from, to * bands * width]));
  const back = tf.transpose(tf.reshape(both, [to, to, bands * width]), [1, 0, 2]);
  return tf.reshape(back, [to, to, bands, width]);
}

/**
 * Pseudo-inverse of an axis' shrinking A [to, from] in the sense (A Aᵀ)⁻¹ A. That of both axes is its product with
 * itself, since pseudo-inverses of Kronecker products are products of pseudo-inverses.
 * @returns [to, from]
 */
function kernelChange(from: number, to: number): Float32Array {
  const shrink = interpolationMatrix(from, to, { kind: 'bicubic', alignCorners: false, antialias: true });
  const row = (i: number): number[] => Array.from(shrink.subarray(i * from, (i + 1) * from));
  const rows = Array.from({ length: to }, (_, i) => row(i));
  const products = rows.map((a) => rows.map((b) => a.reduce((sum, value, k) => sum + value * b[k]!, 0)));
  return Float32Array.from(solve(products, rows).flat());
}

/** X of M X = B, by Gauss and Jordan with pivots. */
function solve(m: readonly (readonly number[])[], b: readonly (readonly number[])[]): number[][] {
  const rows = m.map((row, i) => [...row, ...b[i]!]);
  const size = m.length;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++)
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row;
    [rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!];
    const factor = rows[column]![column]!;
    rows[column] = rows[column]!.map((value) => value / factor);
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const times = rows[row]![column]!;
      rows[row] = rows[row]!.map((value, k) => value - times * rows[column]![k]!);
    }
  }
  return rows.map((row) => row.slice(size));
}
