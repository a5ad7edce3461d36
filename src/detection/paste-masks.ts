import type { Boxes } from './boxes.js';

/** Probabilities of an object, drawn in its box. */
export interface MaskPatch {
  /** [side, side] */
  readonly values: Float32Array;
  readonly side: number;
}

/**
 * The patch, padded by zeros, resized bilinearly to its box, grown alike and cut to whole pixels, in an empty image.
 * Reference: torchvision, paste_masks_in_image.
 * @param box left, top, right, bottom in pixels of the image
 * @param padding zeros on every side of the patch, before it is resized
 * @returns [height, width], 0 … 1
 */
export function pasteMask(
  { values, side }: MaskPatch,
  box: Boxes,
  [height, width]: readonly [number, number],
  padding = 1,
): Float32Array {
  const image = new Float32Array(height * width);
  const factor = (side + 2 * padding) / side;
  const [left, right] = grown(box[0]!, box[2]!, factor);
  const [top, bottom] = grown(box[1]!, box[3]!, factor);
  const rows = samples(Math.max(1, bottom - top + 1), side + 2 * padding);
  const columns = samples(Math.max(1, right - left + 1), side + 2 * padding);
  const at = (row: number, column: number): number =>
    row < padding || column < padding || row >= side + padding || column >= side + padding
      ? 0
      : values[(row - padding) * side + column - padding]!;
  for (let y = Math.max(top, 0); y < Math.min(bottom + 1, height); y++) {
    const down = rows[y - top];
    if (!down) break;
    for (let x = Math.max(left, 0); x < Math.min(right + 1, width); x++) {
      const across = columns[x - left];
      if (!across) break;
      const upper = at(down.from, across.from) * (1 - across.share) + at(down.from, across.to) * across.share;
      const lower = at(down.to, across.from) * (1 - across.share) + at(down.to, across.to) * across.share;
      image[y * width + x] = upper * (1 - down.share) + lower * down.share;
    }
  }
  return image;
}

/** Both ends of a side, grown by the padding and cut off to whole pixels. */
function grown(low: number, high: number, factor: number): readonly [number, number] {
  const { fround } = Math;
  const half = fround(fround(fround(high - low) * 0.5) * fround(factor));
  const centre = fround(fround(high + low) * 0.5);
  return [Math.trunc(fround(centre - half)), Math.trunc(fround(centre + half))];
}

/** Neighbours and weight of each of `count` pixels that a side of the padded patch is resized to. */
function samples(
  count: number,
  side: number,
): { readonly from: number; readonly to: number; readonly share: number }[] {
  const last = side - 1;
  const step = side / count;
  return Array.from({ length: count }, (_, at) => {
    const place = Math.max(0, (at + 0.5) * step - 0.5);
    const from = Math.min(last, Math.floor(place));
    return { from, to: Math.min(last, from + 1), share: place - from };
  });
}
