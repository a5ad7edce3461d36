import { tf, type Scalar } from '../engine/tf.js';
import type { DetectionTarget, Detector } from '../detection/faster-rcnn.js';
import { createRandom } from '../random.js';
import { objectsOf, type ObjectAnswer } from './answer.js';
import type { BatchLoss } from './batch-loss.js';
import type { Prepared } from './input-source.js';
import { maskArray } from './object-answer.js';
import { roundedUp } from './side-multiple.js';
import type { DetectionModel } from './task-model.js';

type Frames = Parameters<Detector['losses']>[1];

/** Sum of the detector's losses. Which anchors and proposals are trained on is drawn from the context. */
export const detectionLoss =
  ({ detector, hasMasks }: Pick<DetectionModel, 'detector' | 'hasMasks'>): BatchLoss =>
  (maps, batch, context) => {
    const answers = batch.map(({ answer }) => objectsOf(answer));
    const targets = answers.map((answer) => targetOf(answer, hasMasks));
    const random = (context.random ?? createRandom(0)).split('sampler');
    const losses = detector.losses(maps, framesOf(batch), targets, context, random.permutation);
    return tf.addN(Object.values(losses) as Scalar[]) as Scalar;
  };

/** Where the images of a batch lie. */
export function framesOf(batch: readonly Prepared[]): Frames {
  const sizes = batch.map(({ answer }) => objectsOf(answer).shape);
  const side = (axis: 0 | 1): number => roundedUp(Math.max(...sizes.map((size) => size[axis])));
  return { sizes, batchSize: [side(0), side(1)] };
}

/** Crowds are not trained on. */
function targetOf({ objects, shape }: ObjectAnswer, hasMasks: boolean): DetectionTarget {
  const trained = objects.filter(({ isCrowd }) => !isCrowd);
  return {
    boxes: Float32Array.from(
      trained.flatMap(({ box: [left, top, width, height] }) => [left, top, left + width, top + height]),
    ),
    labels: trained.map(({ label }) => label),
    ...(hasMasks && { masks: tf.tensor3d(maskArray(trained, shape), [trained.length, ...shape]) }),
  };
}
