import { isImageTask, isObjectTask } from '../manifests/answer-task.js';
import type { DatasetManifest, Task } from '../manifests/dataset-manifest.js';

/** What models are trained for here. */
export type TrainedTask = Task;

/** Whether every pixel has an answer. */
export const isDense = (task: TrainedTask): boolean => !isImageTask(task) && !isObjectTask(task);

/** Logits a pixel, an image or a box; of boxes one of them is of the background. */
export const outputCount = (task: TrainedTask, { classes }: Pick<DatasetManifest, 'classes'>): number =>
  task === 'regression' ? 1 : classes.length;
