import { describe, expect, it } from 'vitest';
import { detectWindows } from '../../src/detection/detect-windows.js';
import { mergeWindows } from '../../src/detection/merge-windows.js';
import type { Window } from '../../src/io/window.js';
import type { DetectedObject } from '../../src/metrics/coco/coco-metric.js';
import { maskArea, runLengthMask } from '../../src/metrics/coco/run-length-mask.js';
import { createRandom } from '../../src/random.js';

const HEIGHT = 170;
const WIDTH = 260;

type Box = readonly [left: number, top: number, width: number, height: number];
interface Blob {
  readonly label: number;
  readonly box: Box;
}

/** Finds blobs as a detector does that knows nothing beyond its window: what is cut there has another box and a lower score. */
const detectorOf =
  (blobs: readonly Blob[], hasMasks = false) =>
  ({ row, column, height, width }: Window): Promise<DetectedObject[]> =>
    Promise.resolve(
      blobs.flatMap(({ label, box: [x, y, wide, high] }, at) => {
        const left = Math.max(x, column);
        const top = Math.max(y, row);
        const [w, h] = [Math.min(x + wide, column + width) - left, Math.min(y + high, row + height) - top];
        if (w < 2 || h < 2) return [];
        const share = (w * h) / (wide * high);
        const box: Box = [left - column, top - row, w, h];
        const pixels = new Uint8Array(height * width);
        for (let line = box[1]; line < box[1] + h; line++)
          pixels.fill(1, line * width + box[0], line * width + box[0] + w);
        const mask = hasMasks ? { mask: runLengthMask(pixels, height, width) } : {};
        return [{ label, score: (0.9 - 0.001 * at) * Math.sqrt(share), box, ...mask }];
      }),
    );

const placed = (detections: readonly { label: number; score: number; box: Box }[]) =>
  detections.map(({ label, score, box }) => [label, Math.round(1e6 * score), ...box].join(' ')).sort();
const wholeWindow = { row: 0, column: 0, height: HEIGHT, width: WIDTH };

describe('detections of overlapping windows', () => {
  it('are those of the whole raster, with objects on every seam', async () => {
    // windows of 100 that share 40 begin at rows 0, 35, 70 and columns 0, 53, 107, 160
    const blobs: Blob[] = [
      { label: 1, box: [90, 20, 20, 15] }, // on a vertical seam
      { label: 2, box: [95, 22, 22, 12] }, // beside it, of another class
      { label: 1, box: [10, 92, 25, 16] }, // on a horizontal one
      { label: 1, box: [148, 62, 25, 25] }, // where four windows meet
      { label: 1, box: [100, 95, 12, 12] }, // begins at the edge of a window
      { label: 1, box: [0, 0, 14, 12] }, // at the raster's own edges
      { label: 1, box: [240, 150, 20, 20] },
      { label: 1, box: [200, 30, 10, 10] },
    ];
    const detect = detectorOf(blobs);
    const merged = await detectWindows({ height: HEIGHT, width: WIDTH }, detect, {
      window: 100,
      overlap: 40,
    });
    expect(placed(merged)).toEqual(placed(await detect(wholeWindow)));
    expect(merged.map(({ score }) => score)).toEqual(merged.map(({ score }) => score).sort((a, b) => b - a));
  });

  it('are those of the whole raster for many objects anywhere, as long as none is longer than the overlap allows', async () => {
    const random = createRandom(11);
    for (const [window, overlap] of [
      [100, 48],
      [64, 32],
      [150, 33],
    ] as const) {
      const blobs: Blob[] = [];
      while (blobs.length < 40) {
        // an eighth of the overlap lies at each edge
        const longest = Math.floor(overlap * 0.75) - 2;
        const [wide, high] = [4 + random.integer(longest - 4), 4 + random.integer(longest - 4)];
        const box: Box = [random.integer(WIDTH - wide), random.integer(HEIGHT - high), wide, high];
        const isFree = blobs.every(
          ({ box: [x, y, w, h] }) =>
            box[0] >= x + w || x >= box[0] + wide || box[1] >= y + h || y >= box[1] + high,
        );
        if (isFree) blobs.push({ label: 1 + random.integer(3), box });
      }
      const detect = detectorOf(blobs);
      const merged = await detectWindows({ height: HEIGHT, width: WIDTH }, detect, { window, overlap });
      expect(placed(merged), `windows of ${window}`).toEqual(placed(await detect(wholeWindow)));
    }
  });

  it('of an object longer than the overlap are put together, its mask too', async () => {
    const long: Blob = { label: 3, box: [20, 40, 200, 12] };
    const merged = await detectWindows({ height: HEIGHT, width: WIDTH }, detectorOf([long], true), {
      ...{ window: 100, overlap: 24 },
    });
    expect(merged.map(({ label, box }) => [label, ...box])).toEqual([[3, 20, 40, 200, 12]]);
    const { mask, row, column } = merged[0]!.mask!;
    expect([row, column, mask.height, mask.width, maskArea(mask)]).toEqual([40, 20, 12, 200, 2400]);
  });

  it('go where they are cut and another window shows all of it without finding it, and stay where none does', () => {
    const left: Window = { row: 0, column: 0, height: 100, width: 100 };
    const right: Window = { row: 0, column: 60, height: 100, width: 100 };
    const options = { height: 100, width: 160, overlap: 40 };
    const apart = { label: 1, score: 0.8, box: [65, 40, 30, 8] as const };
    const shown = { label: 1, score: 0.4, box: [80, 10, 20, 8] as const };
    const long = { label: 1, score: 0.5, box: [30, 70, 70, 8] as const };
    const merged = mergeWindows(
      [
        { window: left, detected: [shown, long] },
        { window: right, detected: [apart] },
      ],
      options,
    );
    expect(merged).toMatchObject([apart, long]);
  });

  it('of the same object with slightly other boxes are the better one', () => {
    const left: Window = { row: 0, column: 0, height: 100, width: 100 };
    const right: Window = { row: 0, column: 60, height: 100, width: 100 };
    const [a, b] = [
      { label: 1, score: 0.7, box: [70, 40, 18, 18] as const },
      { label: 1, score: 0.8, box: [71, 41, 18, 17] as const },
    ];
    const other = { ...a, label: 2 };
    expect(
      mergeWindows(
        [
          { window: left, detected: [a, other] },
          { window: right, detected: [b] },
        ],
        { height: 100, width: 160, overlap: 40 },
      ),
    ).toEqual([b, other]);
  });

  it('need windows that leave no gap', async () => {
    for (const [window, overlap] of [
      [50, 50],
      [50, -1],
      [50.5, 10],
    ] as const)
      await expect(
        detectWindows({ height: 9, width: 9 }, () => Promise.resolve([]), { window, overlap }),
      ).rejects.toMatchObject({ code: 'STEP_OPTION' });
  });
});
