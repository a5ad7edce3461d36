import type { LossName } from './create-loss.js';
import type { LossTask } from './loss.js';

/** The loss that a task is trained by where no protocol or study names another. */
export const lossOfTask = {
  segmentation: 'cross-entropy',
  change_detection: 'cross-entropy',
  classification: 'cross-entropy',
  multilabel: 'balanced-binary-cross-entropy',
  regression: 'mse',
} as const satisfies Readonly<Record<LossTask, LossName>>;
