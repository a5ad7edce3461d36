/**
 * Boxes as [box, 4]: left, top, right, bottom in pixels, 0 the image's upper left edge. In float32 throughout, so that a
 * threshold decides as in the references.
 */
export type Boxes = Float32Array;

const { fround } = Math;

export const boxCount = (boxes: Boxes): number => boxes.length / 4;

export const areaOfBox = (boxes: Boxes, at: number): number =>
  fround(fround(boxes[at * 4 + 2]! - boxes[at * 4]!) * fround(boxes[at * 4 + 3]! - boxes[at * 4 + 1]!));

/** The boxes of these indices, in their order. */
export function takeBoxes(boxes: Boxes, indices: readonly number[]): Boxes {
  const taken = new Float32Array(indices.length * 4);
  for (const [to, from] of indices.entries()) taken.set(boxes.subarray(from * 4, from * 4 + 4), to * 4);
  return taken;
}

export function joinBoxes(parts: readonly Boxes[]): Boxes {
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Cut at the edges of an image. */
export const clipBoxes = (boxes: Boxes, [height, width]: readonly [number, number]): Boxes =>
  boxes.map((side, at) => Math.min(Math.max(side, 0), at % 2 === 0 ? width : height));

/** Whether both sides of the box at this index are at least so long. */
export const isLargeBox = (boxes: Boxes, at: number, minSide: number): boolean =>
  fround(boxes[at * 4 + 2]! - boxes[at * 4]!) >= minSide &&
  fround(boxes[at * 4 + 3]! - boxes[at * 4 + 1]!) >= minSide;

/** Indices of the boxes whose sides are both at least so long. */
export const largeBoxes = (boxes: Boxes, minSide: number): number[] =>
  Array.from({ length: boxCount(boxes) }, (_, at) => at).filter((at) => isLargeBox(boxes, at, minSide));

/** Columns and rows times these factors. */
export const scaleBoxes = (boxes: Boxes, [rows, columns]: readonly [number, number]): Boxes =>
  boxes.map((side, at) => side * (at % 2 === 0 ? columns : rows));

/** Intersection over union of every pair: [a, b]. `generalized`: less the share of the joint hull that neither covers. */
export function boxOverlaps(a: Boxes, b: Boxes, kind: 'plain' | 'generalized' = 'plain'): Float32Array {
  const [rows, columns] = [boxCount(a), boxCount(b)];
  const overlaps = new Float32Array(rows * columns);
  const areas = Float32Array.from({ length: columns }, (_, at) => areaOfBox(b, at));
  for (let row = 0; row < rows; row++) {
    const [left, top, right, bottom] = [a[row * 4]!, a[row * 4 + 1]!, a[row * 4 + 2]!, a[row * 4 + 3]!];
    const area = areaOfBox(a, row);
    for (let column = 0; column < columns; column++) {
      const at = column * 4;
      const wide = fround(Math.min(right, b[at + 2]!) - Math.max(left, b[at]!));
      const high = fround(Math.min(bottom, b[at + 3]!) - Math.max(top, b[at + 1]!));
      const shared = wide > 0 && high > 0 ? fround(wide * high) : 0;
      const union = fround(fround(area + areas[column]!) - shared);
      let overlap = fround(shared / union);
      if (kind === 'generalized') {
        const hull = fround(
          fround(Math.max(right, b[at + 2]!) - Math.min(left, b[at]!)) *
            fround(Math.max(bottom, b[at + 3]!) - Math.min(top, b[at + 1]!)),
        );
        overlap -= fround(fround(hull - union) / hull);
      }
      overlaps[row * columns + column] = overlap;
    }
  }
  return overlaps;
}
