import type { RunLengthMask } from './run-length-mask.js';

/** Outlines are walked on a grid this much finer than the pixels. */
const FINER = 5;

/**
 * The pixels inside any of the outlines, as pycocotools draws them: vertices are rounded to fifths of a pixel, and an edge
 * that crosses the middle of a column switches the pixels below it.
 * @param polygons each x0, y0, x1, y1, …, in pixels from the upper left corner
 */
export function polygonMask(
  polygons: readonly (readonly number[])[],
  height: number,
  width: number,
): RunLengthMask {
  const total = height * width;
  const runs = polygons
    .flatMap((polygon) => runsOf(columnSwitches(polygon, height, width), total))
    .sort(([a], [b]) => a - b);
  const counts: number[] = [];
  let end = 0;
  for (const [from, to] of runs) {
    if (to <= end) continue;
    // a run that meets the one before makes it longer; the first may begin at the first pixel
    if (counts.length > 0 && from <= end) counts[counts.length - 1]! += to - end;
    else counts.push(from - end, to - from);
    end = to;
  }
  if (end < total) counts.push(total - end);
  return { height, width, counts };
}

/** Between each two switches: what is open at the foot of a column goes on at the head of the next. */
function runsOf(switches: readonly number[], total: number): (readonly [from: number, to: number])[] {
  const runs: (readonly [number, number])[] = [];
  for (let at = 0; at < switches.length; at += 2) {
    const [from, to] = [switches[at]!, switches[at + 1] ?? total];
    if (from < to) runs.push([from, to]);
  }
  return runs;
}

/** Pixels, down the columns, at which the outline switches inside and outside, rising; the end is one more. */
function columnSwitches(polygon: readonly number[], height: number, width: number): number[] {
  const switches: number[] = [];
  const points = outline(polygon);
  for (let at = 1; at < points.length; at++) {
    const [fromX, fromY] = points[at - 1]!;
    const [toX, toY] = points[at]!;
    if (fromX === toX) continue;
    const column = ((toX < fromX ? toX : toX - 1) + 0.5) / FINER - 0.5;
    if (!Number.isInteger(column) || column < 0 || column > width - 1) continue;
    const row = (Math.min(fromY, toY) + 0.5) / FINER - 0.5;
    switches.push(column * height + Math.ceil(Math.min(height, Math.max(0, row))));
  }
  return switches.sort((a, b) => a - b);
}

/** Points of the closed outline on the finer grid, one a step along each edge's longer side. */
function outline(polygon: readonly number[]): (readonly [x: number, y: number])[] {
  const vertices: (readonly [number, number])[] = [];
  for (let at = 0; at + 1 < polygon.length; at += 2)
    vertices.push([Math.trunc(FINER * polygon[at]! + 0.5), Math.trunc(FINER * polygon[at + 1]! + 0.5)]);
  return vertices.flatMap((from, index) => edge(from, vertices[(index + 1) % vertices.length]!));
}

function edge(from: readonly [number, number], to: readonly [number, number]): (readonly [number, number])[] {
  const long = Math.abs(to[0] - from[0]) >= Math.abs(to[1] - from[1]) ? 0 : 1;
  const short = 1 - long;
  // always walked upwards, so that an edge and its reverse round alike
  const isReversed = from[long]! > to[long]!;
  const [low, high] = isReversed ? [to, from] : [from, to];
  const length = high[long]! - low[long]!;
  const slope = length === 0 ? 0 : (high[short]! - low[short]!) / length;
  const points = Array.from({ length: length + 1 }, (_, step): readonly [number, number] => {
    const across = Math.trunc(low[short]! + slope * step + 0.5);
    const along = low[long]! + step;
    return long === 0 ? [along, across] : [across, along];
  });
  return isReversed ? points.reverse() : points;
}
