/** A mask as COCO stores it: lengths of runs, down the columns, of 0 and 1 in turn; the first run is of 0 and may be empty. */
export interface RunLengthMask {
  readonly height: number;
  readonly width: number;
  readonly counts: readonly number[];
}

/** @param pixels [height, width], not 0 inside the object */
export function runLengthMask(pixels: ArrayLike<number>, height: number, width: number): RunLengthMask {
  const counts: number[] = [];
  let [value, run] = [false, 0];
  for (let column = 0; column < width; column++) {
    for (let row = 0; row < height; row++) {
      if ((pixels[row * width + column] !== 0) !== value) {
        counts.push(run);
        [value, run] = [!value, 0];
      }
      run += 1;
    }
  }
  if (run > 0) counts.push(run);
  return { height, width, counts };
}

/** Calls back for every run of 1, `from` up to but not including `to`, down the columns. */
function forRuns({ counts }: RunLengthMask, visit: (from: number, to: number) => void): void {
  let at = 0;
  for (const [index, count] of counts.entries()) {
    if (index % 2 === 1 && count > 0) visit(at, at + count);
    at += count;
  }
}

/** @returns [height, width], 0 or 1 */
export function maskPixels(mask: RunLengthMask): Uint8Array {
  const { height, width } = mask;
  const pixels = new Uint8Array(height * width);
  forRuns(mask, (from, to) => {
    for (let at = from; at < to; at++) pixels[(at % height) * width + Math.floor(at / height)] = 1;
  });
  return pixels;
}

/** Pixels inside. */
export const maskArea = ({ counts }: RunLengthMask): number =>
  counts.reduce((area, count, index) => (index % 2 === 1 ? area + count : area), 0);

/** The smallest box of whole pixels around a mask; four zeros without a pixel. */
export function maskBox(mask: RunLengthMask): readonly [x: number, y: number, width: number, height: number] {
  const { height } = mask;
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  forRuns(mask, (from, to) => {
    const [first, last] = [Math.floor(from / height), Math.floor((to - 1) / height)];
    left = Math.min(left, first);
    right = Math.max(right, last);
    // a run that goes on in the next column touches both edges
    top = Math.min(top, first < last ? 0 : from % height);
    bottom = Math.max(bottom, first < last ? height - 1 : (to - 1) % height);
  });
  return right < 0 ? [0, 0, 0, 0] : [left, top, right - left + 1, bottom - top + 1];
}

/** The pixels of a box of whole pixels: [height, width] of the box, 0 or 1. */
export function maskPart(
  mask: RunLengthMask,
  [left, top, width, height]: readonly [number, number, number, number],
): Uint8Array {
  const all = maskPixels(mask);
  const pixels = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) {
    const from = (top + row) * mask.width + left;
    pixels.set(all.subarray(from, from + width), row * width);
  }
  return pixels;
}

/** Pixels inside both masks, which have the same size. */
export function sharedArea(a: RunLengthMask, b: RunLengthMask): number {
  const runs: (readonly [number, number])[] = [];
  forRuns(b, (from, to) => runs.push([from, to]));
  let [shared, next] = [0, 0];
  forRuns(a, (from, to) => {
    while (next < runs.length && runs[next]![1] <= from) next += 1;
    for (let at = next; at < runs.length && runs[at]![0] < to; at++)
      shared += Math.min(to, runs[at]![1]) - Math.max(from, runs[at]![0]);
  });
  return shared;
}
