import { isImageTask, type AnswerTask } from '../manifests/answer-task.js';
import { InputError } from '../errors.js';
import type { DatasetManifest, Task } from '../manifests/dataset-manifest.js';

/** What models are trained for here; boxes and instances need heads of their own. */
export const TRAINED_TASKS = [
  'classification',
  'multilabel',
  'segmentation',
  'change_detection',
  'regression',
] as const satisfies readonly AnswerTask[];
export type TrainedTask = AnswerTask;

/** @throws InputError TASK_UNTRAINED for objects */
export function trainedTask({ id, task }: Pick<DatasetManifest, 'id' | 'task'>): TrainedTask {
  if ((TRAINED_TASKS as readonly Task[]).includes(task)) return task as TrainedTask;
  throw new InputError('TASK_UNTRAINED', `The task of ${id} is ${task}, for which there is no head yet.`, {
    where: `dataset ${id}`,
    hint: `Studies train ${TRAINED_TASKS.join(', ')}.`,
  });
}

/** Whether every pixel has an answer. */
export const isDense = (task: TrainedTask): boolean => !isImageTask(task);

/** Logits a pixel or an image. */
export const outputCount = (task: TrainedTask, { classes }: Pick<DatasetManifest, 'classes'>): number =>
  task === 'regression' ? 1 : classes.length;
