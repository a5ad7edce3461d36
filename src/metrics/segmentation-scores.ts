import type { ConfusionMatrix } from './confusion-matrix.js';

/**
 * Scores of a confusion matrix, in 0 … 1; higher is better for all of them.
 * Absent classes: a class in neither truth nor prediction has no IoU and no F1 (null) and is left out
 * of the means. With no class left, a mean is null.
 */
export interface SegmentationScores {
  /** Mean of the classes' IoU. */
  readonly mIoU: number | null;
  /** Mean of the classes' F1. */
  readonly mF1: number | null;
  /** Share of right pixels; null without pixels. */
  readonly accuracy: number | null;
  readonly classes: readonly {
    /** TP / (TP + FP + FN) */
    readonly IoU: number | null;
    /** 2·TP / (2·TP + FP + FN) */
    readonly F1: number | null;
    /** Pixels of the class in the truth. */
    readonly support: number;
  }[];
}

export function segmentationScores(matrix: ConfusionMatrix): SegmentationScores {
  const classes = Array.from({ length: matrix.classCount }, (_, index) => {
    const hits = matrix.at(index, index);
    const support = matrix.support(index);
    const union = support + matrix.predicted(index) - hits;
    return {
      IoU: union > 0 ? hits / union : null,
      F1: union > 0 ? (2 * hits) / (union + hits) : null,
      support,
    };
  });
  const total = matrix.total;
  const right = classes.reduce((sum, _, index) => sum + matrix.at(index, index), 0);
  return {
    mIoU: meanOfPresent(classes.map(({ IoU }) => IoU)),
    mF1: meanOfPresent(classes.map(({ F1 }) => F1)),
    accuracy: total > 0 ? right / total : null,
    classes,
  };
}

function meanOfPresent(values: readonly (number | null)[]): number | null {
  const present = values.filter((value) => value !== null);
  return present.length > 0 ? present.reduce((sum, value) => sum + value, 0) / present.length : null;
}
