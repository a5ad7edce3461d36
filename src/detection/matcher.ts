/** Overlaps from which a box belongs to an object, and below which it belongs to none. */
export interface MatchThresholds {
  readonly foreground: number;
  readonly background: number;
  /** Whether every object keeps the boxes that overlap it most, however little that is. */
  readonly keepsBest: boolean;
}

export const BACKGROUND = -1;
/** Between the thresholds: not trained on. */
export const BETWEEN = -2;

/**
 * The object of each box, or BACKGROUND or BETWEEN. Of equal overlaps the earlier object wins. Without objects all is
 * background.
 * @param overlaps [object, box]
 */
export function matchBoxes(
  overlaps: Float32Array,
  objectCount: number,
  boxCount: number,
  { foreground, background, keepsBest }: MatchThresholds,
): Int32Array {
  const matches = new Int32Array(boxCount).fill(BACKGROUND);
  if (objectCount === 0) return matches;
  const nearest = new Int32Array(boxCount);
  for (let box = 0; box < boxCount; box++) {
    let most = overlaps[box]!;
    for (let object = 1; object < objectCount; object++) {
      if (!(overlaps[object * boxCount + box]! > most)) continue;
      most = overlaps[object * boxCount + box]!;
      nearest[box] = object;
    }
    if (most >= foreground) matches[box] = nearest[box]!;
    else if (most >= background) matches[box] = BETWEEN;
  }
  if (!keepsBest) return matches;
  for (let object = 0; object < objectCount; object++) {
    const own = overlaps.subarray(object * boxCount, (object + 1) * boxCount);
    const most = own.reduce((best, overlap) => Math.max(best, overlap), -Infinity);
    // all that tie keep their nearest object, which may be another one
    for (let box = 0; box < boxCount; box++) if (own[box] === most) matches[box] = nearest[box]!;
  }
  return matches;
}
