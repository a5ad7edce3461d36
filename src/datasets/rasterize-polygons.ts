import type { LabelArray } from '../io/raster.js';

/** Outline and holes of one polygon, each as x0, y0, x1, y1, … in pixels; (0, 0) is the centre of the first pixel. */
export interface Polygon {
  readonly exterior: readonly number[];
  readonly holes: readonly (readonly number[])[];
}

/** 16 bits behind the point, as in the scan lines of OpenCV. */
const ONE = 65_536;

/**
 * Draws polygons on a label map of zeros, one after the other: a later one covers an earlier one, holes with their rims are
 * left out. Corners are rounded to whole pixels, halves to even, and pixels are chosen as `cv2.fillPoly` chooses them: the
 * outline as an 8-connected line, and per row what lies between pairs of edges.
 * @param size of the label map, pixels
 */
export function rasterizePolygons(
  polygons: readonly { readonly polygon: Polygon; readonly label: number }[],
  { height, width }: { readonly height: number; readonly width: number },
): LabelArray {
  const data = new Uint8Array(height * width);
  const own = new Uint8Array(height * width); // pixels of the polygon at hand; zeros between two
  for (const { polygon, label } of polygons) {
    fillRing(own, height, width, polygon.exterior, 1);
    for (const hole of polygon.holes) fillRing(own, height, width, hole, 0);
    const [left, top, right, bottom] = boundsOf(polygon.exterior, height, width);
    for (let row = top; row <= bottom; row++) {
      for (let at = row * width + left; at <= row * width + right; at++) {
        if (own[at] === 1) data[at] = label;
      }
      own.fill(0, row * width + left, row * width + right + 1);
    }
  }
  return { data, height, width };
}

/** First and last column and row of the image that a ring can reach; nothing outside them is drawn. */
function boundsOf(
  ring: readonly number[],
  height: number,
  width: number,
): readonly [left: number, top: number, right: number, bottom: number] {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let i = 0; i < ring.length; i += 2) {
    const [x, y] = [roundHalfEven(ring[i]!), roundHalfEven(ring[i + 1]!)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return [Math.max(0, left), Math.max(0, top), Math.min(width - 1, right), Math.min(height - 1, bottom)];
}

/** `numpy.round`: halves go to the even neighbour. */
function roundHalfEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  if (rest !== 0.5) return rest < 0.5 ? down : down + 1;
  return down % 2 === 0 ? down : down + 1;
}

/** One side of a ring, downwards; x in 1/65536 pixel. */
interface Side {
  readonly top: number;
  /** First row that it no longer reaches. */
  readonly bottom: number;
  /** At `top`. */
  readonly x: number;
  /** Change of x a row, cut to a whole number. */
  readonly slope: number;
}

