import type { DetectedImage, DetectedObject, TrueObject } from './coco-metric.js';
import { boxOverlap, maskOverlap } from './object-overlap.js';

export interface MatchOptions {
  /** What overlaps: boxes (default) or masks, where both have one. */
  readonly of?: 'box' | 'mask';
  /** Least intersection over union. Default 0.5. */
  readonly overlap?: number;
  /** Least score of a detection. Default 0.5. */
  readonly minScore?: number;
}

/** What became of an image's detections and objects, whatever their classes. */
export interface ObjectMatches {
  /** Of each detection: the object that it found; −1: none; −2: on a crowd, which is neither right nor wrong; −3: below the score. */
  readonly objectOf: readonly number[];
  /** Of each object: the detection that found it; −1: none. A crowd is never found. */
  readonly detectionOf: readonly number[];
}

export const NOTHING = -1;
export const ON_CROWD = -2;
export const UNLIKELY = -3;

/**
 * Gives each detection, best first, the free object that it overlaps most; of equal overlaps one of its own class, then the
 * earlier. Classes do not count else: what one is taken for is the question.
 */
export function matchObjects(
  { truth, detected }: DetectedImage,
  { of = 'box', overlap = 0.5, minScore = 0.5 }: MatchOptions = {},
): ObjectMatches {
  const objectOf: number[] = detected.map(({ score }) => (score >= minScore ? NOTHING : UNLIKELY));
  const detectionOf: number[] = truth.map(() => NOTHING);
  const overlapOf = (detection: DetectedObject, object: TrueObject): number =>
    of === 'mask' && detection.mask && object.mask
      ? maskOverlap(detection.mask, object.mask, object.isCrowd)
      : boxOverlap(detection.box, object.box, object.isCrowd);
  const order = [...detected.keys()]
    .filter((at) => objectOf[at] === NOTHING)
    .sort((a, b) => detected[b]!.score - detected[a]!.score);
  for (const at of order) {
    const detection = detected[at]!;
    let [best, most]: [number, number] = [NOTHING, overlap];
    for (const [object, candidate] of truth.entries()) {
      if (candidate.isCrowd || detectionOf[object] !== NOTHING) continue;
      const shared = overlapOf(detection, candidate);
      const isBetter =
        shared > most ||
        (shared === most &&
          (best === NOTHING ||
            (candidate.label === detection.label && truth[best]!.label !== detection.label)));
      if (isBetter) [best, most] = [object, shared];
    }
    if (best >= 0) {
      objectOf[at] = best;
      detectionOf[best] = at;
    } else if (truth.some((object) => object.isCrowd && overlapOf(detection, object) >= overlap)) {
      objectOf[at] = ON_CROWD;
    }
  }
  return { objectOf, detectionOf };
}
