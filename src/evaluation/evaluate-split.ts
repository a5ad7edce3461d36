import { tf } from '../engine/tf.js';
import { valuesOf } from '../engine/values-of.js';
import { RunError } from '../errors.js';
import type { Loss } from '../losses/loss.js';
import type { Metric, Numbers } from '../metrics/metric.js';
import type { AnswerTask } from '../manifests/answer-task.js';
import type { Protocol } from '../manifests/protocol-manifest.js';
import { answerBatch, numbersOf, type NumberAnswer } from '../training/answer.js';
import type { Item } from '../training/feed.js';
import type { Prepared } from '../training/input-source.js';
import type { TaskModel } from '../training/task-model.js';
import { predictWhole } from './predict-whole.js';
import { splitInputs, type SplitInputOptions } from './split-inputs.js';
import { SplitScores, type SplitEvaluation } from './split-scores.js';

export interface SplitEvaluationOptions extends SplitInputOptions {
  readonly model: TaskModel;
  readonly task: AnswerTask;
  /** Side of a tile, and of the windows of a whole image. */
  readonly size: number | null;
  readonly newMetric: () => Metric;
  /** Of the mean loss; null: it is not asked for. */
  readonly loss: Loss | null;
  readonly mode: 'corrected' | 'as-published';
  /** Told of every prediction: class of every pixel, or values. */
  readonly onPrediction?: (item: Item, prediction: Prediction) => void;
}

/** Logits or values of one input: [height, width, channel] or [channel], as they leave the model. */
export interface Prediction {
  readonly outputs: Float32Array;
  readonly channelCount: number;
  readonly answer: NumberAnswer;
}

/** How a split is cut for its scores. */
export type Evaluation = Protocol['evaluation'];

/**
 * Scores of a split by one way of evaluation, over all of its samples.
 * @throws RunError OUTPUT_NOT_FINITE, which would else be scored as the first class
 */
export async function evaluateSplit(
  split: string,
  evaluation: Evaluation,
  options: SplitEvaluationOptions,
): Promise<SplitEvaluation> {
  const { newMetric, task, loss, onPrediction } = options;
  const scores = new SplitScores<Metric>(newMetric);
  for await (const { item, place, prediction } of predictSplit(split, evaluation, options)) {
    const { answer } = prediction;
    requireNumbers(prediction, task, `split ${split}, ${item.id}`);
    const { prediction: said, target, validity } = judged(prediction, task);
    scores.add((metric) => metric.add(said, target, { validity }), {
      ...{ place, answerCount: answer.data.length },
      loss: loss && lossOf(prediction, task, loss),
    });
    onPrediction?.(item, prediction);
  }
  return scores.result();
}

async function* predictSplit(
  split: string,
  evaluation: Evaluation,
  options: SplitEvaluationOptions,
): AsyncGenerator<{ readonly item: Item; readonly place: string; readonly prediction: Prediction }> {
  const { feed, breathe } = options;
  if (evaluation === 'sliding-window' || evaluation === 'tiled') {
    for (const item of await feed.samples(split)) {
      const { place, answer: truth, input } = await feed.read(item);
      const answer = numbersOf(truth);
      const { data: outputs, channelCount } = await predictWhole(
        `${split}/${item.id}`,
        input,
        answer,
        evaluation,
        options,
      );
      yield { item, place, prediction: { outputs, channelCount, answer } };
      await breathe();
    }
    return;
  }
  for await (const { items, batch } of splitInputs(split, evaluation, options)) {
    const outputs = predictBatch(batch, options);
    const length = outputs.length / batch.length;
    for (const [index, { place, answer: truth }] of batch.entries()) {
      const answer = numbersOf(truth);
      const own = outputs.slice(index * length, (index + 1) * length);
      const channelCount = answer.shape.length === 2 ? own.length / answer.data.length : own.length;
      yield { item: items[index]!, place, prediction: { outputs: own, channelCount, answer } };
    }
  }
}

/** Outputs of inputs of one size, one after the other. */
function predictBatch(
  batch: readonly Prepared[],
  { model, source }: Pick<SplitEvaluationOptions, 'model' | 'source'>,
): Float32Array {
  const [height = 1, width = 1] = batch[0]!.answer!.shape;
  const context = { training: false };
  return valuesOf(() => model.decode.forward(source.maps(batch, context), { height, width }, context)).data;
}

interface Judged {
  readonly prediction: Numbers;
  readonly target: Numbers;
  readonly validity: Numbers | null;
}

/** @throws RunError OUTPUT_NOT_FINITE for NaN, and for values without end */
function requireNumbers({ outputs }: Prediction, task: AnswerTask, where: string): void {
  const isWrong = (value: number): boolean =>
    Number.isNaN(value) || (task === 'regression' && !Number.isFinite(value));
  const wrong = outputs.find(isWrong);
  if (wrong === undefined) return;
  throw new RunError('OUTPUT_NOT_FINITE', `The model answers ${wrong}.`, {
    where,
    hint: 'Its weights may have run away: lower learningRate, or give gradientClip. If it is this input alone, look at it.',
  });
}

/** A prediction and its truth in the form that metrics take. */
function judged({ outputs, channelCount, answer }: Prediction, task: AnswerTask): Judged {
  const { data, valid, scale, shift } = answer;
  if (task === 'regression') {
    const restore = (value: number): number => value * scale + shift;
    return {
      prediction: outputs.map(restore),
      target: data.map(restore),
      validity: valid,
    };
  }
  if (task === 'multilabel') {
    const chances = outputs.map((logit) => 1 / (1 + Math.exp(-logit)));
    return { prediction: chances, target: data, validity: null };
  }
  return { prediction: highest(outputs, channelCount), target: data, validity: valid };
}

/** Place of the highest of every `channelCount` outputs; the first of several that are equal. */
export function highest(outputs: Float32Array, channelCount: number): Int32Array {
  const classes = new Int32Array(outputs.length / channelCount);
  for (let at = 0; at < classes.length; at++) {
    let best = 0;
    for (let channel = 1; channel < channelCount; channel++) {
      if (outputs[at * channelCount + channel]! > outputs[at * channelCount + best]!) best = channel;
    }
    classes[at] = best;
  }
  return classes;
}

function lossOf({ outputs, channelCount, answer }: Prediction, task: AnswerTask, loss: Loss): number {
  return tf.tidy(() => {
    const { target, valid } = answerBatch([answer], task);
    const shape = answer.shape.length === 2 ? [1, ...answer.shape, channelCount] : [1, channelCount];
    return loss(tf.tensor(outputs, shape), target, valid ? { validity: valid } : {}).dataSync()[0]!;
  });
}
