/** Least and largest area of the objects that count, both included, in pixels. */
export type AreaRange = readonly [low: number, high: number];

/** What matching needs to know of one image and one class. Detections come best first. */
export interface ImageOfClass {
  readonly scores: readonly number[];
  /** [detection][object] */
  readonly overlaps: readonly (readonly number[])[];
  readonly detectionAreas: readonly number[];
  readonly objectAreas: readonly number[];
  readonly isCrowd: readonly boolean[];
}

/** Fate of a detection: 1 right, 0 wrong, −1 not counted (of a crowd, or of another size). */
export type Verdict = 1 | 0 | -1;

export interface ImageMatches {
  readonly scores: readonly number[];
  /** [threshold][detection] */
  readonly verdicts: readonly (readonly Verdict[])[];
  /** [threshold][detection]: the object that it found, or −1. */
  readonly found: readonly (readonly number[])[];
  /** Objects that count. */
  readonly objectCount: number;
}

/**
 * Gives each detection, best first, the object that it overlaps most among those still free, as pycocotools does: objects
 * that count go before those that do not, a crowd may be found by many, and of equal overlaps the later object wins.
 */
export function matchImage(
  image: ImageOfClass,
  [low, high]: AreaRange,
  thresholds: readonly number[],
): ImageMatches {
  const isInRange = (area: number): boolean => area >= low && area <= high;
  const isCounted = image.objectAreas.map((area, object) => !image.isCrowd[object] && isInRange(area));
  const objects = [...isCounted.keys()];
  const order = [...objects.filter((at) => isCounted[at]), ...objects.filter((at) => !isCounted[at])];
  const found = thresholds.map((threshold) => {
    const isTaken = new Set<number>();
    return image.scores.map((_, detection) => {
      const best = bestObject(image, detection, order, { isCounted, isTaken, threshold });
      if (best >= 0) isTaken.add(best);
      return best;
    });
  });
  return {
    scores: image.scores,
    found,
    verdicts: found.map((objectOf) =>
      objectOf.map((object, detection) => {
        if (object >= 0) return isCounted[object] ? 1 : -1;
        return isInRange(image.detectionAreas[detection]!) ? 0 : -1;
      }),
    ),
    objectCount: isCounted.filter(Boolean).length,
  };
}

/** An overlap just short of 1 finds under a threshold of 1. */
const ALMOST_ONE = 1 - 1e-10;

function bestObject(
  { overlaps, isCrowd }: ImageOfClass,
  detection: number,
  order: readonly number[],
  {
    isCounted,
    isTaken,
    threshold,
  }: {
    readonly isCounted: readonly boolean[];
    readonly isTaken: ReadonlySet<number>;
    readonly threshold: number;
  },
): number {
  let [best, most] = [-1, Math.min(threshold, ALMOST_ONE)];
  for (const object of order) {
    if (isTaken.has(object) && !isCrowd[object]) continue;
    if (best >= 0 && isCounted[best] && !isCounted[object]) break;
    const overlap = overlaps[detection]![object]!;
    if (overlap < most) continue;
    [best, most] = [object, overlap];
  }
  return best;
}
