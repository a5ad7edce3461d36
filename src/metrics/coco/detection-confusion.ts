import type { DetectedImage } from './coco-metric.js';
import { matchObjects, NOTHING, type MatchOptions } from './match-objects.js';

/** What each class is taken for, objects and detections together. */
export interface DetectionConfusion {
  /** Labels that occur, or those asked for. */
  readonly labels: readonly number[];
  /**
   * [truth, prediction], row by row, one more than labels each: the last row is the background (detections of nothing),
   * the last column what was missed. The last cell is 0.
   */
  readonly counts: readonly number[];
  readonly images: number;
  readonly overlap: number;
  readonly minScore: number;
}

export interface DetectionConfusionOptions extends MatchOptions {
  /** Default: all that occur in truth or detections, rising. */
  readonly labels?: readonly number[];
}

/**
 * Counts what objects were detected as. Detections from a score on are matched, best first, with the free object that they
 * overlap most, whatever its class; what falls on a crowd does not count.
 */
export function detectionConfusion(
  images: readonly DetectedImage[],
  options: DetectionConfusionOptions = {},
): DetectionConfusion {
  const { overlap = 0.5, minScore = 0.5 } = options;
  const occurring = images.flatMap(({ truth, detected }) =>
    [...truth, ...detected].map(({ label }) => label),
  );
  const labels = options.labels ?? [...new Set(occurring)].sort((a, b) => a - b);
  const placeOf = new Map(labels.map((label, at) => [label, at]));
  const side = labels.length + 1;
  const counts = new Array<number>(side * side).fill(0);
  const count = (row: number | undefined, column: number | undefined): void => {
    if (row !== undefined && column !== undefined) counts[row * side + column]! += 1;
  };
  for (const image of images) {
    const { truth, detected } = image;
    const { objectOf, detectionOf } = matchObjects(image, options);
    for (const [at, object] of objectOf.entries()) {
      const column = placeOf.get(detected[at]!.label);
      if (object >= 0) count(placeOf.get(truth[object]!.label), column);
      else if (object === NOTHING) count(labels.length, column);
    }
    for (const [at, detection] of detectionOf.entries())
      if (detection === NOTHING && !truth[at]!.isCrowd) count(placeOf.get(truth[at]!.label), labels.length);
  }
  return { labels, counts, images: images.length, overlap, minScore };
}
