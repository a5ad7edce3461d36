import { InputError } from '../../errors.js';
import type { ValueData } from './ridge-probe.js';

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
  const isMultiLabel = typeof train.labels[0] === 'object';
  return neighbourVotes(train.vectors, queries, { k, temperature, normalize }).map((votes) => {
    const scores = new Float64Array(classCount);
    let total = 0;
    for (const { index, vote } of votes) {
      total += vote;
      const label = train.labels[index]!;
      for (const present of typeof label === 'number' ? [label] : label) scores[present]! += vote;
    }
    return isMultiLabel ? scores.map((score) => score / total) : scores;
  });
}

/**
 * Numbers as the mean of those of the nearest vectors, weighted by the same votes.
 * @throws InputError PROBE_DATA
 */
export function knnValues(
  { vectors, values }: ValueData,
  queries: readonly Float32Array[],
  { k = 200, temperature = 0.1, normalize = true }: KnnOptions = {},
): Float64Array {
  checkVectors(vectors, values.length);
  return Float64Array.from(neighbourVotes(vectors, queries, { k, temperature, normalize }), (votes) => {
    const total = votes.reduce((sum, { vote }) => sum + vote, 0);
    return votes.reduce((sum, { index, vote }) => sum + (vote / total) * values[index]!, 0);
  });
}

/** The k nearest of every query, the nearest first, with what each one's vote weighs beside the first one's. */
function neighbourVotes(
  vectors: readonly Float32Array[],
  queries: readonly Float32Array[],
  { k, temperature, normalize }: Required<KnnOptions>,
): { readonly index: number; readonly vote: number }[][] {
  const bank = normalize ? vectors.map(unitLength) : vectors;
  return queries.map((given) => {
    const query = normalize ? unitLength(given) : given;
    const nearest = bank
      .map((vector, index) => ({ similarity: dot(vector, query), index }))
      .sort((a, b) => b.similarity - a.similarity || a.index - b.index)
      .slice(0, k);
    // relative to the nearest, so that no vote overflows; a common factor changes no ranking
    const top = nearest[0]!.similarity;
    return nearest.map(({ similarity, index }) => ({
      index,
      vote: Math.exp((similarity - top) / temperature),
    }));
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

const fail = (what: string, hint: string): never => {
  throw new InputError('PROBE_DATA', what, { where: 'train', hint });
};

/** @throws InputError PROBE_DATA */
export function checkVectors(vectors: readonly Float32Array[], labelCount: number): void {
  if (vectors.length === 0) fail('There are no vectors to learn from.', 'Embed a training split first.');
  if (vectors.length !== labelCount)
    fail(`There are ${vectors.length} vectors and ${labelCount} labels.`, 'Give one label a vector.');
  const size = vectors[0]!.length;
  const odd = vectors.findIndex((vector) => vector.length !== size);
  if (odd >= 0)
    fail(
      `Vector ${odd} has ${vectors[odd]!.length} numbers, the first ${size}.`,
      'Embed all with one encoder.',
    );
}

/** @throws InputError PROBE_DATA */
export function checkProbeData({ vectors, labels }: ProbeData, classCount: number): void {
  checkVectors(vectors, labels.length);
  const bad = labels.flat().find((label) => !Number.isInteger(label) || label < 0 || label >= classCount);
  if (bad !== undefined)
    fail(`Label ${bad} is no class of ${classCount}.`, 'Labels are class indices from 0.');
}
