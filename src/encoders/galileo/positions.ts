import { sineFeatures, sineFrequencies, type Precision } from '../sine-features.js';

const PRECISION: Precision = 'float32';

/**
 * Places of patches in an image: sines and cosines of the column, then of the row. Differs: the exponents of the
 * frequencies are a quarter of the usual ones, as the checkpoints were trained.
 * @param step length from patch to patch, in units of 10 m
 * @returns [row · column, width]
 */
export function patchPositions(
  width: number,
  [rows, columns]: readonly [number, number],
  step: number,
): Float32Array {
  const half = Math.floor(width / 2);
  const frequencies = sineFrequencies(half / 2, { precision: PRECISION, step: 1 / (2 * half) });
  const along = (size: number): Float32Array =>
    sineFeatures(
      Array.from({ length: size }, (_, i) => i * step),
      frequencies,
      PRECISION,
    );
  const [ofColumn, ofRow] = [along(columns), along(rows)];
  const table = new Float32Array(rows * columns * width);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = (row * columns + column) * width;
      table.set(ofColumn.subarray(column * half, (column + 1) * half), at);
      table.set(ofRow.subarray(row * half, (row + 1) * half), at + half);
    }
  }
  return table;
}
