import { InputError } from '../errors.js';
import { averageScore, type Counts } from './averages.js';
import { CalibrationBins } from './calibration.js';
import { ConfusionMatrix } from './confusion-matrix.js';
import { countsAt, predictionInvalid, type Metric, type MetricOptions, type Numbers } from './metric.js';
import { segmentationScores } from './segmentation-scores.js';

/**
 * One confusion matrix over the images of a split, and what only scores tell: with scores [image, class] the class is the
 * highest, the first of several that are equal.
 * As published by PANGAEA, macro means are over all classes, absent ones counted as 0.
 */
export function classificationMetric(options: MetricOptions): Metric {
  const { classCount = 0, ignoreIndex = null, mode = 'corrected', evaluator = 'pangaea' } = options;
  const matrix = new ConfusionMatrix(classCount, ignoreIndex);
  const bins = new CalibrationBins();
  const isPangaea = mode === 'as-published' && evaluator === 'pangaea';
  return {
    add(prediction, target, { validity } = {}) {
      if (prediction.length === target.length) return matrix.add(target, prediction, validity);
      if (prediction.length !== target.length * classCount) {
        const sizes = `${target.length} targets and ${prediction.length} scores`;
        throw new InputError(
          'SHAPE_MISMATCH',
          `Scores of ${classCount} classes an image are due; got ${sizes}.`,
        );
      }
      const isCounted = countsAt(target, ignoreIndex, validity);
      const chosen = Int32Array.from(target, (truth, image) => {
        const scores = rowOf(prediction, image, classCount);
        if (scores.some(Number.isNaN))
          throw predictionInvalid(image * classCount + scores.findIndex(Number.isNaN));
        const best = scores.indexOf(Math.max(...scores));
        if (isCounted(image)) bins.add(confidence(scores, best), best === truth);
        return best;
      });
      matrix.add(target, chosen, validity);
    },
    scores() {
      const { classes: _, mIoULabelled: __, ...scores } = segmentationScores(matrix);
      const shared = {
        accuracy: scores.accuracy,
        kappa: kappa(matrix),
        matthews: matthews(matrix),
        calibrationError: bins.error(),
      };
      if (!isPangaea || matrix.total === 0) return { ...scores, ...shared };
      const counts = classCounts(matrix);
      const macro = (name: 'precision' | 'recall' | 'F1'): number =>
        averageScore(name, counts, 'macro', { isCounted: () => true });
      return { ...shared, mPrecision: macro('precision'), mRecall: macro('recall'), mF1: macro('F1') };
    },
    perClass() {
      const { classes } = segmentationScores(matrix);
      const names = ['precision', 'recall', 'F1', 'support'] as const;
      return Object.fromEntries(names.map((name) => [name, classes.map((row) => row[name])]));
    },
  };
}

const rowOf = (scores: Numbers, image: number, classCount: number): number[] =>
  Array.from({ length: classCount }, (_, index) => scores[image * classCount + index]!);

/** Probability of the best class by the softmax of the scores. */
function confidence(scores: readonly number[], best: number): number {
  const top = scores[best]!;
  return 1 / scores.reduce((sum, score) => sum + Math.exp(score - top), 0);
}

/** Hits, false alarms and misses of every class. */
export const classCounts = (matrix: ConfusionMatrix): Counts[] =>
  Array.from({ length: matrix.classCount }, (_, index) => {
    const hits = matrix.at(index, index);
    return { hits, falseAlarms: matrix.predicted(index) - hits, misses: matrix.support(index) - hits };
  });

/** Agreement beyond that of chance; null where chance alone is always right, or without images. */
export function kappa(matrix: ConfusionMatrix): number | null {
  const { total, hits } = matrix;
  const byChance = marginProduct(matrix, 'support', 'predicted') / total ** 2;
  return total === 0 || byChance === 1 ? null : (hits / total - byChance) / (1 - byChance);
}

/** Correlation of truth and prediction (Gorodkin 2004); null where either is one class alone. */
export function matthews(matrix: ConfusionMatrix): number | null {
  const { total, hits } = matrix;
  const spread = (margin: Margin): number => total ** 2 - marginProduct(matrix, margin, margin);
  const product = Math.sqrt(spread('support')) * Math.sqrt(spread('predicted'));
  return product > 0 ? (hits * total - marginProduct(matrix, 'support', 'predicted')) / product : null;
}

type Margin = 'support' | 'predicted';

const marginProduct = (matrix: ConfusionMatrix, a: Margin, b: Margin): number => {
  let sum = 0;
  for (let index = 0; index < matrix.classCount; index++) sum += matrix[a](index) * matrix[b](index);
  return sum;
};

/** Share of images whose true class is among the `top` highest scores, of all images and as the mean over the classes. */
export function topAccuracy(
  scores: Numbers,
  target: Numbers,
  { classCount, top }: { readonly classCount: number; readonly top: number },
): { readonly micro: number | null; readonly macro: number | null } {
  const counts = Array.from({ length: classCount }, () => ({ hits: 0, falseAlarms: 0, misses: 0 }));
  for (let image = 0; image < target.length; image++) {
    const row = rowOf(scores, image, classCount);
    const truth = target[image]!;
    const above = row.filter(
      (score, index) => score > row[truth]! || (score === row[truth]! && index < truth),
    );
    counts[truth]![above.length < top ? 'hits' : 'misses'] += 1;
  }
  if (target.length === 0) return { micro: null, macro: null };
  return { micro: averageScore('recall', counts, 'micro'), macro: averageScore('recall', counts, 'macro') };
}
