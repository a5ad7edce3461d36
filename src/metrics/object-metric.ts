import type { Mode } from '../datasets/faults.js';
import type { ObjectTask } from '../manifests/answer-task.js';
import { CocoMetric, type DetectedObject, type TrueObject } from './coco/coco-metric.js';
import { TORCHMETRICS_THRESHOLDS } from './coco/torchmetrics-thresholds.js';
import type { Metric } from './metric.js';

export interface ObjectMetricOptions {
  readonly task: ObjectTask;
  /** Background, class 0, included. */
  readonly classCount: number;
  /** `as-published`: torchmetrics' float32 thresholds, and no image without objects where masks are scored. Default `corrected`. */
  readonly mode?: Mode;
}

/** Adds up a split image by image. */
export interface ObjectMetric extends Pick<Metric, 'scores' | 'perClass'> {
  /** @throws what CocoMetric.add throws */
  add(truth: readonly TrueObject[], detected: readonly DetectedObject[]): void;
}

/**
 * COCO's scores of boxes, or of masks with `box-mAP` and `box-AP50` beside them. A class has `AP`, `AP50` and `support`, its
 * objects without crowds; the background has none.
 */
export function objectMetric({ task, classCount, mode = 'corrected' }: ObjectMetricOptions): ObjectMetric {
  const rules = mode === 'as-published' ? TORCHMETRICS_THRESHOLDS : {};
  const boxes = new CocoMetric({ ...rules, of: 'box' });
  const masks =
    task === 'instance_segmentation'
      ? new CocoMetric({ ...rules, of: 'mask', countsEmptyImages: mode === 'corrected' })
      : undefined;
  const main = masks ?? boxes;
  const support = new Float64Array(classCount);
  return {
    add(truth, detected) {
      boxes.add(truth, detected);
      masks?.add(truth, detected);
      for (const { label, isCrowd } of truth) if (!isCrowd) support[label]! += 1;
    },
    scores() {
      const { mAP = null, AP50 = null } = masks ? boxes.scores() : {};
      return { ...main.scores(), ...(masks && { 'box-mAP': mAP, 'box-AP50': AP50 }) };
    },
    perClass() {
      const own = new Map(main.labels.map((label, at) => [label, at]));
      const scores = main.perClass();
      const column = (name: string): (number | null)[] =>
        Array.from({ length: classCount }, (_, label) => scores[own.get(label) ?? -1]?.[name] ?? null);
      return {
        AP: column('mAP'),
        AP50: column('AP50'),
        support: Array.from(support, (count, label) => (label === 0 ? null : count)),
      };
    },
  };
}
