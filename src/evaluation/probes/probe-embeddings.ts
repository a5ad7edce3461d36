import { InputError } from '../../errors.js';
import type { Embeddings } from '../embed-samples.js';
import { knnScores, ranking, type KnnOptions, type ProbeData } from './knn.js';
import { linearProbe, type LinearProbeOptions } from './linear-probe.js';

export interface ProbeOptions extends KnnOptions, LinearProbeOptions {
  /** Default: one more than the largest label of both. */
  readonly classCount?: number;
}

/** Scores of probes on embeddings, and of the trivial answer beside them. */
export interface ProbeResult {
  readonly classCount: number;
  readonly trainCount: number;
  readonly testCount: number;
  /** Share of test samples whose class is told; of several classes a sample, the mean over classes of F1 at score ½. */
  readonly metric: 'accuracy' | 'macro F1';
  readonly knn: number;
  readonly linear: number;
  /** Of the most frequent class of the training samples; of the classes that more than half of them have. */
  readonly majority: number;
  /** Whether the linear classifier's solver converged. */
  readonly hasConverged: boolean;
}

/**
 * How well the classes of test samples are told by embeddings of a training set: k nearest neighbours and a linear
 * classifier. Nothing is drawn. Samples without a class are left out.
 * @throws InputError PROBE_DATA
 */
export function probeEmbeddings(
  train: Embeddings,
  test: Embeddings,
  options: ProbeOptions = {},
): ProbeResult {
  const [known, asked] = [labelled(train), labelled(test)];
  const width = known.vectors[0]?.length;
  if (asked.vectors.length === 0 || asked.vectors.some((vector) => vector.length !== width)) {
    throw new InputError(
      'PROBE_DATA',
      `The vectors to test have ${asked.vectors[0]?.length ?? 'no'} numbers, those of the training set ${width ?? 'none'}.`,
      { where: 'test', hint: 'Embed both with the same encoder; samples need class labels.' },
    );
  }
  const all = [...known.labels, ...asked.labels].flat();
  const classCount = options.classCount ?? Math.max(...all) + 1;
  const isMultiLabel = typeof known.labels[0] === 'object';
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
    majority: judge(
      asked.vectors.map(() => Float64Array.from(shares)),
      0.5,
    ),
    hasConverged,
  };
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
