import { readGeoTiff } from './geotiff.js';
import { readJpeg } from './jpeg.js';
import { readPng } from './png.js';
import type { RasterArray } from './raster.js';

/**
 * Reads the image of a file: a TIFF or GeoTIFF by its ending `.tif` or `.tiff`, a JPEG by `.jpg` or `.jpeg`, else a
 * PNG. Pixels are those of the file, [height, width, band].
 * @throws InputError what readGeoTiff, readJpeg and readPng throw
 */
export const readRaster = (file: string): Promise<RasterArray> =>
  /\.tiff?$/i.test(file) ? readGeoTiff(file) : /\.jpe?g$/i.test(file) ? readJpeg(file) : readPng(file);
