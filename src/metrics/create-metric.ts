import { nearest, UsageError } from '../errors.js';
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
 * @throws UsageError METRIC_OPTION where a task of classes or labels is not told how many there are, and for a value that an
 * option cannot have
 */
export function createMetric(task: MetricTask, options: MetricOptions = {}): Metric {
  const {
    classCount,
    ignoreIndex = null,
    mode = 'corrected',
    evaluator = 'pangaea',
    threshold = 0.5,
  } = options;
  const known = Object.keys(metrics);
  if (!known.includes(task)) {
    const guess = nearest(String(task), known);
    throw wrongOption('task', task, `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}.`);
  }
  if (task !== 'regression' && classCount === undefined) {
    throw new UsageError('METRIC_OPTION', `Scores of ${task} need the count of classes.`, {
      hint: 'Give classCount, the classes of the dataset’s manifest.',
    });
  }
  if (classCount !== undefined && !(Number.isInteger(classCount) && classCount > 0))
    throw wrongOption('classCount', classCount, 'It is a whole number from 1 on.');
  if (ignoreIndex !== null && !Number.isFinite(ignoreIndex))
    throw wrongOption('ignoreIndex', ignoreIndex, 'It is a number, or null.');
  if (mode !== 'corrected' && mode !== 'as-published')
    throw wrongOption('mode', mode, 'Known: corrected, as-published.');
  if (evaluator !== 'pangaea' && evaluator !== 'torchmetrics')
    throw wrongOption('evaluator', evaluator, 'Known: pangaea, torchmetrics.');
  if (!(threshold >= 0 && threshold <= 1))
    throw wrongOption('threshold', threshold, 'It is a probability, 0 … 1.');
  return metrics[task](options);
}

const wrongOption = (name: string, value: unknown, hint: string): UsageError =>
  new UsageError(
    'METRIC_OPTION',
    `${name} cannot be ${typeof value === 'string' ? `"${value}"` : String(value)}.`,
    {
      hint,
    },
  );
