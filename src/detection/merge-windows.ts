import type { Window } from '../io/window.js';
import { boxOverlap, type CocoBox } from '../metrics/coco/object-overlap.js';
import type { DetectedObject } from '../metrics/coco/coco-metric.js';
import { joinMasks, type PlacedMask } from './placed-mask.js';

/** A detection on a raster, its box in the raster's pixels. */
export interface PlacedDetection extends Pick<DetectedObject, 'label' | 'score' | 'box'> {
  readonly mask?: PlacedMask;
}

/** What was found in a window, boxes in the raster's pixels. */
export interface WindowDetections {
  readonly window: Window;
  readonly detected: readonly PlacedDetection[];
}

export interface MergeOptions {
  readonly height: number;
  readonly width: number;
  /** Pixels that neighbouring windows share at least. */
  readonly overlap: number;
  /** Intersection over union from which the better of two detections of a class stays. Default 0.5. */
  readonly suppression?: number;
}

/** Share of a cut detection inside a whole one of its class from which it is a piece of it. */
const PIECE = 0.5;
/** A detection is cut that comes as near to an inner edge as this share of the overlap. */
const EDGE = 1 / 8;

/**
 * Puts the detections of overlapping windows together:
 *
 * 1. A detection is cut where it comes within an eighth of the overlap of an edge of its window that is none of the raster's.
 * 2. Of whole detections of a class that overlap, the best stays, as inside a window.
 * 3. A cut detection goes where another window shows all of it uncut, which knows better, or where half or more of it lies
 *    in a whole one of its class, of which it is a piece.
 * 4. Cut detections of a class that agree in what their windows share are one object, longer than the overlap: the hull of
 *    all, with the best score. The others stay as they are.
 * 5. What 4 gave and the whole ones suppress each other once more.
 * @returns best first
 */
export function mergeWindows(found: readonly WindowDetections[], options: MergeOptions): PlacedDetection[] {
  const { suppression = 0.5 } = options;
  const whole: PlacedDetection[] = [];
  const cut: CutDetection[] = [];
  for (const { window, detected } of found)
    for (const detection of detected)
      if (isCut(detection.box, window, options)) cut.push({ ...detection, window });
      else whole.push(detection);
  const kept = suppressed(whole, suppression);
  const grid = new BoxGrid();
  for (const [at, { box }] of kept.entries()) grid.add(at, box);
  const windows = new BoxGrid();
  for (const [at, { window }] of found.entries()) windows.add(at, boxOf(window));
  const isShownUncut = ({ box }: CutDetection): boolean =>
    windows.near(box).some((at) => holds(found[at]!.window, box) && !isCut(box, found[at]!.window, options));
  const isPiece = ({ label, box }: CutDetection): boolean =>
    grid.near(box).some((at) => kept[at]!.label === label && boxOverlap(box, kept[at]!.box, true) >= PIECE);
  const pieces = cut.filter((detection) => !isShownUncut(detection) && !isPiece(detection));
  return pieces.length === 0 ? kept : suppressed([...kept, ...joined(pieces)], suppression);
}

interface CutDetection extends PlacedDetection {
  readonly window: Window;
}

function isCut(
  [left, top, width, height]: CocoBox,
  window: Window,
  { height: rows, width: columns, overlap }: MergeOptions,
): boolean {
  const margin = overlap * EDGE;
  const [right, bottom] = [window.column + window.width, window.row + window.height];
  return (
    (window.column > 0 && left < window.column + margin) ||
    (window.row > 0 && top < window.row + margin) ||
    (right < columns && left + width > right - margin) ||
    (bottom < rows && top + height > bottom - margin)
  );
}

const boxOf = ({ row, column, height, width }: Window): CocoBox => [column, row, width, height];

const holds = (window: Window, [left, top, width, height]: CocoBox): boolean =>
  left >= window.column &&
  top >= window.row &&
  left + width <= window.column + window.width &&
  top + height <= window.row + window.height;

