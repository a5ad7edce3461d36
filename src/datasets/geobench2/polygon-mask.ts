import type { LabelArray } from '../../io/raster.js';

/** Corners as x0, y0, x1, y1, …, pixels from the upper left. */
export type Polygon = readonly number[];

/**
 * Draws the inside of a polygon with its outline into a mask, choosing pixels as Pillow's `ImageDraw.polygon` does: corners
 * lose their fractions; on a row lies what is between pairs of edges, ends rounded to the nearest pixel. What lies
 * outside the image is left out. One corner draws nothing.
 * @param mask 1 where drawn; pixels already drawn stay
 */
function drawPolygon(mask: LabelArray, polygon: Polygon): void {
  const { data, height, width } = mask;
  const edges = edgesOf(polygon);
  const draw = (row: number, from: number, to: number): void => {
    if (row < 0 || row >= height || to < 0 || from >= width || from > to) return;
    data.fill(1, row * width + Math.max(0, from), row * width + Math.min(width - 1, to) + 1);
  };
  const slanted: Edge[] = [];
  for (const edge of edges) {
    if (edge.top === edge.bottom) draw(edge.top, Math.min(edge.x, edge.xEnd), Math.max(edge.x, edge.xEnd));
    else slanted.push(edge);
  }
  const last = edges.reduce((most, { bottom }) => Math.max(most, bottom), -Infinity);
  const first = edges.reduce((least, { top }) => Math.min(least, top), Infinity);
  const lastRow = Math.min(last, height); // Pillow's own limit, one row below the image
  for (let row = Math.max(0, first); row <= lastRow; row++) {
    const crossings = crossingsOf(slanted, row, lastRow);
    let next = Math.trunc(crossings[0] ?? 0);
    for (let i = 1; i < crossings.length; i += 2) {
      const to = roundHalfDown(crossings[i]!);
      if (to < next) continue;
      draw(row, Math.max(next, roundHalfUp(crossings[i - 1]!)), to);
      next = to + 1;
    }
  }
}

/** A mask with 1 where any of the polygons is, see `drawPolygon`. */
export function polygonMask(polygons: readonly Polygon[], height: number, width: number): LabelArray {
  const mask = { data: new Uint8Array(height * width), height, width };
  for (const polygon of polygons) drawPolygon(mask, polygon);
  return mask;
}

/** A side, in the direction of the corners. */
interface Edge {
  readonly x: number;
  readonly y: number;
  readonly xEnd: number;
  readonly top: number;
  readonly bottom: number;
  /** Change of x a row. */
  readonly slope: number;
}

const { fround } = Math; // Pillow's numbers are float32

function edgesOf(polygon: Polygon): Edge[] {
  const corners: { x: number; y: number }[] = [];
  for (let i = 0; i + 1 < polygon.length; i += 2) {
    const [x, y] = [Math.trunc(polygon[i]!), Math.trunc(polygon[i + 1]!)];
    if (Number.isFinite(x) && Number.isFinite(y)) corners.push({ x, y });
  }
  const edges: Edge[] = [];
  for (const [index, from] of corners.entries()) {
    const isLast = index === corners.length - 1;
    const to = corners[isLast ? 0 : index + 1]!;
    if (isLast && from.x === to.x && from.y === to.y) continue; // closed already
    edges.push({
      x: from.x,
      y: from.y,
      xEnd: to.x,
      top: Math.min(from.y, to.y),
      bottom: Math.max(from.y, to.y),
      slope: from.y === to.y ? 0 : fround(fround(to.x - from.x) / (to.y - from.y)),
    });
  }
  return edges;
}

const xAt = ({ x, y, slope }: Edge, row: number): number => fround(fround((row - y) * slope) + x);

/** Where edges meet a row, sorted. An edge counts on both of its end rows; on its lower one twice, but for the last row. */
function crossingsOf(edges: readonly Edge[], row: number, lastRow: number): number[] {
  const crossings: number[] = [];
  for (const [index, edge] of edges.entries()) {
    if (row < edge.top || row > edge.bottom) continue;
    const x = xAt(edge, row);
    if (row === edge.bottom && row < lastRow) {
      crossings.push(x, x);
      continue;
    }
    const isCorner = edge.slope !== 0 && Math.round(x) === x;
    crossings.push(isCorner ? reachedCorner(x, edge, edges.slice(0, index), row, lastRow) : x);
  }
  return crossings.sort((a, b) => a - b);
}

/**
 * The x of a crossing in a pointed corner: where both sides leave it flatly, in the same direction, it moves to within
 * a pixel of where they are on the next row, so that the corner hangs together with the rest.
 */
function reachedCorner(x: number, edge: Edge, before: readonly Edge[], row: number, lastRow: number): number {
  const neighbour = row === lastRow ? row - 1 : row + 1;
  for (const other of before) {
    if (edge.slope > 0 ? other.slope <= 0 : other.slope >= 0) continue;
    if (xAt(other, row) !== x || neighbour < other.top || neighbour > other.bottom) continue;
    const [a, b] = [xAt(edge, neighbour), xAt(other, neighbour)];
    if (x > a + 1 && x > b + 1) return Math.round(Math.max(a, b)) + 1;
    if (x < a - 1 && x < b - 1) return Math.round(Math.min(a, b)) - 1;
  }
  return x;
}

/** To the nearest whole number; halves away from 0. */
const roundHalfUp = (value: number): number => Math.sign(value) * Math.floor(Math.abs(value) + 0.5);
/** To the nearest whole number; halves towards 0. */
const roundHalfDown = (value: number): number => Math.sign(value) * Math.ceil(Math.abs(value) - 0.5);
