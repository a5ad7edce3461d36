import { tf } from '../engine/tf.js';
import { valuesOf } from '../engine/values-of.js';
import { InputError } from '../errors.js';
import type { Loss } from '../losses/loss.js';
import type { Metric } from '../metrics/metric.js';
import type { Protocol } from '../manifests/protocol-manifest.js';
import { answerBatch, type Answer } from '../training/answer.js';
import type { Feed, Item } from '../training/feed.js';
import type { InputSource, Prepared } from '../training/input-source.js';
import type { TaskModel } from '../training/task-model.js';
import type { TrainedTask } from '../training/task.js';
import { predictWhole } from './predict-whole.js';
import { SplitScores, type Judged, type SplitEvaluation } from './split-scores.js';

export interface SplitEvaluationOptions {
  readonly model: TaskModel;
  readonly feed: Feed;
  readonly source: InputSource;
  readonly task: TrainedTask;
  readonly protocol: Pick<Protocol, 'batchSize' | 'windowStride'>;
  /** Side of the windows of a whole image. */
  readonly size: number | null;
  readonly newMetric: () => Metric;
  /** Of the mean loss; null: it is not asked for. */
  readonly loss: Loss | null;
  readonly mode: 'corrected' | 'as-published';
  /** Told of every prediction: class of every pixel, or values. */
  readonly onPrediction?: (item: Item, prediction: Prediction) => void;
  /** Called between batches: gives the event loop a turn, and throws to stop. */
  readonly breathe: () => Promise<void>;
}

/** Logits or values of one input: [height, width, channel] or [channel], as they leave the model. */
export interface Prediction {
  readonly outputs: Float32Array;
  readonly channelCount: number;
  readonly answer: Answer;
}

/** How a split is cut for its scores. */
export type Evaluation = Protocol['evaluation'];

/** Scores of a split by one way of evaluation, over all of its samples. */
export async function evaluateSplit(
  split: string,
  evaluation: Evaluation,
  options: SplitEvaluationOptions,
): Promise<SplitEvaluation> {
  const { newMetric, task, loss, onPrediction } = options;
  const scores = new SplitScores(newMetric);
  for await (const { item, place, prediction } of predictSplit(split, evaluation, options)) {
    const { answer } = prediction;
    scores.add(judged(prediction, task), answer, place, loss && lossOf(prediction, task, loss));
    onPrediction?.(item, prediction);
  }
  return scores.result();
}

async function* predictSplit(
  split: string,
  evaluation: Evaluation,
  options: SplitEvaluationOptions,
): AsyncGenerator<{ readonly item: Item; readonly place: string; readonly prediction: Prediction }> {
  const { feed, size, breathe } = options;
  if (evaluation === 'sliding-window' || evaluation === 'tiled') {
    for (const item of await feed.samples(split)) {
      const { place, answer, input } = await feed.read(item);
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
  const items = evaluation === 'tiles' ? await feed.tiles(split, tileSize(size)) : await feed.samples(split);
  for (let start = 0; start < items.length; start += options.protocol.batchSize) {
    const batch = items.slice(start, start + options.protocol.batchSize);
    const loaded = await options.source.load(batch.map((item) => feed.request(item)));
    for (const group of bySize(loaded)) {
      const outputs = predictBatch(
        group.map(({ prepared }) => prepared),
        options,
      );
      const length = outputs.length / group.length;
      for (const [index, { prepared, at }] of group.entries()) {
        const answer = prepared.answer!;
        const own = outputs.slice(index * length, (index + 1) * length);
        const channelCount = answer.shape.length === 2 ? own.length / answer.data.length : own.length;
        yield { item: batch[at]!, place: prepared.place, prediction: { outputs: own, channelCount, answer } };
      }
    }
    await breathe();
  }
}

/** @throws InputError SETTING_INVALID */
function tileSize(size: number | null): number {
  if (size !== null) return size;
  throw new InputError('SETTING_INVALID', 'evaluation cannot be "tiles" without a size.', {
    where: 'settings of the study',
    hint: 'Give inputSize: the encoder takes images of any size.',
  });
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

/** Inputs whose pictures and answers have one size, in their order; each with its place in the batch. */
function bySize(batch: readonly Prepared[]): { readonly prepared: Prepared; readonly at: number }[][] {
  const groups: { key: string; members: { prepared: Prepared; at: number }[] }[] = [];
  for (const [at, prepared] of batch.entries()) {
    const key = sizeKey(prepared);
    const last = groups.at(-1);
    if (last?.key === key) last.members.push({ prepared, at });
    else groups.push({ key, members: [{ prepared, at }] });
  }
  return groups.map(({ members }) => members);
}

function sizeKey({ given, answer }: Prepared): string {
  const shapes =
    'input' in given
      ? Object.values(given.input.images).map(({ timeCount, height, width }) => [timeCount, height, width])
      : given.features.map(({ shape }) => shape);
  return [...shapes, answer!.shape].join(' ');
}

/** A prediction and its truth in the form that metrics take. */
function judged({ outputs, channelCount, answer }: Prediction, task: TrainedTask): Judged {
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

function lossOf({ outputs, channelCount, answer }: Prediction, task: TrainedTask, loss: Loss): number {
  return tf.tidy(() => {
    const { target, valid } = answerBatch([answer], task);
    const shape = answer.shape.length === 2 ? [1, ...answer.shape, channelCount] : [1, channelCount];
    return loss(tf.tensor(outputs, shape), target, valid ? { validity: valid } : {}).dataSync()[0]!;
  });
}
