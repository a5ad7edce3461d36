import type { Task } from './dataset-manifest.js';

/** Tasks whose truth is an answer for every pixel. */
export type PixelTask = 'segmentation' | 'change_detection' | 'regression';

/** Tasks whose truth is an answer for the image: one class, or each class by itself. */
export type ImageTask = 'classification' | 'multilabel';

/** Tasks whose truth is a list of objects: boxes, or boxes with masks. */
export type ObjectTask = 'detection' | 'instance_segmentation';

/** What decoders and losses of logits are made for; boxes and instances have heads, losses and metrics of their own. */
export type AnswerTask = PixelTask | ImageTask;

export const isImageTask = (task: Task): task is ImageTask =>
  task === 'classification' || task === 'multilabel';

export const isObjectTask = (task: Task): task is ObjectTask =>
  task === 'detection' || task === 'instance_segmentation';