function fillRing(
  pixels: Uint8Array,
  height: number,
  width: number,
  ring: readonly number[],
  value: number,
): void {
  const corners = ring.map(roundHalfEven);
  const count = corners.length / 2;
  const sides: Side[] = [];
  for (let corner = 0; corner < count; corner++) {
    const before = (corner + count - 1) % count;
    const from: Point = { x: corners[2 * before]!, y: corners[2 * before + 1]! };
    const to: Point = { x: corners[2 * corner]!, y: corners[2 * corner + 1]! };
    const inside = clip(from, to, height, width);
    if (inside.isVisible) drawLine(pixels, width, inside.from, inside.to, value);
    if (from.y !== to.y) sides.push(sideOf(from, to, inside));
  }
  fillBetween(pixels, height, width, sides, value);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Clipped {
  readonly from: Point;
  readonly to: Point;
  /** Whether a part of the line is inside. Where it is not, its ends may have moved all the same. */
  readonly isVisible: boolean;
}

const LEFT = 1;
const RIGHT = 2;
const ABOVE = 4;
const BELOW = 8;

/** The part of a line inside the image; first cut at rows, then at columns, whole numbers towards zero. */
function clip(from: Point, to: Point, height: number, width: number): Clipped {
  const sideways = (x: number): number => (x < 0 ? LEFT : 0) | (x > width - 1 ? RIGHT : 0);
  const code = ({ x, y }: Point): number => sideways(x) | (y < 0 ? ABOVE : 0) | (y > height - 1 ? BELOW : 0);
  let [codeA, codeB] = [code(from), code(to)];
  let { x: xA, y: yA } = from;
  let { x: xB, y: yB } = to;
  const mayBeSeen = (): boolean => (codeA & codeB) === 0 && (codeA | codeB) !== 0;
  if (mayBeSeen()) {
    if (codeA & (ABOVE | BELOW)) {
      const row = codeA < BELOW ? 0 : height - 1;
      xA += Math.trunc(((row - yA) * (xB - xA)) / (yB - yA));
      yA = row;
      codeA = sideways(xA);
    }
    if (codeB & (ABOVE | BELOW)) {
      const row = codeB < BELOW ? 0 : height - 1;
      xB += Math.trunc(((row - yB) * (xB - xA)) / (yB - yA));
      yB = row;
      codeB = sideways(xB);
    }
    if (mayBeSeen()) {
      if (codeA) {
        const column = codeA === LEFT ? 0 : width - 1;
        yA += Math.trunc(((column - xA) * (yB - yA)) / (xB - xA));
        xA = column;
        codeA = 0;
      }
      if (codeB) {
        const column = codeB === LEFT ? 0 : width - 1;
        yB += Math.trunc(((column - xB) * (yB - yA)) / (xB - xA));
        xB = column;
        codeB = 0;
      }
    }
  }
  return { from: { x: xA, y: yA }, to: { x: xB, y: yB }, isVisible: (codeA | codeB) === 0 };
}

/** Bresenham's line from left to right, both ends included. */
function drawLine(pixels: Uint8Array, width: number, a: Point, b: Point, value: number): void {
  const [from, to] = b.x < a.x ? [b, a] : [a, b];
  const across = to.x - from.x;
  const down = Math.abs(to.y - from.y);
  const rowStep = to.y < from.y ? -width : width;
  const [long, short, longStep, shortStep] =
    down > across ? [down, across, rowStep, 1] : [across, down, 1, rowStep];
  let at = from.y * width + from.x;
  let rest = long - 2 * short;
  for (let i = 0; i <= long; i++) {
    pixels[at] = value;
    if (rest < 0) {
      rest += 2 * long;
      at += shortStep;
    }
    rest -= 2 * short;
    at += longStep;
  }
}

/**
 * A side whose line was cut keeps its rows and runs through what is left of it; where that is a single row, it is upright,
 * at the column of the cut.
 */
function sideOf(from: Point, to: Point, cut: Clipped): Side {
  const [a, b] =
    cut.from.y === cut.to.y
      ? [
          { x: cut.from.x, y: from.y },
          { x: cut.to.x, y: to.y },
        ]
      : [cut.from, cut.to];
  const slope = Math.trunc(((b.x - a.x) * ONE) / (b.y - a.y));
  const [upper, start] = from.y < to.y ? [from, a] : [to, b];
  return {
    top: upper.y,
    bottom: Math.max(from.y, to.y),
    x: start.x * ONE + (upper.y - start.y) * slope,
    slope,
  };
}

function fillBetween(
  pixels: Uint8Array,
  height: number,
  width: number,
  sides: readonly Side[],
  value: number,
): void {
  const bottom = Math.min(height, Math.max(...sides.map((side) => side.bottom)));
  for (let y = Math.max(0, Math.min(...sides.map(({ top }) => top))); y < bottom; y++) {
    const crossings = sides
      .filter((side) => side.top <= y && y < side.bottom)
      .map(({ top, x, slope }) => x + (y - top) * slope)
      .sort((a, b) => a - b);
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const first = Math.max(0, Math.ceil(crossings[i]! / ONE));
      const last = Math.min(width - 1, Math.floor(crossings[i + 1]! / ONE));
      if (first <= last) pixels.fill(value, y * width + first, y * width + last + 1);
    }
  }
}
