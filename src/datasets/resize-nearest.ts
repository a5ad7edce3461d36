import type { PixelArray } from '../io/raster.js';
import type { SampleImage } from './sample.js';

interface Size {
  readonly height: number;
  readonly width: number;
}

/** Row or column of the source under the centre of each wanted one, as GDAL chooses it. */
const nearestPlaces = (from: number, to: number): Int32Array =>
  // 1e-10: GDAL's guard against centres that fall a hair short of a pixel's edge
  Int32Array.from({ length: to }, (_, place) =>
    Math.min(from - 1, Math.floor(((place + 0.5) * from) / to + 1e-10)),
  );

/** Pixels, [height, width, band], at another size: each is the nearest one of the source. */
export function resizeNearest<T extends PixelArray>(
  data: T,
  { height, width, bandCount = 1 }: Size & { readonly bandCount?: number },
  to: Size,
): T {
  if (height === to.height && width === to.width) return data;
  const rows = nearestPlaces(height, to.height);
  const columns = nearestPlaces(width, to.width);
  const resized = new (data.constructor as new (length: number) => T)(to.height * to.width * bandCount);
  let at = 0;
  for (const row of rows) {
    for (const column of columns) {
      const from = (row * width + column) * bandCount;
      for (let band = 0; band < bandCount; band++) resized[at++] = data[from + band]!;
    }
  }
  return resized;
}

/** An image of one time step at another size, its mask and its place with it. */
export function resizeImageNearest(image: SampleImage, to: Size): SampleImage {
  const { height, width, transform } = image;
  if (height === to.height && width === to.width) return image;
  const size = { height, width, bandCount: image.bands.length };
  const [down, across] = [height / to.height, width / to.width];
  return {
    ...image,
    ...to,
    data: resizeNearest(image.data, size, to),
    valid: image.valid && resizeNearest(image.valid, size, to),
    transform: transform && [
      transform[0] * across,
      transform[1] * down,
      transform[2],
      transform[3] * across,
      transform[4] * down,
      transform[5],
    ],
  };
}
