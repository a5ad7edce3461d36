import { geoBench2Kept } from '../detection/geobench2-detector.js';
import type { MaskedDetections } from '../detection/faster-rcnn.js';
import { pasteMask } from '../detection/paste-masks.js';
import { tf } from '../engine/tf.js';
import type { DetectedObject } from '../metrics/coco/coco-metric.js';
import { runLengthMask } from '../metrics/coco/run-length-mask.js';
import type { ObjectMetric } from '../metrics/object-metric.js';
import { objectsOf, type ObjectAnswer } from '../training/answer.js';
import { detectionLoss, framesOf } from '../training/detection-loss.js';
import type { Item } from '../training/feed.js';
import type { InputSource, Prepared } from '../training/input-source.js';
import type { DetectionModel } from '../training/task-model.js';
import { splitInputs, type SplitInputOptions } from './split-inputs.js';
import { SplitScores, type SplitEvaluation } from './split-scores.js';

export interface ObjectEvaluationOptions extends SplitInputOptions {
  readonly model: DetectionModel;
  readonly newMetric: () => ObjectMetric;
  /** Whether the mean loss is asked for. */
  readonly needsLoss: boolean;
  /** Only boxes above a probability of half, of any two that overlap by half the better one: GEO-Bench-2's rule. */
  readonly likelyBoxesAlone: boolean;
  /** Told of what was found in every input. */
  readonly onDetections?: (item: Item, found: ObjectPrediction) => void;
}

/** What was found in one input, best first. */
export interface ObjectPrediction {
  readonly detected: readonly DetectedObject[];
  readonly answer: ObjectAnswer;
}

/** Scores of a split, whole images or tiles; objects that a tile cuts are those of the tile. */
export async function evaluateObjects(
  split: string,
  evaluation: 'whole' | 'tiles',
  options: ObjectEvaluationOptions,
): Promise<SplitEvaluation> {
  const { model, source, newMetric, needsLoss, onDetections } = options;
  const scores = new SplitScores(newMetric);
  for await (const { items, batch } of splitInputs(split, evaluation, options)) {
    const found = detectBatch(batch, options);
    const loss = needsLoss ? lossOf(batch, model, source) : null;
    for (const [at, { answer: truth, place }] of batch.entries()) {
      const answer = objectsOf(truth);
      const detected = found[at]!;
      scores.add((metric) => metric.add(answer.objects, detected), {
        ...{ place, answerCount: answer.objects.length, loss },
      });
      onDetections?.(items[at]!, { detected, answer });
    }
  }
  return scores.result();
}

/** Detections of inputs of one size, in their own pixels. */
export function detectBatch(
  batch: readonly Prepared[],
  { model, source, likelyBoxesAlone }: Pick<ObjectEvaluationOptions, 'model' | 'source' | 'likelyBoxesAlone'>,
): DetectedObject[][] {
  const context = { training: false };
  const frames = framesOf(batch);
  let found: MaskedDetections[] = [];
  tf.tidy(() => {
    found = model.detector.detect(source.maps(batch, context), frames, context);
  });
  return found.map((own, image) =>
    detectedObjects(own, frames.sizes[image]!, likelyBoxesAlone ? geoBench2Kept(own) : undefined),
  );
}

/**
 * Detections as metrics take them: sides in place of far edges, masks drawn where half of a pixel is likely the object's.
 * @param size [height, width] of the image
 * @param kept those that are wanted, by their places; default all
 */
export function detectedObjects(
  { boxes, scores, labels, masks }: MaskedDetections,
  [height, width]: readonly [number, number],
  kept: readonly number[] = [...scores.keys()],
): DetectedObject[] {
  return kept.map((at) => {
    const box = boxes.subarray(at * 4, at * 4 + 4);
    const [left, top, right, bottom] = [...box] as [number, number, number, number];
    const drawn = (): Float32Array => {
      const { values, side } = masks!;
      const patch = values.subarray(at * side * side, (at + 1) * side * side);
      return pasteMask({ values: patch, side }, box, [height, width]);
    };
    return {
      ...{ label: labels[at]!, score: scores[at]! },
      box: [left, top, Math.fround(right - left), Math.fround(bottom - top)],
      ...(masks && {
        mask: runLengthMask(
          drawn().map((share) => Number(share >= 0.5)),
          height,
          width,
        ),
      }),
    };
  });
}

function lossOf(batch: readonly Prepared[], model: DetectionModel, source: InputSource): number {
  const context = { training: false };
  return tf.tidy(() => detectionLoss(model)(source.maps(batch, context), batch, context).dataSync()[0]!);
}
