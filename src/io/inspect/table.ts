import { readCsv } from '../csv.js';
import { readGeoJson } from '../geojson.js';
import { factOf, firstParts, type Describer } from './description.js';
import { describeGeometries } from './geometries.js';

/** A table of texts: rows, columns, first row. */
export const describeCsv: Describer = (file, options = {}) => {
  const { columns, rows, delimiter } = readCsv(file, { needsRows: false });
  const { chosen, notes } = firstParts(columns, options, 'columns');
  const first = Object.fromEntries(chosen.map((name, at) => [name, factOf(rows[0]?.[at])]));
  const facts = {
    rows: rows.length,
    columns: [...chosen],
    delimiter: delimiter === '\t' ? 'tab' : delimiter,
    first,
  };
  return Promise.resolve({ kind: 'CSV', facts, notes });
};

/** Features of a GeoJSON file: kinds, extent, properties. */
export const describeGeoJson: Describer = (file) => {
  const { features, crs } = readGeoJson(file);
  const names = new Set(features.flatMap(({ properties }) => Object.keys(properties)));
  const facts = {
    features: features.length,
    ...describeGeometries(features.map(({ geometry }) => geometry)),
    crs: crs ?? 'OGC:CRS84',
    properties: factOf([...names]),
  };
  return Promise.resolve({ kind: 'GeoJSON', facts });
};
