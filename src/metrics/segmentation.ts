import { ConfusionMatrix } from './confusion-matrix.js';
import type { Metric, MetricOptions } from './metric.js';
import { pangaeaScores } from './pangaea-scores.js';
import { segmentationScores, type ClassScores } from './segmentation-scores.js';

const NAMES = ['IoU', 'F1', 'precision', 'recall', 'support'] as const satisfies (keyof ClassScores)[];

/**
 * One confusion matrix over the whole split. As published by PANGAEA: its names and means, an ignored class being null
 * class by class; torchmetrics' are those of `corrected`.
 */
export function segmentationMetric(options: MetricOptions): Metric {
  const { classCount = 0, ignoreIndex = null, mode = 'corrected', evaluator = 'pangaea' } = options;
  const matrix = new ConfusionMatrix(classCount, ignoreIndex);
  const isPangaea = mode === 'as-published' && evaluator === 'pangaea';
  return {
    add: (prediction, target, { validity } = {}) => matrix.add(target, prediction, validity),
    scores() {
      if (isPangaea) {
        if (matrix.total === 0) return { mIoU: null, mF1: null, mPrecision: null, mRecall: null, mAcc: null };
        const { mIoU, mF1, mPrecision, mRecall, mAcc } = pangaeaScores(matrix);
        return { mIoU, mF1, mPrecision, mRecall, mAcc };
      }
      const { classes: _, ...scores } = segmentationScores(matrix);
      return scores;
    },
    perClass() {
      const { classes } = segmentationScores(matrix);
      const corrected = Object.fromEntries(NAMES.map((name) => [name, classes.map((row) => row[name])]));
      if (!isPangaea) return corrected;
      const { IoU, F1, precision, recall } = pangaeaScores(matrix);
      const placed = (scores: readonly number[]): (number | null)[] => {
        const queue = [...scores];
        return classes.map((__, index) => (index === ignoreIndex ? null : queue.shift()!));
      };
      return {
        ...corrected,
        ...{ IoU: placed(IoU), F1: placed(F1), precision: placed(precision), recall: placed(recall) },
      };
    },
  };
}
