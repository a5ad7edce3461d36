import type { Dataset } from '../datasets/dataset.js';
import { isObjectTask } from '../manifests/answer-task.js';
import { answerOf } from './answer.js';
import type { FeedOptions } from './feed.js';
import { objectAnswer } from './object-answer.js';

/** How a dataset's samples become answers. Boxes are looked at before a crop loses those that are wrong. */
export function truthOf(dataset: Dataset): Pick<FeedOptions, 'answer' | 'check'> {
  const { task, classes } = dataset.manifest;
  if (!isObjectTask(task)) return { answer: (sample) => answerOf(sample, task, classes.length) };
  return {
    answer: (sample) => objectAnswer(sample, task, dataset),
    check: (sample) => void objectAnswer(sample, 'detection', dataset),
  };
}
