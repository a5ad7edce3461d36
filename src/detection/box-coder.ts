import { boxCount, type Boxes } from './boxes.js';

/** Factors of the differences of x, y, width and height. */
export type CoderWeights = readonly [x: number, y: number, width: number, height: number];

/** A box grows at most so much, as a logarithm. */
export const LARGEST_GROWTH = Math.log(1000 / 16);

const { fround } = Math;

/** Centre and sides of a box. */
function centred(boxes: Boxes, at: number): readonly [x: number, y: number, width: number, height: number] {
  const [left, top] = [boxes[at * 4]!, boxes[at * 4 + 1]!];
  const width = fround(boxes[at * 4 + 2]! - left);
  const height = fround(boxes[at * 4 + 3]! - top);
  return [fround(left + 0.5 * width), fround(top + 0.5 * height), width, height];
}

/** How each box leads to its target (Girshick et al. 2014): [box, 4]. */
export function encodeBoxes(boxes: Boxes, targets: Boxes, weights: CoderWeights): Float32Array {
  const deltas = new Float32Array(boxes.length);
  for (let at = 0; at < boxCount(boxes); at++) {
    const from = centred(boxes, at);
    const to = centred(targets, at);
    for (const axis of [0, 1] as const) {
      deltas[at * 4 + axis] = (weights[axis] * fround(to[axis] - from[axis])) / from[axis + 2]!;
      const growth = fround(Math.log(fround(to[axis + 2]! / from[axis + 2]!)));
      deltas[at * 4 + axis + 2] = weights[axis + 2]! * growth;
    }
  }
  return deltas;
}

/**
 * The boxes that the deltas lead to: [box, class, 4].
 * @param deltas [box, class, 4]
 * @param largestGrowth default log(1000 / 16)
 */
export function decodeBoxes(
  deltas: Float32Array,
  boxes: Boxes,
  weights: CoderWeights,
  largestGrowth = LARGEST_GROWTH,
): Boxes {
  const decoded = new Float32Array(deltas.length);
  const classCount = boxes.length === 0 ? 0 : deltas.length / boxes.length;
  for (let at = 0; at < boxCount(boxes); at++) {
    const from = centred(boxes, at);
    for (let own = at * classCount * 4; own < (at + 1) * classCount * 4; own += 4) {
      for (const axis of [0, 1] as const) {
        const size = from[axis + 2]!;
        const shift = fround(fround(deltas[own + axis]! / weights[axis]) * size);
        const centre = fround(shift + from[axis]);
        const growth = Math.min(fround(deltas[own + axis + 2]! / weights[axis + 2]!), largestGrowth);
        const half = fround(0.5 * fround(fround(Math.exp(growth)) * size));
        decoded[own + axis] = centre - half;
        decoded[own + axis + 2] = centre + half;
      }
    }
  }
  return decoded;
}
