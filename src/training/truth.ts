import type { Dataset } from '../datasets/dataset.js';
import { checkTarget } from '../losses/check-target.js';
import { isObjectTask } from '../manifests/answer-task.js';
import { answerOf, isObjectAnswer, type Answer } from './answer.js';
import type { FeedOptions } from './feed.js';
import { objectAnswer } from './object-answer.js';

/**
 * How a dataset's samples become answers, whose classes are looked at; boxes before a crop loses those that are wrong.
 * @throws when called InputError CLASS_OUT_OF_RANGE
 */
export function truthOf(dataset: Dataset): Pick<FeedOptions, 'answer' | 'check'> {
  const { task, classes } = dataset.manifest;
  if (!isObjectTask(task)) {
    return {
      answer(sample) {
        const answer = answerOf(sample, task, classes.length);
        countAnswers(answer, dataset, `dataset ${dataset.id}, sample ${sample.id}`);
        return answer;
      },
    };
  }
  return {
    answer: (sample) => objectAnswer(sample, task, dataset),
    check: (sample) => void objectAnswer(sample, 'detection', dataset),
  };
}

/**
 * How many pixels, images or objects of a truth count.
 * @throws InputError CLASS_OUT_OF_RANGE
 */
export function countAnswers(answer: Answer, { manifest }: Pick<Dataset, 'manifest'>, where: string): number {
  if (isObjectAnswer(answer)) return answer.objects.filter(({ isCrowd }) => !isCrowd).length;
  const { data, shape, valid } = answer;
  const { task, classes, labels } = manifest;
  if (task === 'multilabel') return data.length;
  if (task === 'regression') return valid ? valid.reduce((sum, counts) => sum + counts, 0) : data.length;
  const width = shape.length === 2 ? shape[1]! : undefined;
  return checkTarget(data, {
    ...{ classCount: classes.length, ignoreIndex: labels.ignoreIndex, validity: valid, where },
    ...(width !== undefined && { width }),
  });
}
