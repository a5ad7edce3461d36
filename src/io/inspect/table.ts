import { readCsv } from '../csv.js';
import { readGeoJson } from '../geojson.js';
import type { Geometry, Position } from '../geometry.js';
import { factOf, type Describer } from './description.js';

/** A table of texts: rows, columns, first row. */
export const describeCsv: Describer = (file) => {
  const { columns, rows, delimiter } = readCsv(file, { needsRows: false });
  const first = Object.fromEntries(columns.map((name, at) => [name, factOf(rows[0]?.[at])]));
  const facts = {
    rows: rows.length,
    columns: [...columns],
    delimiter: delimiter === '\t' ? 'tab' : delimiter,
    first,
  };
  return Promise.resolve({ kind: 'CSV', facts });
};

/** Features of a GeoJSON file: kinds, extent, properties. */
export const describeGeoJson: Describer = (file) => {
  const { features, crs } = readGeoJson(file);
  const kinds: Record<string, number> = {};
  const extent = [Infinity, Infinity, -Infinity, -Infinity];
  const names = new Set<string>();
  for (const { geometry, properties } of features) {
    const kind = geometry?.type ?? 'no place';
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (geometry) for (const position of positionsOf(geometry)) stretch(extent, position);
    for (const name of Object.keys(properties)) names.add(name);
  }
  const facts = {
    features: features.length,
    geometries: kinds,
    crs: crs ?? 'OGC:CRS84',
    extent: extent[0] === Infinity ? null : extent,
    properties: factOf([...names]),
  };
  return Promise.resolve({ kind: 'GeoJSON', facts });
};

function stretch(extent: number[], [x, y]: Position): void {
  extent[0] = Math.min(extent[0]!, x!);
  extent[1] = Math.min(extent[1]!, y!);
  extent[2] = Math.max(extent[2]!, x!);
  extent[3] = Math.max(extent[3]!, y!);
}

function positionsOf(geometry: Geometry): Position[] {
  switch (geometry.type) {
    case 'Point':
      return [geometry.coordinates];
    case 'MultiPoint':
    case 'LineString':
      return [...geometry.coordinates];
    case 'MultiLineString':
    case 'Polygon':
      return geometry.coordinates.flat();
    case 'MultiPolygon':
      return geometry.coordinates.flat(2);
    case 'GeometryCollection':
      return geometry.geometries.flatMap(positionsOf);
  }
}
