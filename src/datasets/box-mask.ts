import { InputError } from '../errors.js';
import type { LabelArray } from '../io/raster.js';

/** Pixels from the upper left corner; the far edges are not part of the box. */
export interface Box {
  readonly xmin: number;
  readonly ymin: number;
  readonly xmax: number;
  readonly ymax: number;
}

/**
 * A mask with 1 inside any of the boxes: rows [ymin, ymax), columns [xmin, xmax), fractions cut off.
 * Boxes are clipped to the image.
 * @throws InputError BOX_INVALID for a box without area or wholly outside, naming its number in the file
 */
export function boxMask(boxes: readonly Box[], height: number, width: number, file: string): LabelArray {
  const data = new Uint8Array(height * width);
  for (const [index, box] of boxes.entries()) {
    const [left, top, right, bottom] = [box.xmin, box.ymin, box.xmax, box.ymax].map(Math.trunc) as [
      number,
      number,
      number,
      number,
    ];
    const isInside = right > 0 && bottom > 0 && left < width && top < height;
    if (!(right > left && bottom > top && isInside)) {
      throw new InputError(
        'BOX_INVALID',
        `Box ${index + 1} is [${left}, ${top}, ${right}, ${bottom}] (left, top, right, bottom).`,
        {
          where: file,
          hint: `It has no area, or lies outside the image of ${width} × ${height} pixels. Correct or remove it.`,
        },
      );
    }
    for (let row = Math.max(0, top); row < Math.min(height, bottom); row++) {
      data.fill(1, row * width + Math.max(0, left), row * width + Math.min(width, right));
    }
  }
  return { data, height, width };
}
