import { roundHalfEven } from '../round-half-even.js';
import type { Boxes } from './boxes.js';

/** Shapes of the anchors of one level. */
export interface AnchorShapes {
  /** Roots of the areas, in pixels of the image. */
  readonly sizes: readonly number[];
  /** Height over width. */
  readonly aspectRatios: readonly number[];
}

/** Anchors around 0, sides rounded to whole pixels: [ratio · size, 4], the sizes of a ratio one after another. */
export function cellAnchors({ sizes, aspectRatios }: AnchorShapes): Boxes {
  const { fround } = Math;
  return Float32Array.from(
    aspectRatios.flatMap((ratio) => {
      const tall = fround(Math.sqrt(fround(ratio)));
      const wide = fround(1 / tall);
      return sizes.flatMap((size) => {
        const [x, y] = [fround(wide * size) / 2, fround(tall * size) / 2];
        return [-x, -y, x, y].map(roundHalfEven);
      });
    }),
  );
}

/**
 * The anchors of one level: [row · column · anchor, 4]. Reference: torchvision, AnchorGenerator; the stride is a whole
 * number of pixels, cut off.
 * @param imageSize [height, width] of the padded batch
 * @param mapSize [height, width] of the level
 */
export function gridAnchors(
  shapes: AnchorShapes,
  imageSize: readonly [number, number],
  mapSize: readonly [number, number],
): Boxes {
  const cell = cellAnchors(shapes);
  const [rows, columns] = mapSize;
  const [down, across] = [Math.floor(imageSize[0] / rows), Math.floor(imageSize[1] / columns)];
  const anchors = new Float32Array(rows * columns * cell.length);
  let to = 0;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      for (let at = 0; at < cell.length; at++)
        anchors[to++] = cell[at]! + (at % 2 === 0 ? column * across : row * down);
  return anchors;
}
