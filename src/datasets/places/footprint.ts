import type { Affine, SampleImage } from '../sample.js';

type Placed = Pick<SampleImage, 'height' | 'width'> & { readonly transform: Affine };

/** Whether an image says where it lies; a transform that counts pixels says nothing. */
export function isPlaced(
  image: SampleImage,
): image is SampleImage & { readonly transform: Affine; readonly crs: string } {
  const { crs, transform } = image;
  if (crs === null || transform === null) return false;
  const [a, , c, , e] = transform;
  return !(Math.abs(a) === 1 && Math.abs(e) === 1 && c === 0);
}

/** Corners in the coordinate system of the image, in the order in which they are drawn around it: x, y each. */
export function cornersOf({ transform: [a, b, c, d, e, f], height, width }: Placed): [number, number][] {
  const corner = (column: number, row: number): [number, number] => [
    a * column + b * row + c,
    d * column + e * row + f,
  ];
  return [corner(0, 0), corner(width, 0), corner(width, height), corner(0, height)];
}

/** Least x, least y, greatest x, greatest y. */
export function boxOf(image: Placed): [number, number, number, number] {
  const corners = cornersOf(image);
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
