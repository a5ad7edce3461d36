import type { ConfusionMatrix } from './confusion-matrix.js';

/**
 * Scores of a confusion matrix, in 0 … 1; higher is better for all of them.
 * Absent classes: a class in neither truth nor prediction has no score (null) and is left out of the means, as
 * torchmetrics does; one that is predicted though no pixel has it counts 0. With no class left, a mean is null.
 * Differs: PANGAEA counts an absent class as 0, see `pangaeaScores`.
 */
export interface SegmentationScores {
  /** Mean of the classes' IoU. */
  readonly mIoU: number | null;
  /** Mean of the IoU of the classes that the truth has. */
  readonly mIoULabelled: number | null;
  /** Mean of the classes' F1. */
  readonly mF1: number | null;
  /** Mean of the predicted classes' precision. */
  readonly mPrecision: number | null;
  /** Mean of the true classes' recall, also called balanced or mean class accuracy. */
  readonly mRecall: number | null;
  /** Share of right pixels; null without pixels. */
  readonly accuracy: number | null;
  readonly classes: readonly ClassScores[];
}

export interface ClassScores {
  /** TP / (TP + FP + FN) */
  readonly IoU: number | null;
  /** 2·TP / (2·TP + FP + FN) */
  readonly F1: number | null;
  /** TP / (TP + FP); null where the class is never predicted. */
  readonly precision: number | null;
  /** TP / (TP + FN); null where no pixel has the class. */
  readonly recall: number | null;
  /** Pixels of the class in the truth. */
  readonly support: number;
}

export function segmentationScores(matrix: ConfusionMatrix): SegmentationScores {
  const classes = Array.from({ length: matrix.classCount }, (_, index): ClassScores => {
    const hits = matrix.at(index, index);
    const support = matrix.support(index);
    const predicted = matrix.predicted(index);
    return {
      IoU: share(hits, support + predicted - hits),
      F1: share(2 * hits, support + predicted),
      precision: share(hits, predicted),
      recall: share(hits, support),
      support,
    };
  });
  const labelled = classes.filter(({ support }) => support > 0);
  const meanOf = (name: Exclude<keyof ClassScores, 'support'>, of = classes): number | null =>
    meanOfPresent(of.map((scores) => scores[name]));
  return {
    mIoU: meanOf('IoU'),
    mIoULabelled: meanOf('IoU', labelled),
    mF1: meanOf('F1'),
    mPrecision: meanOf('precision'),
    mRecall: meanOf('recall'),
    accuracy: share(matrix.hits, matrix.total),
    classes,
  };
}

/** part / whole; null where the whole is nothing. */
export const share = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);

/** Mean of what is not null. */
export function meanOfPresent(values: readonly (number | null)[]): number | null {
  const present = values.filter((value) => value !== null);
  return present.length > 0 ? present.reduce((sum, value) => sum + value, 0) / present.length : null;
}
