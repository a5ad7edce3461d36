import { InputError } from '../errors.js';
import { messageOf, readError, systemCode } from './file-errors.js';
import { readImageHead, refuseHugeImage, unreadable } from './image-error.js';
import type { PixelArray, RasterArray } from './raster.js';
import type { Window } from './window.js';

export interface ReadGeoTiffOptions {
  /** Must lie inside the image. Default: all of it. */
  readonly window?: Window;
  /** Places of the wanted bands, from 0, in the order wanted. Default: all. */
  readonly bands?: readonly number[];
}

/** An image with its place on the Earth, where the file has one. */
export interface GeoRaster extends RasterArray {
  /** [x step, row shear, x of the corner, column shear, y step, y of the corner] of what was read; null: none. */
  readonly transform: readonly [number, number, number, number, number, number] | null;
  /** EPSG code of the coordinate system; null where the file has none or another kind. */
  readonly epsg: number | null;
  /** Value of hidden pixels, as the file states it. */
  readonly nodata: number | null;
}

const MAGIC = new Set(['49492a00', '4d4d002a', '49492b00', '4d4d002b']); // TIFF and BigTIFF, both byte orders

/**
 * Reads the first image of a TIFF or GeoTIFF file.
 * @throws InputError FILE_MISSING, NO_PERMISSION, IMAGE_UNREADABLE, IMAGE_TOO_LARGE, IMAGE_WINDOW, IMAGE_BANDS
 */
export async function readGeoTiff(file: string, options: ReadGeoTiffOptions = {}): Promise<GeoRaster> {
  const head = await readImageHead(file);
  if (!MAGIC.has(Buffer.from(head.subarray(0, 4)).toString('hex'))) {
    throw unreadable(file, 'it is not a TIFF file.', 'Check that the extension tells the truth.');
  }
  const { fromFile } = await import('geotiff'); // 0.1 s to load
  const tiff = await fromFile(file).catch((cause: unknown) => fail(file, cause));
  try {
    const image = await tiff.getImage();
    const size = {
      height: image.getHeight(),
      width: image.getWidth(),
      bandCount: image.getSamplesPerPixel(),
    };
    if (![size.height, size.width, size.bandCount].every((value) => Number.isInteger(value) && value > 0)) {
      throw unreadable(file, 'its header has no size; it is damaged or cut off.');
    }
    const window = checkWindow(options.window, size, file);
    const bands = checkBands(options.bands, size.bandCount, file);
    const { row, column, height, width } = window;
    refuseHugeImage(file, height, width, bands.length, Math.ceil(image.getBitsPerSample(0) / 8));
    const read = await image.readRasters({
      interleave: true,
      window: [column, row, column + width, row + height],
      samples: [...bands],
    });
    // the package hangs height and width on the array: a view has no such extras
    const data = (read as unknown as PixelArray).subarray(0);
    if (data.length !== height * width * bands.length) throw unreadable(file, 'pixels are missing.');
    return { data, height, width, bandCount: bands.length, ...describePlace(image, window) };
  } catch (cause) {
    return fail(file, cause);
  } finally {
    await tiff.close();
  }
}

type Image = Awaited<ReturnType<Awaited<ReturnType<(typeof import('geotiff'))['fromFile']>>['getImage']>>;

function describePlace(
  image: Image,
  { row, column }: Window,
): Pick<GeoRaster, 'transform' | 'epsg' | 'nodata'> {
  const keys = image.getGeoKeys() as { ProjectedCSTypeGeoKey?: number; GeographicTypeGeoKey?: number } | null;
  const code = keys?.ProjectedCSTypeGeoKey ?? keys?.GeographicTypeGeoKey;
  const epsg = code !== undefined && code > 0 && code < 32767 ? code : null; // 32767: defined by the user
  const nodata = image.getGDALNoData();
  const place = { epsg, nodata: typeof nodata === 'number' ? nodata : null };
  try {
    const [x, y] = image.getOrigin() as [number, number];
    const [dx, dy] = image.getResolution() as [number, number];
    return { ...place, transform: [dx, 0, x + column * dx, 0, dy, y + row * dy] };
  } catch {
    return { ...place, transform: null }; // a plain image: it has no origin
  }
}

interface Size {
  readonly height: number;
  readonly width: number;
  readonly bandCount: number;
}

function checkWindow(window: Window | undefined, size: Size, file: string): Window {
  if (!window) return { row: 0, column: 0, height: size.height, width: size.width };
  const { row, column, height, width } = window;
  const isInside =
    row >= 0 &&
    column >= 0 &&
    height > 0 &&
    width > 0 &&
    row + height <= size.height &&
    column + width <= size.width;
  if (isInside && [row, column, height, width].every(Number.isInteger)) return window;
  throw new InputError(
    'IMAGE_WINDOW',
    `${height} × ${width} pixels from row ${row}, column ${column} are not inside the image.`,
    {
      where: file,
      hint: `The image has ${size.height} rows and ${size.width} columns.`,
    },
  );
}

function checkBands(
  bands: readonly number[] | undefined,
  bandCount: number,
  file: string,
): readonly number[] {
  if (!bands) return Array.from({ length: bandCount }, (_, band) => band);
  const missing = bands.find((band) => !Number.isInteger(band) || band < 0 || band >= bandCount);
  if (missing === undefined && bands.length > 0) return bands;
  throw new InputError('IMAGE_BANDS', `Band ${missing ?? '(none)'} is not in the image.`, {
    where: file,
    hint: `The image has bands 0 to ${bandCount - 1}.`,
  });
}

function fail(file: string, cause: unknown): never {
  if (cause instanceof InputError) throw cause;
  if (['EACCES', 'EPERM', 'ENOENT'].includes(systemCode(cause))) throw readError(cause, file);
  throw unreadable(
    file,
    `the TIFF is damaged, cut off or of a kind that is not read (${messageOf(cause)}).`,
    undefined,
    cause,
  );
}
