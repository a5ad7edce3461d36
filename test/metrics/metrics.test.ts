import { describe, expect, it } from 'vitest';
import { ConfusionMatrix } from '../../src/metrics/confusion-matrix.js';
import { createMetric, metrics } from '../../src/metrics/create-metric.js';
import type { MetricTask } from '../../src/metrics/metric.js';
import { pangaeaScores } from '../../src/metrics/pangaea-scores.js';
import { isBetter, mainScore, scoreKinds, type ScoreName } from '../../src/metrics/score-kinds.js';
import { metricWithTrivial, summarizeTargets } from '../../src/metrics/trivial-predictors.js';

const tasks = Object.keys(metrics) as MetricTask[];

/** One batch of a task: predictions that are partly right. */
const batches: Readonly<Record<MetricTask, readonly [prediction: number[], target: number[]]>> = {
  segmentation: [
    [0, 1, 1, 2, 0, 1],
    [0, 1, 2, 2, 1, 9],
  ],
  change_detection: [
    [0, 1, 1, 0],
    [0, 1, 0, 9],
  ],
  classification: [
    [2, 0, 1, 1],
    [2, 1, 1, 9],
  ],
  multilabel: [
    [0.9, 0.2, 0.6, 0.1, 0.7, 0.5],
    [1, 0, 0, 0, 1, 9],
  ],
  regression: [
    [1, 2.5, 4],
    [1, 2, 9],
  ],
};
const optionsOf = (task: MetricTask) => ({ ignoreIndex: 9, ...(task !== 'regression' && { classCount: 3 }) });

describe('every metric', () => {
  it.each(tasks)('of %s is null without anything that counts, in both modes', (task) => {
    for (const mode of ['corrected', 'as-published'] as const) {
      const metric = createMetric(task, { ...optionsOf(task), mode });
      metric.add([0, 1, 0], [9, 9, 9]);
      expect(Object.values(metric.scores()).filter((score) => score !== null)).toEqual([]);
    }
  });

  it.each(tasks)('of %s gives the same whether batches come one by one or together', (task) => {
    const [prediction, target] = batches[task];
    const apart = createMetric(task, optionsOf(task));
    apart.add(prediction, target);
    apart.add(prediction, target);
    const together = createMetric(task, optionsOf(task));
    together.add([...prediction, ...prediction], [...target, ...target]);
    expect(apart.scores()).toEqual(together.scores());
    expect(apart.perClass()).toEqual(together.perClass());
  });

  it.each(tasks)('of %s takes a mask for what the ignore index says', (task) => {
    const [prediction, target] = batches[task];
    const byIndex = createMetric(task, optionsOf(task));
    byIndex.add(prediction, target);
    const byMask = createMetric(task, { ...optionsOf(task), ignoreIndex: null });
    const validity = target.map((value) => (value === 9 ? 0 : 1));
    byMask.add(
      prediction,
      target.map((value) => (value === 9 ? 0 : value)),
      { validity },
    );
    expect(byMask.scores()).toEqual(byIndex.scores());
  });

  it.each(tasks)('of %s gives scores whose direction is known', (task) => {
    const metric = createMetric(task, optionsOf(task));
    metric.add(...batches[task]);
    for (const name of Object.keys(metric.scores()))
      expect(scoreKinds[name as ScoreName].tasks).toContain(task);
    expect(metric.scores()).toHaveProperty(mainScore[task]);
  });

  it('is refused without the count of classes', () => {
    expect(() => createMetric('segmentation')).toThrowError(
      expect.objectContaining({ code: 'METRIC_OPTION' }),
    );
  });
});

describe('a better score', () => {
  it('is higher or lower by its kind, never NaN or null, and never equal', () => {
    expect(isBetter('mIoU', 0.6, 0.5)).toBe(true);
    expect(isBetter('RMSE', 0.6, 0.5)).toBe(false);
    expect(isBetter('mIoU', 0.5, 0.5)).toBe(false);
    expect(isBetter('mIoU', Number.NaN, 0.5)).toBe(false);
    expect(isBetter('mIoU', null, null)).toBe(false);
    expect(isBetter('RMSE', 3, null)).toBe(true);
  });
});

