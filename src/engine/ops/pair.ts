/** One number for rows and columns alike, or [rows, columns]. */
export type Pair = number | readonly [rows: number, columns: number];

export const toPair = (value: Pair): readonly [number, number] =>
  typeof value === 'number' ? [value, value] : value;
