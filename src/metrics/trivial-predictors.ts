import type { Mode } from '../datasets/faults.js';
import { createMetric } from './create-metric.js';
import { countsAt, type Metric, type MetricOptions, type MetricTask, type Numbers } from './metric.js';

/** Answers the same whatever the image: what any score has to beat. */
export interface TrivialPredictor {
  readonly id: 'majority' | 'background' | 'mean';
  /** What it answers, in words. */
  readonly title: string;
  /** The answer for so many targets, as a metric of the task takes it. */
  readonly predict: (targetCount: number) => Numbers;
}

/** What trivial predictors learn from the training targets, added up target by target. */
export interface TargetSummary {
  add(target: Numbers, options?: { readonly validity?: Numbers | null }): void;
  /** Predictors of the task; none where no target counted. */
  predictors(): TrivialPredictor[];
}

export function summarizeTargets(
  task: MetricTask,
  { classCount = 0, ignoreIndex = null }: Pick<MetricOptions, 'classCount' | 'ignoreIndex'>,
): TargetSummary {
  const counts = new Float64Array(classCount);
  const labelled = new Float64Array(classCount); // of multi-label targets: images whose label counts
  let [count, mean] = [0, 0];
  return {
    add(target, { validity } = {}) {
      const isCounted = countsAt(target, ignoreIndex, validity);
      for (let at = 0; at < target.length; at++) {
        if (!isCounted(at)) continue;
        const value = target[at]!;
        count += 1;
        if (task === 'regression') mean += (value - mean) / count;
        else if (task !== 'multilabel') counts[value]! += 1;
        else {
          labelled[at % classCount]! += 1;
          counts[at % classCount]! += value;
        }
      }
    },
    predictors() {
      if (count === 0) return [];
      if (task === 'regression') return [meanPredictor(mean)];
      if (task === 'multilabel')
        return [labelPredictor(counts.map((positive, label) => positive / (labelled[label] || 1)))];
      const majority = counts.indexOf(Math.max(...counts));
      const same = (id: TrivialPredictor['id'], title: string, value: number): TrivialPredictor => ({
        ...{ id, title },
        predict: (targetCount) => new Int32Array(targetCount).fill(value),
      });
      const first = same(
        'majority',
        `class ${majority} everywhere, the most frequent of the training split`,
        majority,
      );
      const isMap = task === 'segmentation' || task === 'change_detection';
      return isMap ? [first, same('background', 'class 0 everywhere', 0)] : [first];
    },
  };
}

const meanPredictor = (mean: number): TrivialPredictor => ({
  id: 'mean',
  title: 'the mean of the training targets everywhere',
  predict: (targetCount) => new Float64Array(targetCount).fill(mean),
});

/** Share of the training images that have a label, as its probability: labels that most images have are set. */
function labelPredictor(shares: Float64Array): TrivialPredictor {
  return {
    id: 'majority',
    title: 'the labels that most images of the training split have',
    predict: (targetCount) =>
      Float64Array.from({ length: targetCount }, (_, at) => shares[at % shares.length]!),
  };
}

/** A metric, and the same of every trivial predictor on the same targets. */
export interface MetricWithTrivial extends Metric {
  /** Their scores, in the order of the predictors. */
  trivial(): {
    readonly id: TrivialPredictor['id'];
    readonly title: string;
    readonly scores: ReturnType<Metric['scores']>;
  }[];
}

/** @param predictors of the training split's summary */
export function metricWithTrivial(
  task: MetricTask,
  options: MetricOptions & { readonly mode?: Mode },
  predictors: readonly TrivialPredictor[],
): MetricWithTrivial {
  const metric = createMetric(task, options);
  const beside = predictors.map((predictor) => ({ predictor, metric: createMetric(task, options) }));
  return {
    ...metric,
    add(prediction, target, added) {
      metric.add(prediction, target, added);
      for (const { predictor, metric: other } of beside)
        other.add(predictor.predict(target.length), target, added);
    },
    trivial: () =>
      beside.map(({ predictor: { id, title }, metric: other }) => ({ id, title, scores: other.scores() })),
  };
}
