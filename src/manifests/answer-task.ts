import type { Task } from './dataset-manifest.js';

/** Tasks whose truth is an answer for every pixel. */
export type PixelTask = 'segmentation' | 'change_detection' | 'regression';

/** Tasks whose truth is an answer for the image: one class, or each class by itself. */
export type ImageTask = 'classification' | 'multilabel';

/** What decoders, losses and metrics are made for; boxes and instances have heads, losses and metrics of their own. */
export type AnswerTask = PixelTask | ImageTask;

export const isImageTask = (task: Task): task is ImageTask =>
  task === 'classification' || task === 'multilabel';
