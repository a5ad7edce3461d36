import type { Affine } from '../datasets/sample.js';

export const IDENTITY: Affine = [1, 0, 0, 0, 1, 0];

/** First `inner`, then `outer`. */
export const compose = ([a, b, c, d, e, f]: Affine, inner: Affine): Affine => {
  const [g, h, i, j, k, l] = inner;
  return [a * g + b * j, a * h + b * k, a * i + b * l + c, d * g + e * j, d * h + e * k, d * i + e * l + f];
};

/** The map back. */
export function invert([a, b, c, d, e, f]: Affine): Affine {
  const size = a * e - b * d;
  return [e / size, -b / size, (b * f - e * c) / size, -d / size, a / size, (d * c - a * f) / size];
}

export const applyTo = ([a, b, c, d, e, f]: Affine, x: number, y: number): [number, number] => [
  a * x + b * y + c,
  d * x + e * y + f,
];
