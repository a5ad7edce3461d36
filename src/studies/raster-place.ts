import type { Affine } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { GeoTiffInfo } from '../io/geotiff.js';
import { metresBetween, toLonLat } from '../io/lon-lat.js';

/** Where a raster lies on Earth. */
export interface RasterPlace {
  readonly transform: Affine;
  /** `EPSG:n` */
  readonly crs: string;
  /** File that errors name. */
  readonly file: string;
}

/** @throws InputError GEOREFERENCE_MISSING */
export function placeOf({ transform, crs }: GeoTiffInfo, file: string): RasterPlace {
  if (transform && crs !== null && crs.epsg !== null) return { transform, crs: `EPSG:${crs.epsg}`, file };
  const lack =
    crs === null || !transform
      ? 'does not say where on Earth it lies'
      : 'has a coordinate system without an EPSG code';
  throw new InputError('GEOREFERENCE_MISSING', `The raster ${lack}.`, {
    where: file,
    hint: 'Give it one, e.g. gdal_edit -a_srs EPSG:32613 -a_ullr LEFT TOP RIGHT BOTTOM FILE; detections are written in its coordinates.',
  });
}

/** Width in metres of the pixel in the middle of an image; null where it has no place, or a coordinate system that is not known. */
export async function pixelWidthM({
  crs,
  transform,
  height,
  width,
}: {
  readonly crs: string | null;
  readonly transform: Affine | null;
  readonly height: number;
  readonly width: number;
}): Promise<number | null> {
  const project = crs !== null && transform ? await toLonLat(crs) : undefined;
  if (!project || !transform) return null;
  const [a, b, c, d, e, f] = transform;
  const at = (column: number, row: number) => project(a * column + b * row + c, d * column + e * row + f);
  const [left, right] = [at(width / 2, height / 2), at(width / 2 + 1, height / 2)];
  return left && right && metresBetween(left, right);
}

/** Pixels that differ more from those of the training show objects of other sizes. */
const MOST_SCALE = 1.25;

/** What is told where objects have another size than those that a detector was trained on; null: nothing. */
export function otherSize(
  rasterM: number | null,
  { id, gsdM }: { readonly id: string; readonly gsdM: number | null },
): string | null {
  if (gsdM === null || rasterM === null || Math.max(rasterM / gsdM, gsdM / rasterM) <= MOST_SCALE)
    return null;
  const [own, trained] = [rasterM, gsdM].map((side) => Number(side.toPrecision(3)));
  return `A pixel of the raster is ${own} m wide, of ${id} ${trained} m: objects have another size than those trained on.`;
}
