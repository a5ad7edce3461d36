import { InputError } from '../../errors.js';
import { badHeader } from '../../io/format-error.js';
import { GeoTiffFile } from '../../io/geotiff.js';
import { Hdf5File } from '../../io/hdf5/hdf5-file.js';
import type { NumericArray } from '../../io/numeric-array.js';
import { ParquetFile } from '../../io/parquet/parquet-file.js';
import type { LabelArray } from '../../io/raster.js';
import { labelsOfArray } from '../arrays.js';
import { readHidden, type PlacedRaster } from '../dataset-io.js';
import type { StoredType } from '../sample.js';
import type { Row } from './container.js';

/** A raster of a row, with its place and the type of its numbers. */
export interface Grid extends PlacedRaster {
  readonly storedType: StoredType;
}

/**
 * The raster of a GeoTIFF row.
 * @param hides whether pixels that the file hides are told in `valid`
 * @throws InputError SAMPLE_FORMAT for a row of another format, else as `readGeoTiff`
 */
export async function readGrid(row: Row, hides = false): Promise<Grid> {
  requireFormat(row, 'GTiff');
  const file = GeoTiffFile.open(row.source);
  try {
    const read = await readHidden(file, hides);
    const { data, valid, height, width, bandCount, type, transform, epsg, nodata } = read;
    const crs = epsg === null ? namedCrs(row, file.info.crs?.name ?? null) : `EPSG:${epsg}`;
    return { data, valid, height, width, bandCount, storedType: type, transform, crs, nodata };
  } finally {
    file.close();
  }
}

/** A raster that has a coordinate system but no code for it: the container's table may know the code. */
function namedCrs({ columns }: Row, name: string | null): string | null {
  const stated = columns['stac:crs'];
  return name !== null && typeof stated === 'string' && stated !== '' ? stated : name;
}

/** Name of the one array in the HDF5 rows. */
const ARRAY = 'data';

/** The array of an HDF5 row. */
export const readArray = (row: Row): Promise<NumericArray> => withHdf5(row, (file) => file.read(ARRAY));

/** A label map [height, width] of an HDF5 row, or one plane of several. */
export const readPlane = async (row: Row, plane?: number): Promise<LabelArray> =>
  labelsOfArray(await readArray(row), row.where, plane);

/** The JSON that an HDF5 row of annotations keeps as an attribute. @throws InputError BAD_HEADER, ANNOTATION_INVALID */
export async function readAnnotation(row: Row): Promise<unknown> {
  const text = await withHdf5(row, (file) => file.attribute('/', 'annotation'));
  if (typeof text !== 'string')
    throw badHeader(row.where, 'The file has no attribute "annotation" that is a text.');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InputError('ANNOTATION_INVALID', `The annotation is not JSON: ${(cause as Error).message}.`, {
      where: row.where,
      hint: 'The file is damaged: fetch it again and compare its checksum.',
      cause,
    });
  }
}

async function withHdf5<T>(row: Row, read: (file: Hdf5File) => T): Promise<T> {
  requireFormat(row, 'HDF5');
  const file = await Hdf5File.open(row.source);
  try {
    return read(file);
  } finally {
    file.close();
  }
}

/** @throws InputError SAMPLE_FORMAT */
export function requireFormat({ format, where }: Row, wanted: string): void {
  if (format === wanted) return;
  throw new InputError('SAMPLE_FORMAT', `The row is of format "${format}", and "${wanted}" is wanted.`, {
    where,
    hint: 'The container is of another dataset or version of the release.',
  });
}

/** Rows of a GeoParquet row, with the named columns. @throws InputError MISSING_COLUMN, and as `ParquetFile` */
export async function readTable(
  row: Row,
  columns: readonly string[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  requireFormat(row, 'GeoParquet');
  const table = await ParquetFile.open(row.source);
  try {
    return await table.rows({ columns });
  } finally {
    table.close();
  }
}
