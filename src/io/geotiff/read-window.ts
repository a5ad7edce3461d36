import { InputError } from '../../errors.js';
import { tooLarge } from '../format-error.js';
import { MAX_IMAGE_BYTES } from '../image-error.js';
import type { PixelArray } from '../raster.js';
import type { Window } from '../window.js';
import type { ReadGeoTiffOptions } from './geo-raster.js';
import type { Transform } from './georeference.js';

interface Size {
  readonly height: number;
  readonly width: number;
}

/** The window that is read. @throws InputError IMAGE_WINDOW */
export function checkWindow(
  { window, boundless = false }: ReadGeoTiffOptions,
  size: Size,
  where: string,
): Window {
  if (!window) return { row: 0, column: 0, height: size.height, width: size.width };
  const { row, column, height, width } = window;
  const isWhole = [row, column, height, width].every(Number.isSafeInteger) && height > 0 && width > 0;
  const isInside = row >= 0 && column >= 0 && row + height <= size.height && column + width <= size.width;
  if (isWhole && (isInside || boundless)) return window;
  throw new InputError(
    'IMAGE_WINDOW',
    `${height} × ${width} pixels from row ${row}, column ${column} are not inside the image.`,
    { where, hint: `The image has ${size.height} rows and ${size.width} columns.` },
  );
}

/** The part of a window that lies in the image; it may be empty. */
export function intersect(window: Window, size: Size): Window {
  const row = Math.min(Math.max(window.row, 0), size.height);
  const column = Math.min(Math.max(window.column, 0), size.width);
  return {
    row,
    column,
    height: Math.max(0, Math.min(window.row + window.height, size.height) - row),
    width: Math.max(0, Math.min(window.column + window.width, size.width) - column),
  };
}

/** The pixels of `inside` in an image of the size of `wanted`; around them nothing counts. */
export function embed(
  { data, valid }: { data: PixelArray; valid: Uint8Array | null },
  { height, width, bandCount }: Size & { bandCount: number },
  inside: Window,
  wanted: Window,
  around: number,
): { data: PixelArray; valid: Uint8Array } {
  const length = wanted.height * wanted.width * bandCount;
  const out = new (data.constructor as new (length: number) => PixelArray)(length).fill(around);
  const mask = new Uint8Array(length);
  for (let row = 0; row < height; row++) {
    const from = row * width * bandCount;
    const to = ((inside.row - wanted.row + row) * wanted.width + inside.column - wanted.column) * bandCount;
    out.set(data.subarray(from, from + width * bandCount), to);
    if (valid) mask.set(valid.subarray(from, from + width * bandCount), to);
    else mask.fill(1, to, to + width * bandCount);
  }
  return { data: out, valid: mask };
}

/** @throws InputError TOO_LARGE */
export function refuseHuge({ height, width }: Size, bands: number, sampleBytes: number, where: string): void {
  const bytes = height * width * bands * sampleBytes;
  if (bytes <= MAX_IMAGE_BYTES) return;
  throw tooLarge(
    where,
    `${height} × ${width} pixels with ${bands} bands are asked for; at most ${MAX_IMAGE_BYTES / 2 ** 30} GiB are read at once.`,
    'Read a window of it, or check that the file is whole and is what it says.',
  );
}

/** The transform of a smaller copy: the same ground under fewer pixels. */
export function scaleTransform([a, b, c, d, e, f]: Transform, full: Size, small: Size): Transform {
  if (full.width === small.width && full.height === small.height) return [a, b, c, d, e, f];
  const across = full.width / small.width;
  const down = full.height / small.height;
  return [a * across, b * down, c, d * across, e * down, f];
}