describe('scores as PANGAEA publishes them', () => {
  /** Truth 0: 8 right, 2 taken for 1; truth 1: 1 right; class 2 is nowhere. */
  const matrix = new ConfusionMatrix(3);
  matrix.add([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);

  it('swap precision and recall, and count an absent class as 0', () => {
    const { precision, recall, mIoU, mAcc } = pangaeaScores(matrix);
    expect(precision[0]).toBeCloseTo(8 / 10, 5); // in truth the recall
    expect(recall[0]).toBeCloseTo(1, 5);
    expect(mIoU).toBeCloseTo((8 / 10 + 1 / 3 + 0) / 3, 5);
    expect(mAcc).toBeCloseTo(9 / 11, 5);
  });

  it('are what createMetric gives as published, and not what it gives corrected', () => {
    const add = (mode: 'corrected' | 'as-published') => {
      const metric = createMetric('segmentation', { classCount: 3, mode });
      metric.add([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
      return metric;
    };
    expect(add('as-published').scores()['mIoU']).toBe(pangaeaScores(matrix).mIoU);
    expect(add('corrected').scores()['mIoU']).toBeCloseTo((8 / 10 + 1 / 3) / 2, 12);
    expect(add('corrected').perClass()['precision']).toEqual([1, 1 / 3, null]);
  });

  it('leave an ignored class out of the means and of the lists', () => {
    const metric = createMetric('segmentation', { classCount: 3, ignoreIndex: 0, mode: 'as-published' });
    metric.add([1, 2, 2, 0], [1, 2, 1, 0]);
    expect(metric.perClass()['IoU']![0]).toBeNull();
    expect(metric.scores()['mIoU']).toBeCloseTo(1 / 2, 5);
  });
});

describe('errors of values', () => {
  it('are of all values together, or as published the mean of batches', () => {
    const given = [
      [
        [1, 1, 1, 1],
        [2, 2, 2, 2],
      ],
      [[0], [3]],
    ] as const;
    const scoresOf = (mode: 'corrected' | 'as-published') => {
      const metric = createMetric('regression', { mode });
      for (const [prediction, target] of given) metric.add(prediction, target);
      return metric.scores();
    };
    expect(scoresOf('corrected')['RMSE']).toBeCloseTo(Math.sqrt((4 * 1 + 9) / 5), 12);
    expect(scoresOf('as-published')['RMSE']).toBeCloseTo(Math.sqrt((1 + 9) / 2), 12);
    expect(scoresOf('corrected')['MAE']).toBeCloseTo(7 / 5, 12);
  });
});

describe('labels', () => {
  it('are set from the threshold on; one that is nowhere has no F1, or as published 0', () => {
    const add = (mode: 'corrected' | 'as-published') => {
      const metric = createMetric('multilabel', { classCount: 2, mode });
      metric.add([0.5, 0.1, 0.2, 0.3], [1, 0, 0, 0]);
      return metric;
    };
    expect(add('corrected').perClass()['F1']).toEqual([1, null]);
    expect(add('corrected').scores()).toMatchObject({ macroF1: 1, mAP: 1, accuracy: 1 });
    expect(add('as-published').perClass()['F1']).toEqual([0, 0]); // 0.5 is not above 0.5
    expect(add('as-published').scores()).toMatchObject({ macroF1: 0, mAP: 0.5 });
  });

  it('of other values than 0 and 1 are refused', () => {
    expect(() => createMetric('multilabel', { classCount: 1 }).add([0.5], [2])).toThrowError(
      expect.objectContaining({ code: 'LABEL_OUT_OF_RANGE' }),
    );
  });
});

describe('classes from scores', () => {
  it('are the highest, the first of equal ones', () => {
    const metric = createMetric('classification', { classCount: 3 });
    metric.add([0, 2, 2, 3, 1, 0], [1, 0]);
    expect(metric.scores()['accuracy']).toBe(1);
  });
});

describe('trivial predictors', () => {
  it('answer the majority and the background, and are scored on the same pixels', () => {
    const summary = summarizeTargets('segmentation', { classCount: 3, ignoreIndex: 255 });
    summary.add([2, 2, 1, 255, 255, 255]);
    const metric = metricWithTrivial(
      'segmentation',
      { classCount: 3, ignoreIndex: 255 },
      summary.predictors(),
    );
    metric.add([0, 1, 2, 2], [0, 1, 2, 255]);
    expect(metric.scores()['mIoU']).toBe(1);
    const [majority, background] = metric.trivial();
    expect([majority!.id, background!.id]).toEqual(['majority', 'background']);
    expect(majority!.title).toMatch(/class 2/);
    expect(majority!.scores['accuracy']).toBeCloseTo(1 / 3, 12);
    expect(majority!.scores['mIoU']).toBeCloseTo(1 / 3 / 3, 12); // 1 of 3 pixels, two classes missed
  });

  it('answer the mean of values and the labels that most images have', () => {
    const values = summarizeTargets('regression', { ignoreIndex: -1 });
    values.add([1, 5, -1]);
    const mean = metricWithTrivial('regression', {}, values.predictors());
    mean.add([1, 1], [2, 4]);
    expect(mean.trivial()[0]!.scores['RMSE']).toBeCloseTo(1, 12);
    const labels = summarizeTargets('multilabel', { classCount: 2 });
    labels.add([1, 0, 1, 0, 0, 1]);
    expect(Array.from(labels.predictors()[0]!.predict(2))).toEqual([2 / 3, 1 / 3]);
  });

  it('are none where no target counts', () => {
    expect(summarizeTargets('classification', { classCount: 2 }).predictors()).toEqual([]);
  });
});

describe('what is given to a metric', () => {
  it.each<[string, object]>([
    ['detection', { classCount: 2 }],
    ['segmentation', { classCount: 2.5 }],
    ['segmentation', { classCount: 0 }],
    ['segmentation', { classCount: 2, ignoreIndex: NaN }],
    ['segmentation', { classCount: 2, mode: 'published' }],
    ['segmentation', { classCount: 2, evaluator: 'sklearn' }],
    ['multilabel', { classCount: 2, threshold: 50 }],
    ['multilabel', { classCount: 2, threshold: NaN }],
  ])('is refused where it cannot be: %s %o', (task, options) => {
    expect(() => createMetric(task as MetricTask, options)).toThrowError(
      expect.objectContaining({ code: 'METRIC_OPTION' }),
    );
  });

  it.each<[MetricTask, number[], number[]]>([
    ['classification', [0.2, 0.8, NaN, 0.1], [1, 0]],
    ['multilabel', [0.2, 0.8, NaN, 0.1], [1, 0, 1, 0]],
    ['regression', [0.2, 0.8, NaN, 0.1], [1, 0, 1, 0]],
  ])('is no score of %s where it is NaN', (task, prediction, target) => {
    const metric = createMetric(task, { classCount: 2 });
    expect(() => metric.add(prediction, target)).toThrowError(
      expect.objectContaining({ code: 'SCORE_INVALID', message: 'Prediction 2 is NaN.' }),
    );
  });
});
