import type { CsvOptions, CsvTable } from './csv.js';
import type { GeoJsonFile } from './geojson.js';
import type { GeoRaster, GeoTiffFile, RasterPlace, ReadGeoTiffOptions } from './geotiff.js';
import type { ReadManyOptions } from './geotiff/read-many.js';
import type { Hdf5File } from './hdf5/hdf5-file.js';
import type { NpyArray } from './npy.js';
import type { NpzFile } from './npz.js';
import type { ParquetFile, ParquetReadOptions, ParquetValue } from './parquet/parquet-file.js';
import type { RasterArray } from './raster.js';
import type { TacoFile } from './taco/taco-file.js';
import type { ZarrArray } from './zarr/zarr-array.js';

// The readers as users get them: each is loaded when it is called first, so that importing the package loads none.

/**
 * Reads the first image of a TIFF or GeoTIFF, or with `window` and `bands` a part of it: only the blocks that are wanted are
 * read. `data` is [height, width, band].
 * @throws InputError FILE_MISSING, NOT_A_RASTER, TRUNCATED, CORRUPT_DATA, BAD_HEADER, UNSUPPORTED, TOO_LARGE, PRECISION_LOSS,
 *   IMAGE_WINDOW, IMAGE_BANDS, IMAGE_PAGE
 */
export const readGeoTiff = async (file: RasterPlace, options?: ReadGeoTiffOptions): Promise<GeoRaster> =>
  (await import('./geotiff.js')).readGeoTiff(file, options);

/**
 * Reads many rasters in threads and yields them in order; memory is bounded, leaving the loop stops what is under way.
 * @throws what readGeoTiff throws, for the first that cannot be read
 */
export async function* readGeoTiffs(
  files: Iterable<RasterPlace> | AsyncIterable<RasterPlace>,
  options?: ReadManyOptions,
): AsyncGenerator<GeoRaster, void, void> {
  yield* (await import('./geotiff/read-many.js')).readGeoTiffs(files, options);
}

/** Opens a TIFF or GeoTIFF: `info` is its header, `read` its pixels, whole or by window. Close it after use. @throws what readGeoTiff throws */
export const openGeoTiff = async (file: RasterPlace): Promise<GeoTiffFile> =>
  (await import('./geotiff.js')).GeoTiffFile.open(file);

/** Reads a PNG of any depth. `data` is [height, width, band]. @throws InputError NOT_A_RASTER, TRUNCATED, CORRUPT_DATA, TOO_LARGE, FILE_MISSING */
export const readPng = async (file: string): Promise<RasterArray> => (await import('./png.js')).readPng(file);

/** Reads a JPEG. `data` is [height, width, band]. @throws InputError NOT_A_RASTER, TRUNCATED, CORRUPT_DATA, TOO_LARGE, FILE_MISSING */
export const readJpeg = async (file: string): Promise<RasterArray> =>
  (await import('./jpeg.js')).readJpeg(file);

/** Opens an HDF5 or NetCDF 4 file: its tree, attributes, and datasets whole or in part. Close it after use. @throws InputError as `Hdf5File.open` */
export const openHdf5 = async (file: string): Promise<Hdf5File> =>
  (await import('./hdf5/hdf5-file.js')).Hdf5File.open(file);

/** Reads a NumPy array. @throws InputError EMPTY_FILE, NOT_NPY, TRUNCATED, CORRUPT_DATA, BAD_HEADER, TOO_LARGE, UNSUPPORTED, UNSAFE */
export const readNpy = async (file: string): Promise<NpyArray> => (await import('./npy.js')).readNpy(file);

/** Opens a bundle of NumPy arrays; each is read when asked for. Close it after use. @throws InputError as `NpzFile.open` */
export const openNpz = async (file: string): Promise<NpzFile> =>
  (await import('./npz.js')).NpzFile.open(file);

/** Opens an array of a Zarr store, version 2 or 3. @param name of the array in the store; default: the store is the array. @throws InputError NOT_ZARR, BAD_HEADER, UNSUPPORTED */
export const openZarr = async (folder: string, name?: string): Promise<ZarrArray> =>
  (await import('./zarr/zarr-array.js')).ZarrArray.open(folder, name);

/** Reads the rows of a Parquet or GeoParquet file. @throws InputError NOT_PARQUET, TRUNCATED, BAD_HEADER, UNSUPPORTED, MISSING_COLUMN */
export async function readParquet(
  file: string,
  options?: ParquetReadOptions,
): Promise<Readonly<Record<string, ParquetValue>>[]> {
  const table = await openParquet(file);
  try {
    return await table.rows(options);
  } finally {
    table.close();
  }
}

/** Opens a Parquet file: its columns, each read when asked for. Close it after use. @throws InputError as `ParquetFile.open` */
export const openParquet = async (file: string): Promise<ParquetFile> =>
  (await import('./parquet/parquet-file.js')).ParquetFile.open(file);

/** Opens a TACO or tortilla container: its table, and its items where they lie. Close it after use. @throws InputError as `TacoFile.open` */
export const openTaco = async (file: string): Promise<TacoFile> =>
  (await import('./taco/taco-file.js')).TacoFile.open(file);

/** Reads a GeoJSON file. @throws InputError EMPTY_FILE, NOT_JSON, BAD_HEADER, TOO_LARGE, FILE_MISSING */
export const readGeoJson = async (file: string): Promise<GeoJsonFile> =>
  (await import('./geojson.js')).readGeoJson(file);

/** Reads a table of texts by RFC 4180. @throws InputError NOT_A_TABLE, NO_ROWS, MISSING_COLUMN, DUPLICATE_COLUMN, RAGGED_ROW, CORRUPT_DATA, TOO_LARGE */
export const readCsv = async (file: string, options?: CsvOptions): Promise<CsvTable> =>
  (await import('./csv.js')).readCsv(file, options);
