import type { ConfusionMatrix } from './confusion-matrix.js';

/** Added to every divisor. */
const EPSILON = 1e-6;

/** Scores by PANGAEA's names, in 0 … 1 (PANGAEA prints percent). */
export interface PangaeaScores {
  readonly mIoU: number;
  readonly mF1: number;
  /** Mean of what it calls precision, in truth recall. */
  readonly mPrecision: number;
  /** Mean of what it calls recall, in truth precision. */
  readonly mRecall: number;
  /** Share of right pixels, no mean over classes. */
  readonly mAcc: number;
  readonly IoU: readonly number[];
  readonly F1: readonly number[];
  readonly precision: readonly number[];
  readonly recall: readonly number[];
}

/**
 * Scores as PANGAEA's evaluator computes and names them (its public code since 2025-04-23): precision and recall are
 * swapped, `mAcc` is the share of right pixels, and a class in neither truth nor prediction counts 0 in the means. An
 * ignored class is in no list and no mean, though predictions of it lower those of others.
 */
export function pangaeaScores(matrix: ConfusionMatrix): PangaeaScores {
  const classes = Array.from({ length: matrix.classCount }, (_, index) => {
    const hits = matrix.at(index, index);
    const [support, predicted] = [matrix.support(index), matrix.predicted(index)];
    const precision = hits / (support + EPSILON); // the swap
    const recall = hits / (predicted + EPSILON);
    return {
      precision,
      recall,
      IoU: hits / (support + predicted - hits + EPSILON),
      F1: (2 * precision * recall) / (precision + recall + EPSILON),
    };
  }).filter((_, index) => index !== matrix.ignoreIndex);
  const mean = (name: keyof (typeof classes)[number]): number =>
    classes.reduce((sum, scores) => sum + scores[name], 0) / classes.length;
  return {
    mIoU: mean('IoU'),
    mF1: mean('F1'),
    mPrecision: mean('precision'),
    mRecall: mean('recall'),
    mAcc: matrix.hits / (matrix.total + EPSILON),
    IoU: classes.map(({ IoU }) => IoU),
    F1: classes.map(({ F1 }) => F1),
    precision: classes.map(({ precision }) => precision),
    recall: classes.map(({ recall }) => recall),
  };
}
