import type { PixelArray, RasterArray } from '../raster.js';
import type { Transform } from './georeference.js';

/** Pixels on the ground. */
export interface Grid {
  readonly transform: Transform;
  readonly height: number;
  readonly width: number;
}

/**
 * An image on another grid of the same coordinate system: each pixel takes the value under its centre, found by both
 * transforms; so a 60 m band comes to lie under the 10 m bands of its scene.
 * @param outside value where the image does not reach
 * @throws RangeError where the image's transform has no area
 */
export function nearestOnGrid(
  image: RasterArray & { readonly transform: Transform },
  grid: Grid,
  outside: number,
): RasterArray {
  const { data, height, width, bandCount } = image;
  const [a, b, c, d, e, f] = image.transform;
  const area = a * e - b * d;
  if (area === 0) throw new RangeError('The transform of the image has no area.');
  const out = new (data.constructor as new (length: number) => PixelArray)(
    grid.height * grid.width * bandCount,
  );
  const [ga, gb, gc, gd, ge, gf] = grid.transform;
  for (let row = 0, to = 0; row < grid.height; row++) {
    for (let column = 0; column < grid.width; column++, to += bandCount) {
      const x = ga * (column + 0.5) + gb * (row + 0.5) + gc - c;
      const y = gd * (column + 0.5) + ge * (row + 0.5) + gf - f;
      const fromColumn = Math.floor((e * x - b * y) / area);
      const fromRow = Math.floor((a * y - d * x) / area);
      const isInside = fromColumn >= 0 && fromColumn < width && fromRow >= 0 && fromRow < height;
      const from = (fromRow * width + fromColumn) * bandCount;
      for (let band = 0; band < bandCount; band++) out[to + band] = isInside ? data[from + band]! : outside;
    }
  }
  return { data: out, height: grid.height, width: grid.width, bandCount };
}
