import type { NumericData } from '../numeric-array.js';
import type { Selection } from '../selection.js';

/** A chunk in memory, element by element at its strides. */
export interface Strided {
  readonly data: NumericData;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
}

export interface ChunkPlace {
  readonly index: readonly number[];
  readonly start: readonly number[];
}

/** Chunks that touch a selection, the last axis fastest. */
export function* chunksWithin({ start, count }: Selection, chunks: readonly number[]): Generator<ChunkPlace> {
  const first = start.map((from, axis) => Math.floor(from / chunks[axis]!));
  const last = start.map((from, axis) => Math.floor((from + count[axis]! - 1) / chunks[axis]!));
  const index = [...first];
  for (;;) {
    yield { index: [...index], start: index.map((number, axis) => number * chunks[axis]!) };
    let axis = index.length - 1;
    for (; axis >= 0; axis--) {
      if (++index[axis]! <= last[axis]!) break;
      index[axis] = first[axis]!;
    }
    if (axis < 0) return;
  }
}

/** Copies the part of a chunk that lies in the selection into C order. */
export function place(chunk: Strided, at: ChunkPlace, { start, count }: Selection, out: NumericData): void {
  const axes = count.length;
  if (axes === 0) {
    out[0] = chunk.data[0]!;
    return;
  }
  const from = at.start.map((position, axis) => Math.max(position, start[axis]!));
  const to = at.start.map((position, axis) =>
    Math.min(position + chunk.shape[axis]!, start[axis]! + count[axis]!),
  );
  const last = axes - 1;
  const step = chunk.stride[last]!;
  const index = [...from];
  for (;;) {
    let [source, target] = [0, 0];
    for (let axis = 0; axis < axes; axis++) {
      source += (index[axis]! - at.start[axis]!) * chunk.stride[axis]!;
      target = target * count[axis]! + index[axis]! - start[axis]!;
    }
    for (let i = from[last]!; i < to[last]!; i++, source += step) out[target++] = chunk.data[source]!;
    let axis = last - 1;
    for (; axis >= 0; axis--) {
      if (++index[axis]! < to[axis]!) break;
      index[axis] = from[axis]!;
    }
    if (axis < 0) return;
  }
}
