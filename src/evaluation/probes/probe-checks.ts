import path from 'node:path';
import { inspect } from 'node:util';
import { InputError } from '../../errors.js';
import { isOnnxPath } from '../../manifests/onnx/onnx-manifest.js';
import type { Embeddings } from '../embed-samples.js';
import { ENCODER_NOT_SAID } from '../embeddings-file.js';
import { isClassIndex, MAX_CLASSES } from './class-index.js';

/** Which of the two sides of a probe. */
type Side = 'train' | 'test';

/**
 * Vectors of different encoders cannot be compared, however long they are. One that is not said may be any; an ONNX file
 * is known by its name, wherever it lies.
 * @throws InputError PROBE_DATA
 */
export function checkSameEncoder(train: Embeddings, test: Embeddings): void {
  const [known, asked] = [train.encoder, test.encoder].map(encoderName);
  if (known === asked || known === ENCODER_NOT_SAID || asked === ENCODER_NOT_SAID) return;
  fail('test', `The vectors to test are of ${test.encoder}, those of the training set of ${train.encoder}.`, {
    hint: 'Embed both with the same encoder.',
  });
}

const encoderName = (encoder: string): string => (isOnnxPath(encoder) ? path.basename(encoder) : encoder);

/** Numbers of the vectors, those of samples that are left out as well. @throws InputError PROBE_DATA naming the sample */
export function checkNumbers({ ids, vectors }: Embeddings, side: Side): void {
  for (const [index, vector] of vectors.entries()) {
    const odd = vector.findIndex((value) => !Number.isFinite(value));
    if (odd < 0) continue;
    fail(side, `Number ${odd} of the vector of ${nameOf(ids, index)} is ${vector[odd]}.`, {
      hint: 'Look for pixels without a value in the sample, and for weights that became NaN; embed it again.',
    });
  }
}

/** @throws InputError PROBE_DATA naming the sample whose value is no finite number */
export function checkValues({ ids, values = [], vectors }: Embeddings, side: Side): void {
  if (values.length > 0) checkCount(side, 'values', values.length, vectors.length);
  const odd = values.findIndex((value: unknown) => value !== null && !Number.isFinite(value));
  if (odd < 0) return;
  fail(side, `The value of ${nameOf(ids, odd)} is ${String(values[odd])}, which is no number.`, {
    hint: 'Give a finite number, or null to leave the sample out.',
  });
}

/**
 * Labels are class indices below `classCount`, or lists of them; all samples of both sides have one, or all have a list.
 * @param isMultiLabel what the training samples have
 * @throws InputError PROBE_DATA naming the sample
 */
export function checkLabels(
  { ids, labels, vectors }: Embeddings,
  side: Side,
  { classCount = MAX_CLASSES, isMultiLabel }: { classCount?: number | undefined; isMultiLabel: boolean },
): void {
  checkCount(side, 'labels', labels.length, vectors.length);
  for (const [index, label] of labels.entries()) {
    if (label === null) continue;
    const name = nameOf(ids, index);
    if (![label].flat().every((one: unknown) => isClassIndex(one) && one < classCount))
      fail(side, `The label of ${name} is ${inspect(label)}, which is no class of ${classCount}.`, {
        hint: 'Labels are class indices from 0; null leaves a sample out.',
      });
    if (Array.isArray(label) === isMultiLabel) continue;
    const [has, have] = isMultiLabel ? ['one class', 'a list of them'] : ['a list of classes', 'one class'];
    fail(side, `${name} has ${has}, and the first training sample has ${have}.`, {
      hint: 'Give all samples of both files one class, or all a list of classes.',
    });
  }
}

/** @throws InputError PROBE_DATA where it is no count of classes */
export function checkClassCount(classCount: number): void {
  if (isClassIndex(classCount - 1)) return;
  fail('train', `The count of classes is ${classCount}.`, { hint: `It can be 1 … ${MAX_CLASSES}.` });
}

function checkCount(side: Side, what: string, count: number, vectorCount: number): void {
  if (count === vectorCount) return;
  fail(side, `There are ${vectorCount} vectors and ${count} ${what}.`, {
    hint: 'Give one a vector, null where there is none.',
  });
}

const nameOf = (ids: readonly string[], index: number): string =>
  ids[index] === undefined ? `sample ${index}` : `sample "${ids[index]}"`;

function fail(where: Side, what: string, { hint }: { hint: string }): never {
  throw new InputError('PROBE_DATA', what, { where, hint });
}