/** Best first, without those that overlap a better one of their class. */
function suppressed(detections: readonly PlacedDetection[], overlap: number): PlacedDetection[] {
  const kept: PlacedDetection[] = [];
  const grid = new BoxGrid();
  for (const detection of [...detections].sort((a, b) => b.score - a.score)) {
    const { label, box } = detection;
    const isTaken = grid
      .near(box)
      .some((at) => kept[at]!.label === label && boxOverlap(box, kept[at]!.box) > overlap);
    if (isTaken) continue;
    grid.add(kept.length, box);
    kept.push(detection);
  }
  return kept;
}

/** Cut detections that are one object put together, the others as they are. */
function joined(pieces: readonly CutDetection[]): PlacedDetection[] {
  const groupOf = pieces.map((_, at) => at);
  const rootOf = (at: number): number => {
    let root = at;
    while (groupOf[root] !== root) root = groupOf[root]!;
    groupOf[at] = root;
    return root;
  };
  const grid = new BoxGrid();
  for (const [at, piece] of pieces.entries()) {
    for (const other of grid.near(piece.box)) {
      const a = rootOf(other);
      const b = rootOf(at);
      if (a !== b && isOneObject(piece, pieces[other]!)) groupOf[b] = a;
    }
    grid.add(at, piece.box);
  }
  const groups = new Map<number, CutDetection[]>();
  for (const [at, piece] of pieces.entries()) {
    const root = rootOf(at);
    groups.set(root, [...(groups.get(root) ?? []), piece]);
  }
  return [...groups.values()].map((members) => {
    const { label } = members[0]!;
    const masks = members.flatMap(({ mask }) => mask ?? []);
    return {
      label,
      score: Math.max(...members.map(({ score }) => score)),
      box: hullOf(members.map(({ box }) => box)),
      ...(masks.length > 0 && { mask: joinMasks(masks) }),
    };
  });
}

/** Whether two pieces say the same of what their windows share. */
function isOneObject(a: CutDetection, b: CutDetection): boolean {
  if (a.label !== b.label || a.window === b.window) return false;
  const [inA, inB] = [clipped(a.box, b.window), clipped(b.box, a.window)];
  return inA !== null && inB !== null && boxOverlap(inA, inB) >= PIECE;
}

function clipped([left, top, width, height]: CocoBox, window: Window): CocoBox | null {
  const [x, y] = [Math.max(left, window.column), Math.max(top, window.row)];
  const right = Math.min(left + width, window.column + window.width);
  const bottom = Math.min(top + height, window.row + window.height);
  return right > x && bottom > y ? [x, y, right - x, bottom - y] : null;
}

function hullOf(boxes: readonly CocoBox[]): CocoBox {
  const left = Math.min(...boxes.map(([x]) => x));
  const top = Math.min(...boxes.map(([, y]) => y));
  const right = Math.max(...boxes.map(([x, , width]) => x + width));
  const bottom = Math.max(...boxes.map(([, y, , height]) => y + height));
  return [left, top, right - left, bottom - top];
}

/** Side of a cell in pixels: boxes lie in a few. */
const CELL = 64;

/** Finds boxes near a box without a look at all. */
class BoxGrid {
  readonly #cells = new Map<number, number[]>();

  add(at: number, box: CocoBox): void {
    for (const key of keysOf(box)) {
      const cell = this.#cells.get(key);
      if (cell) cell.push(at);
      else this.#cells.set(key, [at]);
    }
  }

  near(box: CocoBox): number[] {
    return [...new Set(keysOf(box).flatMap((key) => this.#cells.get(key) ?? []))];
  }
}

/** Columns of cells that are told apart: of rasters of 4 · 10⁹ pixels a side. */
const COLUMNS = 2 ** 26;

function keysOf([left, top, width, height]: CocoBox): number[] {
  const keys: number[] = [];
  for (let row = Math.floor(top / CELL); row <= Math.floor((top + height) / CELL); row++)
    for (let column = Math.floor(left / CELL); column <= Math.floor((left + width) / CELL); column++)
      keys.push(row * COLUMNS + column);
  return keys;
}
