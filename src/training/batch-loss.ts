import type { Scalar } from '../engine/tf.js';
import type { ForwardContext } from '../layers/layer.js';
import type { Loss } from '../losses/loss.js';
import type { AnswerTask } from '../manifests/answer-task.js';
import { answerBatch, numbersOf } from './answer.js';
import type { Prepared } from './input-source.js';
import type { FeatureMaps, TaskModel } from './task-model.js';

/** What a task makes of a batch, of its feature maps and its answers: the number that training makes small. In the caller's tidy. */
export type BatchLoss = (maps: FeatureMaps, batch: readonly Prepared[], context: ForwardContext) => Scalar;

/** Loss of logits against answers. @throws InputError BATCH_SIZES */
export const logitsLoss =
  ({ decode }: Pick<TaskModel, 'decode'>, task: AnswerTask, loss: Loss): BatchLoss =>
  (maps, batch, context) => {
    const answers = batch.map(({ answer }) => numbersOf(answer));
    const { target, valid } = answerBatch(answers, task);
    const logits = decode.forward(maps, sizeOfInput(batch, answers[0]!.shape), context);
    return loss(logits, target, valid ? { validity: valid } : {});
  };

/** Size of the answer of a dense task; of an image, that of the input (which its head does not use). */
function sizeOfInput(
  batch: readonly Prepared[],
  answer: readonly number[],
): { readonly height: number; readonly width: number } {
  if (answer.length === 2) return { height: answer[0]!, width: answer[1]! };
  const { given } = batch[0]!;
  const image = 'input' in given ? Object.values(given.input.images)[0] : undefined;
  return { height: image?.height ?? 1, width: image?.width ?? 1 };
}
