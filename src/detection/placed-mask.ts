import {
  maskBox,
  maskPart,
  maskPixels,
  runLengthMask,
  type RunLengthMask,
} from '../metrics/coco/run-length-mask.js';

/** A mask on a raster: its own rows and columns are few, and begin at a pixel of the raster. */
export interface PlacedMask {
  readonly row: number;
  readonly column: number;
  readonly mask: RunLengthMask;
}

/** A mask of a window as one of the raster, cut to the object. @returns undefined without a pixel */
export function placeMask(
  mask: RunLengthMask,
  { row, column }: { readonly row: number; readonly column: number },
): PlacedMask | undefined {
  const box = maskBox(mask);
  const [left, top, width, height] = box;
  if (width === 0) return undefined;
  const own = runLengthMask(maskPart(mask, box), height, width);
  return { row: row + top, column: column + left, mask: own };
}

/** Pixels inside any of the masks. */
export function joinMasks(masks: readonly PlacedMask[]): PlacedMask {
  if (masks.length === 1) return masks[0]!;
  const row = Math.min(...masks.map((part) => part.row));
  const column = Math.min(...masks.map((part) => part.column));
  const height = Math.max(...masks.map((part) => part.row + part.mask.height)) - row;
  const width = Math.max(...masks.map((part) => part.column + part.mask.width)) - column;
  const pixels = new Uint8Array(height * width);
  for (const part of masks) {
    const own = maskPixels(part.mask);
    for (const [at, inside] of own.entries()) {
      if (inside === 0) continue;
      const y = part.row - row + Math.floor(at / part.mask.width);
      pixels[y * width + part.column - column + (at % part.mask.width)] = 1;
    }
  }
  return { row, column, mask: runLengthMask(pixels, height, width) };
}
