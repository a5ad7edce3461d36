import type { LabelArray, PixelArray, RasterArray } from './raster.js';

/** A rectangle of an image, pixels from the upper left corner. */
export interface Window {
  readonly row: number;
  readonly column: number;
  readonly height: number;
  readonly width: number;
}

/** Windows side by side from the upper left corner; what is left over at the right and below is dropped. */
export function gridWindows(height: number, width: number, size: number): Window[] {
  const windows: Window[] = [];
  for (let row = 0; row + size <= height; row += size) {
    for (let column = 0; column + size <= width; column += size)
      windows.push({ row, column, height: size, width: size });
  }
  return windows;
}

/**
 * Windows that cover every pixel: as few as `stride` allows, evenly spread, the first and the last at the
 * borders. An image smaller than a window gives one window of the image's own size on that axis.
 */
export function coveringWindows(height: number, width: number, size: number, stride: number): Window[] {
  const rows = starts(height, size, stride);
  const columns = starts(width, size, stride);
  const [windowHeight, windowWidth] = [Math.min(size, height), Math.min(size, width)];
  return rows.flatMap((row) =>
    columns.map((column) => ({ row, column, height: windowHeight, width: windowWidth })),
  );
}

function starts(length: number, size: number, stride: number): number[] {
  if (length <= size) return [0];
  const count = Math.ceil((length - size) / stride) + 1;
  return Array.from({ length: count }, (_, index) => Math.round((index * (length - size)) / (count - 1)));
}

/** A copy of the window's pixels: [window.height, window.width, band]. */
export function cropRaster(image: RasterArray, window: Window): RasterArray {
  const data = cropRows(image.data, image.width * image.bandCount, window, image.bandCount);
  return { data, height: window.height, width: window.width, bandCount: image.bandCount };
}

/** A copy of the window's labels: [window.height, window.width]. */
export function cropLabels(labels: LabelArray, window: Window): LabelArray {
  const data = cropRows(labels.data, labels.width, window, 1);
  return { data, height: window.height, width: window.width };
}

function cropRows<T extends PixelArray>(data: T, rowLength: number, window: Window, bandCount: number): T {
  const length = window.width * bandCount;
  const out = new (data.constructor as new (size: number) => T)(window.height * length);
  for (let row = 0; row < window.height; row++) {
    const start = (window.row + row) * rowLength + window.column * bandCount;
    out.set(data.subarray(start, start + length) as never, row * length);
  }
  return out;
}
