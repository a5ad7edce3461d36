import { readGeoTiff } from './geotiff.js';
import { readPng } from './png.js';
import type { RasterArray } from './raster.js';

/**
 * Reads the image of a file: a TIFF or GeoTIFF by its ending `.tif` or `.tiff`, else a PNG. Pixels are those of the
 * file, [height, width, band].
 * @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, IMAGE_UNREADABLE, IMAGE_TOO_LARGE
 */
export const readRaster = (file: string): Promise<RasterArray> =>
  /\.tiff?$/i.test(file) ? readGeoTiff(file) : readPng(file);
