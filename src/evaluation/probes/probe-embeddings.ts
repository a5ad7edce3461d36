import { InputError } from '../../errors.js';
import type { Embeddings } from '../embed-samples.js';
import { knnScores, knnValues, ranking, type KnnOptions, type ProbeData } from './knn.js';
import { linearProbe, type LinearProbeOptions } from './linear-probe.js';
import { checkClassCount, checkLabels, checkNumbers, checkSameEncoder, checkValues } from './probe-checks.js';
import { ridgeProbe, type RidgeProbeOptions, type ValueData } from './ridge-probe.js';

export interface ProbeOptions extends KnnOptions, LinearProbeOptions, RidgeProbeOptions {
  /** 1 … 1,000,000. Default: one more than the largest label of both. */
  readonly classCount?: number;
}

/** Scores of probes on embeddings, and of the trivial answer beside them. */
export interface ProbeResult {
  /** 0 where numbers are told. */
  readonly classCount: number;
  readonly trainCount: number;
  readonly testCount: number;
  /**
   * Share of test samples whose class is told; of several classes a sample, the mean over classes of F1 at score ½; of
   * numbers, the root of the mean squared error, in their unit.
   */
  readonly metric: 'accuracy' | 'macro F1' | 'RMSE';
  readonly knn: number;
  readonly linear: number;
  /** Of the most frequent class of the training samples; of the classes that more than half of them have; of their mean. */
  readonly trivial: number;
  /** Whether the linear classifier's solver converged. */
  readonly hasConverged: boolean;
}

/**
 * How well the classes of test samples are told by embeddings of a training set: k nearest neighbours and a linear
 * classifier; or their numbers, by the neighbours' mean and ridge regression. Nothing is drawn. Samples without a class or
 * number are left out.
 * @throws InputError PROBE_DATA: vectors of two encoders, numbers that are not finite, labels that are no classes, or of
 *   one kind on one side and of the other on the other
 */
export function probeEmbeddings(
  train: Embeddings,
  test: Embeddings,
  options: ProbeOptions = {},
): ProbeResult {
  checkSameEncoder(train, test);
  checkNumbers(train, 'train');
  checkNumbers(test, 'test');
  if (train.values) {
    checkValues(train, 'train');
    checkValues(test, 'test');
    return probeValues(valued(train), valued(test), options);
  }
  if (options.classCount !== undefined) checkClassCount(options.classCount);
  const isMultiLabel = Array.isArray(train.labels.find((label) => label !== null));
  checkLabels(train, 'train', { ...options, isMultiLabel });
  checkLabels(test, 'test', { ...options, isMultiLabel });
  const [known, asked] = [labelled(train), labelled(test)];
  checkPair(known.vectors, asked.vectors);
  const classCount = options.classCount ?? classCountOf([...known.labels, ...asked.labels]);
  const knn = knnScores(known, asked.vectors, classCount, options);
  const { scores, hasConverged } = linearProbe(known, classCount, options);
  const shares = Array.from(
    { length: classCount },
    (_, c) => known.labels.filter((label) => [label].flat().includes(c)).length / known.labels.length,
  );
  const judge = (given: readonly Float64Array[], threshold: number): number =>
    isMultiLabel
      ? macroF1(
          given.map((row) => [...row.keys()].filter((c) => row[c]! > threshold)),
          asked.labels,
          classCount,
        )
      : given.filter((row, index) => ranking(row)[0] === asked.labels[index]).length / given.length;
  return {
    classCount,
    trainCount: known.vectors.length,
    testCount: asked.vectors.length,
    metric: isMultiLabel ? 'macro F1' : 'accuracy',
    knn: judge(knn, 0.5),
    linear: judge(scores(asked.vectors), 0),
    trivial: judge(
      asked.vectors.map(() => Float64Array.from(shares)),
      0.5,
    ),
    hasConverged,
  };
}

function probeValues(known: ValueData, asked: ValueData, options: ProbeOptions): ProbeResult {
  checkPair(known.vectors, asked.vectors);
  const rmse = (told: (index: number) => number): number =>
    Math.sqrt(
      asked.values.reduce((sum, value, index) => sum + (told(index) - value) ** 2, 0) / asked.values.length,
    );
  const neighbours = knnValues(known, asked.vectors, options);
  const linear = ridgeProbe(known, options)(asked.vectors);
  const mean = known.values.reduce((sum, value) => sum + value, 0) / known.values.length;
  return {
    classCount: 0,
    trainCount: known.vectors.length,
    testCount: asked.vectors.length,
    metric: 'RMSE',
    knn: rmse((index) => neighbours[index]!),
    linear: rmse((index) => linear[index]!),
    trivial: rmse(() => mean),
    hasConverged: true,
  };
}

/** @throws InputError PROBE_DATA */
function checkPair(known: readonly Float32Array[], asked: readonly Float32Array[]): void {
  const width = known[0]?.length;
  if (width !== 0 && asked.length > 0 && asked.every((vector) => vector.length === width)) return;
  throw new InputError(
    'PROBE_DATA',
    `The vectors to test have ${asked[0]?.length ?? 'no'} numbers, those of the training set ${width ?? 'none'}.`,
    { where: 'test', hint: 'Embed both with the same encoder; samples need labels or values.' },
  );
}

/** One more than the largest. @throws InputError PROBE_DATA where no sample has a class */
function classCountOf(labels: ProbeData['labels']): number {
  const classCount = labels.flat().reduce((count, label) => Math.max(count, label + 1), 0);
  checkClassCount(classCount);
  return classCount;
}

function valued({ values = [], vectors }: Embeddings): ValueData {
  const places = [...values.keys()].filter((index) => values[index] !== null);
  return { vectors: places.map((index) => vectors[index]!), values: places.map((index) => values[index]!) };
}

function labelled({ labels, vectors }: Embeddings): ProbeData {
  const places = [...labels.keys()].filter((index) => labels[index] !== null);
  return {
    vectors: places.map((index) => vectors[index]!),
    labels: places.map((index) => labels[index]!),
  };
}

/** A class that nobody has and nobody is given counts 0, as the reference has it. */
function macroF1(
  predicted: readonly (readonly number[])[],
  truth: ProbeData['labels'],
  classCount: number,
): number {
  let sum = 0;
  for (let c = 0; c < classCount; c++) {
    let [both, given, present] = [0, 0, 0];
    for (const [index, classes] of predicted.entries()) {
      const isGiven = classes.includes(c);
      const isPresent = [truth[index]!].flat().includes(c);
      if (isGiven) given++;
      if (isPresent) present++;
      if (isGiven && isPresent) both++;
    }
    sum += given + present > 0 ? (2 * both) / (given + present) : 0;
  }
  return sum / classCount;
}
