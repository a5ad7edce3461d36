import type { Task } from '../manifests/dataset-manifest.js';

export interface ScoreKind {
  readonly tasks: readonly Task[];
  readonly isHigherBetter: boolean;
  /** What the number says, in a line. */
  readonly means: string;
}

const PIXELS: readonly Task[] = ['segmentation', 'change_detection'];
const CLASSES: readonly Task[] = [...PIXELS, 'classification'];
const LABELS: readonly Task[] = ['multilabel'];
const VALUES: readonly Task[] = ['regression'];
const OBJECTS: readonly Task[] = ['detection', 'instance_segmentation'];
const INSTANCES: readonly Task[] = ['instance_segmentation'];

const higher = (tasks: readonly Task[], means: string): ScoreKind => ({
  tasks,
  isHigherBetter: true,
  means,
});
const lower = (means: string): ScoreKind => ({ tasks: VALUES, isHigherBetter: false, means });

/** Every score by its name: what it says and which way is better. Shares are 0 … 1, errors in the target's unit. */
export const scoreKinds = {
  mIoU: higher(CLASSES, 'mean over the classes of hits over the union of truth and prediction'),
  mIoULabelled: higher(CLASSES, 'the same over the classes that the truth has'),
  mF1: higher(CLASSES, 'mean over the classes of 2 · hits over truth plus prediction'),
  mPrecision: higher(CLASSES, 'mean over the predicted classes of hits over prediction'),
  mRecall: higher(CLASSES, 'mean over the true classes of hits over truth'),
  accuracy: higher(
    [...CLASSES, 'multilabel'],
    'share of right pixels or images; of multi-label images: all labels right',
  ),
  mAcc: higher(PIXELS, 'as PANGAEA names it: the share of right pixels'),
  kappa: higher(['classification'], 'agreement beyond chance (Cohen 1960)'),
  matthews: higher(['classification'], 'correlation of truth and prediction'),
  calibrationError: {
    tasks: ['classification'],
    isHigherBetter: false,
    means: 'distance of confidence and accuracy over 15 bins of confidence',
  },
  microF1: higher(LABELS, 'F1 of the counts of all labels together'),
  macroF1: higher(LABELS, 'mean of the labels’ F1'),
  microPrecision: higher(LABELS, 'precision of the counts of all labels together'),
  microRecall: higher(LABELS, 'recall of the counts of all labels together'),
  mAP: higher(
    [...LABELS, ...OBJECTS],
    'mean of the labels’ average precision; of boxes or masks over overlaps of 0.5 … 0.95 and classes (COCO)',
  ),
  microAP: higher(LABELS, 'average precision of all labels in one list'),
  AP50: higher(OBJECTS, 'average precision where an overlap of half finds an object'),
  AP75: higher(OBJECTS, 'average precision where an overlap of three quarters finds an object'),
  'mAP-small': higher(OBJECTS, 'mAP of objects up to 32² pixels'),
  'mAP-medium': higher(OBJECTS, 'mAP of objects of 32² … 96² pixels'),
  'mAP-large': higher(OBJECTS, 'mAP of objects from 96² pixels'),
  'AR-1': higher(OBJECTS, 'mean recall over overlaps with one detection of a class in an image'),
  'AR-10': higher(OBJECTS, 'mean recall over overlaps with ten'),
  'AR-100': higher(OBJECTS, 'mean recall over overlaps with a hundred'),
  'AR-small': higher(OBJECTS, 'AR-100 of objects up to 32² pixels'),
  'AR-medium': higher(OBJECTS, 'AR-100 of objects of 32² … 96² pixels'),
  'AR-large': higher(OBJECTS, 'AR-100 of objects from 96² pixels'),
  'box-mAP': higher(INSTANCES, 'mAP of the boxes, where masks are scored'),
  'box-AP50': higher(INSTANCES, 'AP50 of the boxes, where masks are scored'),
  RMSE: lower('root of the mean squared error'),
  MSE: lower('mean squared error'),
  MAE: lower('mean size of the error'),
  R2: higher(VALUES, 'share of the variance that is explained; below 0: worse than the mean'),
  pearson: higher(VALUES, 'correlation of prediction and target'),
} as const satisfies Record<string, ScoreKind>;

export type ScoreName = keyof typeof scoreKinds;

/** The score that a task's best epoch is chosen by, unless a protocol says another. */
export const mainScore: Readonly<Record<Task, ScoreName>> = {
  segmentation: 'mIoU',
  change_detection: 'mIoU',
  classification: 'accuracy',
  multilabel: 'macroF1',
  regression: 'RMSE',
  detection: 'mAP',
  instance_segmentation: 'mAP',
};

/** Whether a score beats the best so far. NaN and null beat nothing and are beaten by all numbers; equal ones do not beat. */
export function isBetter(name: ScoreName, candidate: number | null, best: number | null): boolean {
  if (candidate === null || Number.isNaN(candidate)) return false;
  if (best === null || Number.isNaN(best)) return true;
  return scoreKinds[name].isHigherBetter ? candidate > best : candidate < best;
}
