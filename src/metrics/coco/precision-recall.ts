import type { ImageMatches } from './match-image.js';

/** Precision and recall of one class at one overlap threshold. */
export interface PrecisionRecall {
  /** Precision at each recall point: the best at this recall or a higher one, 0 where it is not reached. */
  readonly precision: readonly number[];
  /** Score from which each recall point is reached; 0 where it is not. */
  readonly scores: readonly number[];
  /** The largest recall. */
  readonly recall: number;
}

/**
 * Adds up the images of a class, all detections in one list by falling score; of equal ones the earlier image's, then the
 * earlier detection comes first.
 * @returns one a threshold; undefined without an object that counts
 */
export function precisionRecall(
  images: readonly ImageMatches[],
  maxDetections: number,
  recallPoints: readonly number[],
): PrecisionRecall[] | undefined {
  const objectCount = images.reduce((sum, image) => sum + image.objectCount, 0);
  if (objectCount === 0) return undefined;
  const scores = images.flatMap((image) => image.scores.slice(0, maxDetections));
  const order = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b);
  return images[0]!.verdicts.map((_, threshold) => {
    const verdicts = images.flatMap((image) => image.verdicts[threshold]!.slice(0, maxDetections));
    let [right, wrong] = [0, 0];
    const recalls: number[] = [];
    const precisions: number[] = [];
    for (const at of order) {
      if (verdicts[at] === 1) right += 1;
      else if (verdicts[at] === 0) wrong += 1;
      recalls.push(right / objectCount);
      precisions.push(right / (right + wrong + Number.EPSILON));
    }
    for (let at = precisions.length - 1; at > 0; at--)
      precisions[at - 1] = Math.max(precisions[at - 1]!, precisions[at]!);
    let at = 0;
    const places = recallPoints.map((point) => {
      while (at < recalls.length && recalls[at]! < point) at += 1;
      return at;
    });
    return {
      precision: places.map((place) => precisions[place] ?? 0),
      scores: places.map((place) => scores[order[place] ?? -1] ?? 0),
      recall: recalls.at(-1) ?? 0,
    };
  });
}
