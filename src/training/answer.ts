import type { Sample, TargetOf } from '../datasets/sample.js';
import { tf, type Tensor } from '../engine/tf.js';
import { InputError } from '../errors.js';
import { checkTarget } from '../losses/check-target.js';
import type { AnswerTask } from '../manifests/answer-task.js';
import type { TrueObject } from '../metrics/coco/coco-metric.js';

/** Truth of one input. */
export type Answer = NumberAnswer | ObjectAnswer;

/** Truth of one input as a list. */
export interface ObjectAnswer {
  /** [height, width] of the input, without the pixels that fill it up for the encoder. */
  readonly shape: readonly [number, number];
  /** Labels from 1; those that a crop has cut to less than half are crowds. */
  readonly objects: readonly TrueObject[];
}

/** Truth of one input as numbers. */
export interface NumberAnswer {
  /** classification [1]; multi-label [class], 0 or 1; dense tasks [height, width]. */
  readonly data: Float32Array;
  readonly shape: readonly number[];
  /** Like `data`, 1 = counts; null: all do. */
  readonly valid: Float32Array | null;
  /** What makes a regression's values those of the files: value · scale + shift. */
  readonly scale: number;
  readonly shift: number;
}

export const isObjectAnswer = (answer: Answer): answer is ObjectAnswer => 'objects' in answer;

/** The truth as numbers: of inputs whose task has such. */
export function numbersOf(answer: Answer | null): NumberAnswer {
  if (answer && !isObjectAnswer(answer)) return answer;
  throw new Error('These are no numbers.');
}

/** The truth as a list: of inputs whose task has such. */
export function objectsOf(answer: Answer | null): ObjectAnswer {
  if (answer && isObjectAnswer(answer)) return answer;
  throw new Error('These are no objects.');
}

/** Truth of a sample for a task. @throws InputError TARGET_KIND; CLASS_OUT_OF_RANGE for a label of several that is none */
export function answerOf(sample: Sample, task: AnswerTask, classCount: number): NumberAnswer {
  const plain = { valid: null, scale: 1, shift: 0 };
  switch (task) {
    case 'classification':
      return { ...plain, data: Float32Array.of(targetOf(sample, 'class').label), shape: [1] };
    case 'multilabel': {
      const data = new Float32Array(classCount);
      const { labels } = targetOf(sample, 'classes');
      checkTarget(labels, { classCount, where: `sample ${sample.id}` });
      for (const label of labels) data[label] = 1;
      return { ...plain, data, shape: [classCount] };
    }
    case 'segmentation':
    case 'change_detection': {
      const { labels } = targetOf(sample, 'mask');
      return { ...plain, data: Float32Array.from(labels.data), shape: [labels.height, labels.width] };
    }
    case 'regression': {
      const { values, valid: mask, height, width, normalization } = targetOf(sample, 'values');
      const counts = Float32Array.from(values, (value, pixel) =>
        value === value && (!mask || mask[pixel]) ? 1 : 0,
      );
      return {
        data: Float32Array.from(values, (value, pixel) => (counts[pixel] ? value : 0)), // weight 0 beside it
        shape: [height, width],
        valid: counts.includes(0) ? counts : null,
        scale: normalization?.scale ?? 1,
        shift: normalization?.shift ?? 0,
      };
    }
  }
}

/** Truths of a batch: float32 of multi-label and regression, else int32. */
export interface AnswerBatch {
  /** [batch], [batch, class] or [batch, height, width]. */
  readonly target: Tensor;
  /** Like `target`, 1 = counts; null: all do. */
  readonly valid: Tensor | null;
}

/** In the caller's tidy. @throws InputError BATCH_SIZES */
export function answerBatch(answers: readonly NumberAnswer[], task: AnswerTask): AnswerBatch {
  const { shape, data: first } = answers[0]!;
  const other = answers.findIndex((answer) => answer.shape.join() !== shape.join());
  if (other >= 0) {
    throw new InputError(
      'BATCH_SIZES',
      `The truth of input ${other} of a batch is [${answers[other]!.shape.join(', ')}], that of the first [${shape.join(', ')}].`,
      { hint: 'Choose a crop, resize, or a batchSize of 1.' },
    );
  }
  const join = (arrays: readonly Float32Array[]): Float32Array => {
    const data = new Float32Array(arrays.length * first.length);
    for (const [index, array] of arrays.entries()) data.set(array, index * first.length);
    return data;
  };
  const axes = task === 'classification' ? [answers.length] : [answers.length, ...shape];
  const isFloat = task === 'multilabel' || task === 'regression';
  const data = join(answers.map((answer) => answer.data));
  const target = isFloat ? tf.tensor(data, axes) : tf.tensor(Int32Array.from(data), axes, 'int32');
  const someInvalid = answers.some(({ valid }) => valid !== null);
  const ones = (): Float32Array => new Float32Array(first.length).fill(1);
  const valid = someInvalid ? tf.tensor(join(answers.map((answer) => answer.valid ?? ones())), axes) : null;
  return { target, valid };
}

/** @throws InputError TARGET_KIND */
function targetOf<K extends Sample['target']['kind']>(sample: Sample, kind: K): TargetOf<K> {
  if (sample.target.kind === kind) return sample.target as TargetOf<K>;
  throw wrongKind(sample, kind);
}

/** The task of a dataset is another than its targets. */
export const wrongKind = ({ id, target }: Sample, wanted: Sample['target']['kind']): InputError =>
  new InputError('TARGET_KIND', `The target is "${target.kind}", and "${wanted}" is trained on.`, {
    where: `sample ${id}`,
    hint: 'The task of a dataset and what its `read` returns have to agree.',
  });
