import { badHeader } from './format-error.js';

/** x, y, and what else the file has: height, measure. */
export type Position = readonly number[];

/** The geometries of GeoJSON; rings of a polygon are closed, the outline first, then its holes. */
export type Geometry =
  | { readonly type: 'Point'; readonly coordinates: Position }
  | { readonly type: 'MultiPoint' | 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'MultiLineString' | 'Polygon'; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly (readonly Position[])[])[] }
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] };

const DEPTH: ReadonlyMap<unknown, number> = new Map([
  ['Point', 0],
  ['MultiPoint', 1],
  ['LineString', 1],
  ['MultiLineString', 2],
  ['Polygon', 2],
  ['MultiPolygon', 3],
]);
const MAX_NESTING = 16;

/** A geometry as JSON has it, checked. @throws InputError BAD_HEADER */
export function checkGeometry(value: unknown, where: string, nesting = 0): Geometry {
  const { type, coordinates, geometries } = (value ?? {}) as Record<string, unknown>;
  if (nesting > MAX_NESTING) throw badHeader(where, 'Geometries are nested too deep.');
  if (type === 'GeometryCollection') {
    if (!Array.isArray(geometries)) throw badHeader(where, 'The collection has no list of geometries.');
    return { type, geometries: geometries.map((inner) => checkGeometry(inner, where, nesting + 1)) };
  }
  const depth = DEPTH.get(type);
  if (depth === undefined) throw badHeader(where, `"${String(type)}" is no kind of geometry.`);
  if (!isNested(coordinates, depth))
    throw badHeader(where, `The coordinates of the ${String(type)} are no numbers in their places.`);
  return { type, coordinates } as Geometry;
}

function isNested(value: unknown, depth: number): boolean {
  if (!Array.isArray(value)) return false;
  if (depth > 0) return value.every((item) => isNested(item, depth - 1));
  return value.length >= 2 && value.every((number) => Number.isFinite(number));
}

/** Polygons of a polygon or a multi-polygon, each as its rings; [] for other geometries. */
export function polygonsOf(geometry: Geometry): readonly (readonly (readonly Position[])[])[] {
  switch (geometry.type) {
    case 'Polygon':
      return [geometry.coordinates];
    case 'MultiPolygon':
      return geometry.coordinates;
    case 'GeometryCollection':
      return geometry.geometries.flatMap(polygonsOf);
    default:
      return [];
  }
}

/** All positions of a geometry, those of rings with their repeated first. */
export function positionsOf(geometry: Geometry): readonly Position[] {
  switch (geometry.type) {
    case 'Point':
      return [geometry.coordinates];
    case 'MultiPoint':
    case 'LineString':
      return geometry.coordinates;
    case 'MultiLineString':
    case 'Polygon':
      return geometry.coordinates.flat();
    case 'MultiPolygon':
      return geometry.coordinates.flat(2);
    case 'GeometryCollection':
      return geometry.geometries.flatMap(positionsOf);
  }
}
