/** Arithmetic of the reference: NumPy's tables are float64, PyTorch's float32 at every step. */
export type Precision = 'float32' | 'float64';

const TEMPERATURE = 10_000;

/**
 * Frequencies 10000^(−j · step), j = 0 … count − 1.
 * @param step of the exponent; default 1 / count
 */
export function sineFrequencies(
  count: number,
  { precision, step = 1 / count }: { readonly precision: Precision; readonly step?: number },
): number[] {
  const round = roundingOf(precision);
  return Array.from({ length: count }, (_, j) => round(1 / round(TEMPERATURE ** round(j * step))));
}

/**
 * Sines, then cosines of every position times every frequency.
 * @returns [positions, 2 · frequencies]
 */
export function sineFeatures(
  positions: ArrayLike<number>,
  frequencies: readonly number[],
  precision: Precision,
): Float32Array {
  const round = roundingOf(precision);
  const half = frequencies.length;
  const values = new Float32Array(positions.length * 2 * half);
  for (let i = 0; i < positions.length; i++) {
    const position = round(positions[i]!);
    for (let j = 0; j < half; j++) {
      const angle = round(position * frequencies[j]!);
      values[i * 2 * half + j] = Math.sin(angle);
      values[i * 2 * half + half + j] = Math.cos(angle);
    }
  }
  return values;
}

const roundingOf = (precision: Precision): ((x: number) => number) =>
  precision === 'float32' ? Math.fround : (x) => x;
