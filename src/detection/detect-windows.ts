import { UsageError } from '../errors.js';
import { coveringWindows, type Window } from '../io/window.js';
import type { DetectedObject } from '../metrics/coco/coco-metric.js';
import { mergeWindows, type PlacedDetection, type WindowDetections } from './merge-windows.js';
import { placeMask } from './placed-mask.js';

export interface DetectWindowsOptions {
  /** Side of a window, pixels. */
  readonly window: number;
  /** Pixels that neighbouring windows share at least: as long as most objects. */
  readonly overlap: number;
  /** As in `MergeOptions`. */
  readonly suppression?: number;
  /** Called after each window. */
  readonly onWindow?: (done: number, count: number) => void | Promise<void>;
}

/**
 * Detects on a raster of any size, window by window: nothing is held but what was found.
 * @param detect finds what is in a window, boxes and masks in its pixels
 * @returns detections of the raster, best first, see `mergeWindows`
 * @throws UsageError STEP_OPTION where windows leave gaps; what `detect` throws
 */
export async function detectWindows(
  { height, width }: { readonly height: number; readonly width: number },
  detect: (window: Window) => Promise<readonly DetectedObject[]>,
  { window: side, overlap, suppression, onWindow }: DetectWindowsOptions,
): Promise<PlacedDetection[]> {
  requireWindows({ window: side, overlap });
  const windows = coveringWindows(height, width, side, side - overlap);
  const found: WindowDetections[] = [];
  for (const [at, window] of windows.entries()) {
    const detected = (await detect(window)).map((detection) => placed(detection, window));
    found.push({ window, detected });
    await onWindow?.(at + 1, windows.length);
  }
  return mergeWindows(found, { height, width, overlap, ...(suppression !== undefined && { suppression }) });
}

/** @throws UsageError STEP_OPTION where windows leave gaps */
export function requireWindows({
  window: side,
  overlap,
}: Pick<DetectWindowsOptions, 'window' | 'overlap'>): void {
  const isWhole = Number.isInteger(side) && Number.isInteger(overlap) && overlap >= 0;
  if (isWhole && overlap < side) return;
  throw new UsageError('STEP_OPTION', `Windows of ${side} pixels cannot share ${overlap}.`, {
    hint: 'Both are whole numbers of pixels, and the overlap is smaller than the window.',
  });
}

function placed(
  { label, score, box: [x, y, width, height], mask }: DetectedObject,
  window: Window,
): PlacedDetection {
  const onRaster = mask && placeMask(mask, window);
  return {
    ...{ label, score, box: [x + window.column, y + window.row, width, height] },
    ...(onRaster && { mask: onRaster }),
  };
}
