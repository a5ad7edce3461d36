import type { Initializer } from '../layers/parameters.js';

/** Which coordinate the first half of the channels encodes. */
export type FirstCoordinate = 'row' | 'column';

export interface SinePositionOptions {
  readonly width: number;
  /** Rows and columns of patches. */
  readonly grid: readonly [number, number];
  readonly first: FirstCoordinate;
  /** Length of a step from patch to patch; default 1. */
  readonly step?: number;
  /** Computes in float32, as PyTorch does it; default false: float64, as NumPy does it. */
  readonly singlePrecision?: boolean;
}

const TEMPERATURE = 10_000;

/**
 * Fixed sine and cosine positions of a grid, [row · column, width]: half of the channels for each coordinate, in it
 * the sines before the cosines, frequencies 10000^(−j / (width / 4)).
 */
export function sinePositions(options: SinePositionOptions): Float32Array {
  const { width, grid, first, step = 1, singlePrecision = false } = options;
  const round = singlePrecision ? Math.fround : (x: number): number => x;
  const quarter = Math.floor(width / 4);
  const frequencies = Array.from({ length: quarter }, (_, j) => {
    const exponent = round(j / quarter);
    return round(1 / round(TEMPERATURE ** exponent));
  });
  const [rows, columns] = grid;
  const table = new Float32Array(rows * columns * width);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = (row * columns + column) * width;
      const coordinates = first === 'row' ? [row, column] : [column, row];
      for (const [half, coordinate] of coordinates.entries()) {
        const position = round(coordinate * round(step));
        for (const [j, frequency] of frequencies.entries()) {
          const angle = round(position * frequency);
          table[at + half * 2 * quarter + j] = Math.sin(angle);
          table[at + half * 2 * quarter + quarter + j] = Math.cos(angle);
        }
      }
    }
  }
  return table;
}

/** A table [1, prefix + row · column, width] that starts as sine positions, prefix rows as zeros. */
export const sineTable =
  (grid: readonly [number, number], first: FirstCoordinate): Initializer =>
  (shape): Float32Array => {
    const [, rows, width] = shape as [number, number, number];
    const values = sinePositions({ width, grid, first });
    const table = new Float32Array(rows * width);
    table.set(values, rows * width - values.length);
    return table;
  };
