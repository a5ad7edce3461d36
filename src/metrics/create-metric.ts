import { UsageError } from '../errors.js';
import { classificationMetric } from './classification.js';
import type { Metric, MetricOptions, MetricTask } from './metric.js';
import { multiLabelMetric } from './multi-label.js';
import { regressionMetric } from './regression.js';
import { segmentationMetric } from './segmentation.js';

/** What scores a task. */
export const metrics = {
  segmentation: segmentationMetric,
  change_detection: segmentationMetric,
  classification: classificationMetric,
  multilabel: multiLabelMetric,
  regression: regressionMetric,
} as const satisfies Record<MetricTask, (options: MetricOptions) => Metric>;

/**
 * Scores of a split, added up batch by batch.
 * @throws UsageError METRIC_OPTION where a task of classes or labels is not told how many there are
 */
export function createMetric(task: MetricTask, options: MetricOptions = {}): Metric {
  if (task !== 'regression' && !(options.classCount && options.classCount > 0)) {
    throw new UsageError('METRIC_OPTION', `Scores of ${task} need the count of classes.`, {
      hint: 'Give classCount, the classes of the dataset’s manifest.',
    });
  }
  return metrics[task](options);
}
