import { COCO_RECALLS, CocoMetric, type DetectedImage } from './coco-metric.js';

/** Precision by recall of one class at one overlap. */
export interface DetectionCurve {
  readonly label: number;
  /** Least intersection over union of a detection that is right. */
  readonly overlap: number;
  /** At each recall that is reached: the best precision at this recall or a higher one, and the score from which it is reached. */
  readonly points: readonly {
    readonly recall: number;
    readonly precision: number;
    readonly score: number;
  }[];
  /** Mean of the precision at 101 recalls, 0 where they are not reached. */
  readonly averagePrecision: number;
}

export interface DetectionCurves {
  readonly curves: readonly DetectionCurve[];
  readonly images: number;
  /** Without crowds. */
  readonly objects: number;
  readonly detections: number;
}

export interface DetectionCurvesOptions {
  /** What overlaps: boxes (default) or masks. */
  readonly of?: 'box' | 'mask';
  /** Default 0.5, 0.75 and 0.9. */
  readonly overlaps?: readonly number[];
  /** Most detections of a class in an image. Default 100. */
  readonly maxDetections?: number;
}

/**
 * Curves as COCO's average precision is of; classes without an object have none.
 * @throws what CocoMetric.add throws
 */
export function detectionCurves(
  images: readonly DetectedImage[],
  { of = 'box', overlaps = [0.5, 0.75, 0.9], maxDetections = 100 }: DetectionCurvesOptions = {},
): DetectionCurves {
  const metric = new CocoMetric({ of, overlapThresholds: overlaps, maxDetections: [maxDetections] });
  for (const { truth, detected } of images) metric.add(truth, detected);
  const curves = metric.labels.flatMap((label) =>
    (metric.curves(label) ?? []).map(({ precision, scores, recall }, at): DetectionCurve => {
      const reached = COCO_RECALLS.filter((point) => point <= recall);
      return {
        label,
        overlap: overlaps[at]!,
        points: reached.map((point, place) => ({
          ...{ recall: point, precision: precision[place]!, score: scores[place]! },
        })),
        averagePrecision: precision.reduce((sum, value) => sum + value, 0) / precision.length,
      };
    }),
  );
  return {
    curves,
    images: images.length,
    objects: images.reduce((sum, { truth }) => sum + truth.filter(({ isCrowd }) => !isCrowd).length, 0),
    detections: images.reduce((sum, { detected }) => sum + detected.length, 0),
  };
}
