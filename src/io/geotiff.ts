import { GeoTiffFile } from './geotiff/geotiff-file.js';
import type { GeoRaster, ReadGeoTiffOptions } from './geotiff/geo-raster.js';
import type { RasterSource } from './geotiff/raster-source.js';

export type { BandInfo, GeoTiffInfo } from './geotiff/describe.js';
export type { GeoRaster, ReadGeoTiffOptions } from './geotiff/geo-raster.js';
export type { ControlPoint, Crs, Transform } from './geotiff/georeference.js';
export { GeoTiffFile } from './geotiff/geotiff-file.js';
export type { SampleType } from './geotiff/layout.js';
export type { FileRange, NamedBytes, RasterPlace, RasterSource } from './geotiff/raster-source.js';

/**
 * Reads the first image of a TIFF or GeoTIFF, or a part of it: only the blocks that are wanted are read and decoded.
 * @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, EMPTY_FILE, NOT_A_RASTER, TRUNCATED, CORRUPT_DATA,
 * BAD_HEADER, UNSUPPORTED, TOO_LARGE, PRECISION_LOSS, IMAGE_WINDOW, IMAGE_BANDS, IMAGE_PAGE
 */
export async function readGeoTiff(place: RasterSource, options: ReadGeoTiffOptions = {}): Promise<GeoRaster> {
  options.signal?.throwIfAborted();
  const file = GeoTiffFile.open(place);
  try {
    return await file.read(options);
  } finally {
    file.close();
  }
}
