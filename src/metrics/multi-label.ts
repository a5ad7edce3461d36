import { InputError } from '../errors.js';
import { averageOf, averageScore, countScores, type Counts } from './averages.js';
import { countsAt, predictionInvalid, type Metric, type MetricOptions } from './metric.js';
import { averagePrecision } from './ranking.js';
import { meanOfPresent } from './segmentation-scores.js';

/**
 * Counts of every label, and the probabilities themselves, which average precision needs. A label is set from the
 * threshold on. Corrected: a label in neither truth nor prediction has no F1, one without a positive no average precision,
 * and both are left out of the means.
 * Differs: torchmetrics, as published, sets a label above the threshold only and counts such labels as 0.
 */
export function multiLabelMetric(options: MetricOptions): Metric {
  const { classCount = 0, ignoreIndex = null, mode = 'corrected', threshold = 0.5 } = options;
  const isPublished = mode === 'as-published';
  const isSet = (probability: number): boolean =>
    isPublished ? probability > threshold : probability >= threshold;
  const labels = Array.from({ length: classCount }, () => new LabelCounts());
  const images = { count: 0, right: 0 };
  const known = (counts: Counts): boolean => counts.hits + counts.falseAlarms + counts.misses > 0;
  return {
    add(prediction, target, { validity } = {}) {
      if (prediction.length !== target.length || target.length % classCount !== 0) {
        const sizes = `${target.length} labels and ${prediction.length} probabilities`;
        throw new InputError('SHAPE_MISMATCH', `Labels of ${classCount} each are due; got ${sizes}.`);
      }
      const isCounted = countsAt(target, ignoreIndex, validity);
      for (let start = 0; start < target.length; start += classCount) {
        let [counted, wrong] = [0, 0];
        for (let label = 0; label < classCount; label++) {
          const at = start + label;
          if (!isCounted(at)) continue;
          if (Number.isNaN(prediction[at]!)) throw predictionInvalid(at);
          counted += 1;
          if (!labels[label]!.add(prediction[at]!, target[at]!, isSet(prediction[at]!))) wrong += 1;
        }
        if (counted === 0) continue;
        images.count += 1;
        images.right += wrong === 0 ? 1 : 0;
      }
    },
    scores() {
      const all = {
        probabilities: labels.flatMap((label) => label.probabilities),
        truth: labels.flatMap((label) => label.truth),
      };
      const names = ['microF1', 'microPrecision', 'microRecall', 'macroF1', 'accuracy', 'mAP', 'microAP'];
      if (images.count === 0) return Object.fromEntries(names.map((name) => [name, null]));
      const isCounted = isPublished ? () => true : known;
      const seen = labels.some(known) || isPublished;
      const average = (name: 'F1' | 'precision' | 'recall', by: 'micro' | 'macro'): number | null =>
        seen ? averageScore(name, labels, by, { isCounted }) : null;
      const precisions = labels.map((label) => label.averagePrecision());
      return {
        microF1: average('F1', 'micro'),
        macroF1: average('F1', 'macro'),
        microPrecision: average('precision', 'micro'),
        microRecall: average('recall', 'micro'),
        accuracy: images.right / images.count,
        mAP: isPublished
          ? averageOf(
              precisions.map((value) => value ?? 0),
              labels,
              'macro',
              { isCounted },
            )
          : meanOfPresent(precisions),
        microAP: averagePrecision(all.probabilities, all.truth),
      };
    },
    perClass: () => ({
      F1: labels.map((label) => (isPublished || known(label) ? countScores.F1(label) : null)),
      AP: labels.map((label) => label.averagePrecision() ?? (isPublished ? 0 : null)),
      support: labels.map(({ hits, misses }) => hits + misses),
    }),
  };
}

class LabelCounts implements Counts {
  hits = 0;
  falseAlarms = 0;
  misses = 0;
  rejections = 0;
  readonly probabilities: number[] = [];
  readonly truth: number[] = [];

  /** @returns whether the label is right */
  add(probability: number, truth: number, isSet: boolean): boolean {
    if (truth !== 0 && truth !== 1) {
      throw new InputError('LABEL_OUT_OF_RANGE', `A label of a target is ${truth}.`, {
        hint: 'Labels are 0 or 1.',
      });
    }
    this.probabilities.push(probability);
    this.truth.push(truth);
    if (truth === 1) this[isSet ? 'hits' : 'misses'] += 1;
    else this[isSet ? 'falseAlarms' : 'rejections'] += 1;
    return isSet === (truth === 1);
  }

  averagePrecision(): number | null {
    return averagePrecision(this.probabilities, this.truth);
  }
}
