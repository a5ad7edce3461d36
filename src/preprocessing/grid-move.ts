import type { Affine, SampleImage } from '../datasets/sample.js';
import { InputError } from '../errors.js';
import type { PixelArray } from '../io/raster.js';
import type { Window } from '../io/window.js';
import { compose } from './affine.js';
import type { Size } from './step.js';

/** Where each pixel of a new grid comes from: pixels change their place, not their value. */
export interface GridMove extends Size {
  /** Row of the source for each row of the new grid (with `isTransposed` its column); −1: outside. */
  readonly rows: Int32Array;
  /** Column of the source for each column of the new grid (with `isTransposed` its row); −1: outside. */
  readonly columns: Int32Array;
  readonly isTransposed: boolean;
  /** Place in the source of a place in the new grid, both in pixels from the upper left corner. */
  readonly toSource: Affine;
}

/** The move of a grid of any size: modalities and targets of one sample may have their own. */
export type MoveOf = (grid: Size) => GridMove;

/**
 * A window of the frame. It may reach over the border: pixels there are outside.
 * @param frame grid that the window is stated in
 * @throws InputError CROP_FRACTION for a grid in which the window does not lie on whole pixels
 */
export const cropMove =
  (frame: Size, window: Window): MoveOf =>
  (grid) => {
    const [down, across] = [grid.height / frame.height, grid.width / frame.width];
    const [row, height] = [window.row * down, window.height * down];
    const [column, width] = [window.column * across, window.width * across];
    if (![row, height, column, width].every(Number.isInteger)) throw fraction(frame, grid, window);
    return {
      height,
      width,
      rows: inside(height, row, grid.height),
      columns: inside(width, column, grid.width),
      isTransposed: false,
      toSource: [1, 0, column, 0, 1, row],
    };
  };

const inside = (length: number, start: number, size: number): Int32Array =>
  Int32Array.from({ length }, (_, at) => (start + at >= 0 && start + at < size ? start + at : -1));

function fraction(frame: Size, grid: Size, window: Window): InputError {
  return new InputError(
    'CROP_FRACTION',
    `A window of ${window.height} × ${window.width} at row ${window.row}, column ${window.column} of ${frame.height} × ${frame.width} pixels ` +
      `does not lie on whole pixels of a grid of ${grid.height} × ${grid.width}.`,
    { hint: 'Resize the modalities of the sample to one size first: resizeTo({ size }).' },
  );
}

export type PadMode = 'constant' | 'reflect' | 'replicate';

export interface Edges {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** More pixels at the edges: none (`constant`), the image mirrored at its border pixel, or the border pixel again. */
export const padMove =
  ({ top, bottom, left, right }: Edges, mode: PadMode): MoveOf =>
  ({ height, width }) => ({
    height: height + top + bottom,
    width: width + left + right,
    rows: padded(height, top, bottom, mode),
    columns: padded(width, left, right, mode),
    isTransposed: false,
    toSource: [1, 0, -left, 0, 1, -top],
  });

function padded(size: number, before: number, after: number, mode: PadMode): Int32Array {
  if (mode === 'reflect' && Math.max(before, after) >= size) {
    throw new InputError(
      'PAD_TOO_WIDE',
      `${size} pixels cannot be mirrored over ${Math.max(before, after)}.`,
      {
        hint: 'A mirror holds at most one pixel less than the image; take "replicate" or "constant".',
      },
    );
  }
  return Int32Array.from({ length: before + size + after }, (_, at) => {
    const from = at - before;
    if (from >= 0 && from < size) return from;
    if (mode === 'constant') return -1;
    if (mode === 'replicate') return from < 0 ? 0 : size - 1;
    return from < 0 ? -from : 2 * (size - 1) - from;
  });
}

/** Mirrored left to right, top to bottom, or both. */
export const flipMove =
  (isAcross: boolean, isDown: boolean): MoveOf =>
  ({ height, width }) => ({
    height,
    width,
    rows: counted(height, isDown),
    columns: counted(width, isAcross),
    isTransposed: false,
    toSource: [isAcross ? -1 : 1, 0, isAcross ? width : 0, 0, isDown ? -1 : 1, isDown ? height : 0],
  });

const counted = (length: number, isBackwards: boolean): Int32Array =>
  Int32Array.from({ length }, (_, at) => (isBackwards ? length - 1 - at : at));

/** Quarter turns counter-clockwise, 0 … 3. */
export const turnMove =
  (turns: number): MoveOf =>
  (grid) => {
    if (turns % 2 === 0) return flipMove(turns === 2, turns === 2)(grid);
    const { height, width } = grid;
    const isThree = turns === 3;
    // one turn: new row r is the source's column width − 1 − r; three: new column c is its row height − 1 − c
    return {
      height: width,
      width: height,
      rows: counted(width, !isThree),
      columns: counted(height, isThree),
      isTransposed: true,
      toSource: isThree ? [0, 1, 0, -1, 0, height] : [0, -1, width, 1, 0, 0],
    };
  };

/** `data` [time, height, width, channel] on the new grid; `outside` stands where there was no pixel. */
export function movePixels<T extends PixelArray>(
  data: T,
  { width, height }: Size,
  channels: number,
  move: GridMove,
  outside = 0,
): T {
  const times = data.length / (height * width * channels);
  const out = new (data.constructor as new (length: number) => T)(
    times * move.height * move.width * channels,
  );
  const { rows, columns, isTransposed } = move;
  const down = (isTransposed ? 1 : width) * channels;
  const across = (isTransposed ? width : 1) * channels;
  let at = 0;
  for (let time = 0; time < times; time++) {
    const start = time * height * width * channels;
    for (const row of rows) {
      for (const column of columns) {
        if (row < 0 || column < 0) out.fill(outside, at, at + channels);
        else {
          const from = start + row * down + column * across;
          for (let channel = 0; channel < channels; channel++) out[at + channel] = data[from + channel]!;
        }
        at += channels;
      }
    }
  }
  return out;
}

/** An image on the new grid: its mask and its place move with it; pixels from outside are masked. */
export function moveImage(
  image: SampleImage,
  moveOf: MoveOf,
  outside = 0,
  isOutsideValid = false,
): SampleImage {
  const channels = image.bands.length;
  const move = moveOf(image);
  const isWhole = isOutsideValid || !(move.rows.includes(-1) || move.columns.includes(-1));
  const valid = image.valid ?? (isWhole ? null : new Uint8Array(image.data.length).fill(1));
  return {
    ...image,
    height: move.height,
    width: move.width,
    data: movePixels(image.data, image, channels, move, outside),
    valid: valid && movePixels(valid, image, channels, move, isOutsideValid ? 1 : 0),
    transform: image.transform && compose(image.transform, move.toSource),
  };
}
