/** Rows of a table of biases: every step between two patches, then class → patch, patch → class, class → class. */
export const relativePositionCount = ([rows, columns]: readonly [number, number]): number =>
  (2 * rows - 1) * (2 * columns - 1) + 3;

/**
 * Row of the table for every pair of tokens, the class token first: [token, token] of 1 + row · column tokens, in
 * BEiT's numbering.
 */
export function relativePositionIndex(grid: readonly [number, number]): Int32Array {
  const [rows, columns] = grid;
  const patches = rows * columns;
  const tokens = patches + 1;
  const last = relativePositionCount(grid) - 1;
  const index = new Int32Array(tokens * tokens);
  for (let query = 0; query < patches; query++) {
    for (let key = 0; key < patches; key++) {
      const down = Math.floor(query / columns) - Math.floor(key / columns) + rows - 1;
      const right = (query % columns) - (key % columns) + columns - 1;
      index[(query + 1) * tokens + key + 1] = down * (2 * columns - 1) + right;
    }
  }
  index.fill(last - 2, 0, tokens); // class → patch
  for (let query = 0; query < patches; query++) index[(query + 1) * tokens] = last - 1;
  index[0] = last;
  return index;
}
