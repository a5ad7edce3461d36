import { ParquetFile, type ParquetValue } from '../parquet/parquet-file.js';
import { plainValue } from '../parquet/values.js';
import { RunningStatistics } from '../statistics.js';
import { parseWkb } from '../wkb.js';
import {
  describePart,
  factOf,
  firstParts,
  type Describer,
  type Fact,
  type FileDescription,
} from './description.js';
import { describeGeometries } from './geometries.js';

/** Tables above so many cells are not read for their statistics. */
const MAX_CELLS = 5_000_000;

/** A Parquet or GeoParquet file: rows, columns with their types, nulls and numbers. */
export const describeParquet: Describer = async (path, options = {}) => {
  const file = await ParquetFile.open(path);
  try {
    const { chosen, notes } = firstParts(file.columns, options, 'columns');
    const isRead = (options.statistics ?? true) && file.rowCount * file.columns.length <= MAX_CELLS;
    const geo = geoOf(file.keyValues.get('geo'));
    const parts: FileDescription[] = [];
    for (const { name, type } of chosen) {
      options.signal?.throwIfAborted();
      const plain: FileDescription = { kind: 'column', name, facts: { type } };
      const place = name === geo?.['geometry'] ? path : undefined;
      const describe = async (): Promise<FileDescription> =>
        describeColumn(plain, await file.column(name), place);
      parts.push(isRead ? await describePart('column', name, describe) : plain);
    }
    return {
      kind: geo ? 'GeoParquet' : 'Parquet',
      facts: {
        rows: file.rowCount,
        rowGroups: file.rowGroupCount,
        codecs: [...file.codecs],
        ...geo,
        metadata: [...file.keyValues.keys()],
      },
      parts,
      notes,
    };
  } finally {
    file.close();
  }
};

/** @param place file that errors name, for a column of geometries */
function describeColumn(
  plain: FileDescription,
  values: readonly ParquetValue[],
  place: string | undefined,
): FileDescription {
  const nulls = values.filter((value) => value === null).length;
  const facts = { ...plain.facts, nulls, first: factOf(values[0]) };
  if (place !== undefined) {
    const geometries = values.map((value) => (value instanceof Uint8Array ? parseWkb(value, place) : null));
    return { ...plain, facts: { ...plain.facts, nulls, ...describeGeometries(geometries) } };
  }
  const numbers = values.map(plainValue).filter((value) => typeof value === 'number');
  if (numbers.length === 0 || numbers.length + nulls < values.length) return { ...plain, facts };
  const statistics = new RunningStatistics(numbers.every(Number.isInteger));
  statistics.add(numbers);
  return { ...plain, facts, bands: [{ name: plain.name ?? '', ...statistics.result() }] };
}

/** What the text `geo` of the footer says: the column with the places, and their CRS. */
function geoOf(text: string | undefined): Record<string, Fact> | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { geometry: 'unreadable' };
  }
  const { primary_column: name, columns } = (value ?? {}) as Record<string, unknown>;
  const column = ((columns ?? {}) as Record<string, Record<string, unknown>>)[String(name)];
  const crs = column?.['crs'] as
    { id?: { authority?: unknown; code?: unknown }; name?: unknown } | null | undefined;
  const code = crs?.id ? `${String(crs.id.authority)}:${String(crs.id.code)}` : crs?.name;
  return {
    geometry: factOf(name),
    geometryTypes: factOf(column?.['geometry_types']),
    crs: factOf(code ?? 'OGC:CRS84'),
  };
}
