import { elementCount } from '../numeric-array.js';
import type { Selection } from '../selection.js';

/** What is asked of the library at once. */
export const BLOCK_BYTES = 16 * 2 ** 20;

/**
 * Parts of a selection that follow one another in C order, each of at most `BLOCK_BYTES` or one row of the last axis,
 * ending at whole chunks where they can.
 */
export function* blocksOf(
  { start, count }: Selection,
  size: number,
  chunks: readonly number[] | null,
): Generator<Selection> {
  let axis = 0; // blocks run along it, whole on the axes behind it and one by one before it
  const bytesBehind = (of: number): number => elementCount(count.slice(of + 1)) * size;
  while (axis < count.length - 1 && bytesBehind(axis) > BLOCK_BYTES) axis++;
  const chunk = chunks?.[axis] ?? 1;
  let step = Math.max(1, Math.floor(BLOCK_BYTES / bytesBehind(axis)));
  if (step > chunk) step -= step % chunk;
  const end = start[axis]! + count[axis]!;
  const index = start.slice(0, axis);
  for (;;) {
    for (let from = start[axis]!; from < end;) {
      const length = Math.min(end - from, step > chunk ? step - (from % chunk) : step);
      yield {
        start: [...index, from, ...start.slice(axis + 1)],
        count: [...index.map(() => 1), length, ...count.slice(axis + 1)],
      };
      from += length;
    }
    let outer = axis - 1;
    for (; outer >= 0; outer--) {
      if (++index[outer]! < start[outer]! + count[outer]!) break;
      index[outer] = start[outer]!;
    }
    if (outer < 0) return;
  }
}
