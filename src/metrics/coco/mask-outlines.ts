import { maskBox, maskPart, type RunLengthMask } from './run-length-mask.js';

/** Rings of a connected part: its outline, then its holes; each x0, y0, x1, y1, …, corners of pixels, not closed. */
export type MaskOutline = readonly (readonly number[])[];

/** Right, down, left, up: an outline keeps the object on its right hand. */
const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

/**
 * The outlines of a mask along the edges of its pixels, one a part; pixels that only touch at a corner are apart. Outlines
 * run clockwise on the screen, holes against it. `polygonMask` draws the same mask again from the outlines without holes.
 */
export function maskOutlines(mask: RunLengthMask): MaskOutline[] {
  const box = maskBox(mask);
  const [left, top, width, height] = box;
  const pixels = maskPart(mask, box);
  const partOf = connectedParts(pixels, width, height);
  const isInside = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < width && y < height && pixels[y * width + x] === 1;
  /** Part on the right hand of the edge that leaves a corner in a direction; 0: there is no such edge. */
  const partAlong = (x: number, y: number, direction: number): number => {
    const [right, left] = BESIDE[direction]!;
    const isEdge = isInside(x + right[0], y + right[1]) && !isInside(x + left[0], y + left[1]);
    return isEdge ? partOf[(y + right[1]) * width + x + right[0]]! : 0;
  };
  const seen = new Uint8Array((width + 1) * (height + 1) * 4);
  const rings = new Map<number, { outer: number[]; holes: number[][] }>();
  for (let y = 0; y <= height; y++) {
    for (let x = 0; x <= width; x++) {
      // every ring has an edge to the right: an upper edge of the object, or the foot of a hole
      const part = partAlong(x, y, 0);
      if (part === 0 || seen[(y * (width + 1) + x) * 4]) continue;
      const ring: number[] = [];
      let [atX, atY, direction, area] = [x, y, 0, 0];
      let before = -1;
      while (!seen[(atY * (width + 1) + atX) * 4 + direction]) {
        seen[(atY * (width + 1) + atX) * 4 + direction] = 1;
        if (direction !== before) ring.push(left + atX, top + atY);
        before = direction;
        const [stepX, stepY] = STEPS[direction]!;
        area += atX * stepY - atY * stepX;
        [atX, atY] = [atX + stepX, atY + stepY];
        // where two edges leave a corner, the one to the left follows the same part, so that no ring meets itself
        const turns = [3, 1, 0].map((turn) => (direction + turn) % 4);
        direction = turns.find((next) => partAlong(atX, atY, next) === part)!;
      }
      const known = rings.get(part) ?? { outer: [], holes: [] };
      rings.set(part, known);
      if (area > 0) known.outer = ring;
      else known.holes.push(ring);
    }
  }
  return [...rings.values()].map(({ outer, holes }) => [outer, ...holes]);
}

/** By direction: the pixels on the right and on the left hand of an edge, from the corner where it begins. */
const BESIDE = [
  [
    [0, 0],
    [0, -1],
  ],
  [
    [-1, 0],
    [0, 0],
  ],
  [
    [-1, -1],
    [-1, 0],
  ],
  [
    [0, -1],
    [-1, -1],
  ],
] as const;

/** Number of the part of each pixel, from 1; 0 outside. Parts are connected over edges. */
function connectedParts(pixels: Uint8Array, width: number, height: number): Int32Array {
  const partOf = new Int32Array(pixels.length);
  let parts = 0;
  for (let start = 0; start < pixels.length; start++) {
    if (pixels[start] === 0 || partOf[start] !== 0) continue;
    partOf[start] = ++parts;
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      for (const [stepX, stepY] of STEPS) {
        const [nextX, nextY] = [x + stepX, y + stepY];
        const next = nextY * width + nextX;
        if (nextX < 0 || nextY < 0 || nextX >= width || nextY >= height) continue;
        if (pixels[next] === 0 || partOf[next] !== 0) continue;
        partOf[next] = parts;
        open.push(next);
      }
    }
  }
  return partOf;
}
