import type { Affine, SampleObject } from '../datasets/sample.js';
import type { LabelArray } from '../io/raster.js';
import { applyTo } from './affine.js';
import type { Size } from './step.js';

/**
 * Objects on another grid, cut at its border; those that lie outside are left out.
 * @param toGrid place on the new grid of a place on the old one
 * @param instances of the new grid, from which areas are counted where there is such a raster
 */
export function moveObjects(
  objects: readonly SampleObject[],
  toGrid: Affine,
  size: Size,
  instances?: LabelArray,
): SampleObject[] {
  const counts = instances && countPixels(instances);
  return objects.flatMap((object) => {
    const whole = boxAround(object.box, toGrid);
    const box = cut(whole, size);
    if (!hasArea(box)) return [];
    // an outline of which the border is left, or a point of it, is none
    const polygons = object.polygons
      ?.map((outline) => cutPolygon(movePolygon(outline, toGrid), size))
      .filter((outline) => outline.length >= 6 && hasArea(around(outline)));
    // an object with outlines may be hidden below others in the raster
    if (counts && !object.polygons && !counts.has(object.id)) return [];
    const left = surface(box) / surface(whole);
    if (object.polygons?.length && polygons?.length === 0) return [];
    const area = counts?.get(object.id) ?? scaledArea(object, toGrid, left);
    return [
      {
        ...object,
        box: polygons?.length ? around(polygons.flat()) : box,
        ...(polygons && { polygons }),
        ...(area !== undefined && object.area !== undefined && { area }),
        ...(isCut(whole, box) && { visible: (object.visible ?? 1) * left }),
      },
    ];
  });
}

type Box = SampleObject['box'];

const isCut = (whole: Box, left: Box): boolean => whole.some((side, at) => side !== left[at]);

const hasArea = ([left, top, right, bottom]: Box): boolean => right > left && bottom > top;

const surface = ([left, top, right, bottom]: Box): number => (right - left) * (bottom - top);

const scaledArea = ({ area }: SampleObject, [a, b, , d, e]: Affine, share: number): number | undefined =>
  area === undefined ? undefined : area * Math.abs(a * e - b * d) * share;

function boxAround([left, top, right, bottom]: Box, toGrid: Affine): Box {
  return around([...applyTo(toGrid, left, top), ...applyTo(toGrid, right, bottom)]);
}

function around(points: readonly number[]): Box {
  const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [at, value] of points.entries()) {
    const axis = at % 2;
    box[axis] = Math.min(box[axis]!, value);
    box[axis + 2] = Math.max(box[axis + 2]!, value);
  }
  return box;
}

const clamp = (value: number, high: number): number => Math.min(high, Math.max(0, value));

const cut = ([left, top, right, bottom]: Box, { height, width }: Size): Box => [
  clamp(left, width),
  clamp(top, height),
  clamp(right, width),
  clamp(bottom, height),
];

const movePolygon = (outline: readonly number[], toGrid: Affine): number[] =>
  Array.from({ length: outline.length / 2 }, (_, at) =>
    applyTo(toGrid, outline[2 * at]!, outline[2 * at + 1]!),
  ).flat();

/** Sutherland and Hodgman, edge by edge of the grid. */
function cutPolygon(outline: readonly number[], { height, width }: Size): number[] {
  const edges: readonly [axis: 0 | 1, limit: number, sign: 1 | -1][] = [
    [0, 0, 1],
    [0, width, -1],
    [1, 0, 1],
    [1, height, -1],
  ];
  let points = Array.from(
    { length: outline.length / 2 },
    (_, at) => [outline[2 * at]!, outline[2 * at + 1]!] as const,
  );
  for (const [axis, limit, sign] of edges) {
    const depth = (point: readonly [number, number]): number => sign * (point[axis] - limit);
    points = points.flatMap((point, at) => {
      const before = points.at(at - 1)!;
      const [from, to] = [depth(before), depth(point)];
      const crossing = from < 0 !== to < 0 ? [between(before, point, from / (from - to))] : [];
      return to < 0 ? crossing : [...crossing, point];
    });
  }
  return points.flat();
}

const between = (
  [x0, y0]: readonly [number, number],
  [x1, y1]: readonly [number, number],
  share: number,
): readonly [number, number] => [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];

function countPixels({ data }: LabelArray): Map<number, number> {
  const counts = new Map<number, number>();
  for (const id of data) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
