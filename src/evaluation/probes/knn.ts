import { InputError } from '../../errors.js';

/** Vectors with what they are to be told as. */
export interface ProbeData {
  readonly vectors: readonly Float32Array[];
  /** Class index of each vector, or the classes that are present. */
  readonly labels: readonly (number | readonly number[])[];
}

export interface KnnOptions {
  /** Neighbours that vote; all where there are fewer. Default 200. */
  readonly k?: number;
  /** Of the votes: exp(similarity / temperature). Default 0.1. */
  readonly temperature?: number;
  /** Divides vectors by their length, so that similarity is the cosine. Default true. */
  readonly normalize?: boolean;
}

/**
 * Classes by the votes of the nearest vectors of a training set, as PANGAEA's code has it: similarity is the dot product,
 * a neighbour's vote weighs exp(similarity / temperature). Equal similarities: the earlier vector is the nearer.
 * @returns [query][class]: sum of the votes; for several classes a sample, the weighted mean of the neighbours' labels
 * @throws InputError PROBE_DATA
 */
export function knnScores(
  train: ProbeData,
  queries: readonly Float32Array[],
  classCount: number,
  { k = 200, temperature = 0.1, normalize = true }: KnnOptions = {},
): Float64Array[] {
  checkProbeData(train, classCount);
  const bank = normalize ? train.vectors.map(unitLength) : train.vectors;
  const isMultiLabel = typeof train.labels[0] === 'object';
  return queries.map((given) => {
    const query = normalize ? unitLength(given) : given;
    const similarities = bank.map((vector) => dot(vector, query));
    const nearest = similarities
      .map((similarity, index) => ({ similarity, index }))
      .sort((a, b) => b.similarity - a.similarity || a.index - b.index)
      .slice(0, k);
    const scores = new Float64Array(classCount);
    // relative to the nearest, so that no vote overflows; a common factor changes no ranking
    const top = nearest[0]?.similarity ?? 0;
    let total = 0;
    for (const { similarity, index } of nearest) {
      const vote = Math.exp((similarity - top) / temperature);
      total += vote;
      const label = train.labels[index]!;
      for (const present of typeof label === 'number' ? [label] : label) scores[present]! += vote;
    }
    return isMultiLabel ? scores.map((score) => score / total) : scores;
  });
}

/** Classes by decreasing score; equal ones by index. */
export const ranking = (scores: Float64Array): number[] =>
  [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b);

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
};

function unitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : vector;
}

/** @throws InputError PROBE_DATA */
export function checkProbeData({ vectors, labels }: ProbeData, classCount: number): void {
  const fail = (what: string, hint: string): never => {
    throw new InputError('PROBE_DATA', what, { where: 'train', hint });
  };
  if (vectors.length === 0) fail('There are no vectors to learn from.', 'Embed a training split first.');
  if (vectors.length !== labels.length)
    fail(`There are ${vectors.length} vectors and ${labels.length} labels.`, 'Give one label a vector.');
  const size = vectors[0]!.length;
  const odd = vectors.findIndex((vector) => vector.length !== size);
  if (odd >= 0)
    fail(
      `Vector ${odd} has ${vectors[odd]!.length} numbers, the first ${size}.`,
      'Embed all with one encoder.',
    );
  const bad = labels.flat().find((label) => !Number.isInteger(label) || label < 0 || label >= classCount);
  if (bad !== undefined)
    fail(`Label ${bad} is no class of ${classCount}.`, 'Labels are class indices from 0.');
}
