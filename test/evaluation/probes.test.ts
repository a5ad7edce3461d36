import { describe, expect, it } from 'vitest';
import { knnScores, knnValues, ranking } from '../../src/evaluation/probes/knn.js';
import { linearProbe } from '../../src/evaluation/probes/linear-probe.js';
import { ridgeProbe } from '../../src/evaluation/probes/ridge-probe.js';
import { probeEmbeddings } from '../../src/evaluation/probes/probe-embeddings.js';
import { standardisation } from '../../src/evaluation/probes/standardisation.js';
import { createRandom } from '../../src/random.js';

const vector = (...values: number[]): Float32Array => Float32Array.from(values);

describe('nearest neighbours', () => {
  const train = {
    vectors: [vector(1, 0), vector(0.9, 0.1), vector(0, 1), vector(0, 2)],
    labels: [0, 0, 1, 2],
  };

  it('vote by exp(similarity / temperature)', () => {
    const options = { k: 3, temperature: 0.5, normalize: false };
    const [scores] = knnScores(train, [vector(1, 0)], 3, options);
    // similarities 1, 0.9 and, the earlier of two zeros, 0; relative to the nearest
    expect([...scores!]).toEqual([1 + Math.exp((Math.fround(0.9) - 1) / 0.5), Math.exp(-1 / 0.5), 0]);
    expect(ranking(scores!)).toEqual([0, 1, 2]);
  });

  it('compare directions unless they are told not to normalise', () => {
    const query = [vector(0.1, 3)];
    expect(ranking(knnScores(train, query, 3, { k: 1 })[0]!)[0]).toBe(1);
    expect(ranking(knnScores(train, query, 3, { k: 1, normalize: false })[0]!)[0]).toBe(2);
  });

  it('give the weighted mean of labels where a sample has several', () => {
    const several = { vectors: train.vectors.slice(0, 3), labels: [[0, 1], [1], [2]] };
    const [scores] = knnScores(several, [vector(1, 0)], 3, { k: 2, temperature: 1e3, normalize: false });
    expect(scores![0]).toBeCloseTo(0.5, 3);
    expect(scores![1]).toBeCloseTo(1, 12);
    expect(scores![2]).toBe(0);
  });

  it.each([
    ['no vectors', { vectors: [], labels: [] }],
    ['another number of labels', { vectors: train.vectors, labels: [0] }],
    ['vectors of two sizes', { vectors: [vector(1), vector(1, 2)], labels: [0, 0] }],
    ['a label that is no class', { vectors: train.vectors, labels: [0, 0, 1, 7] }],
  ])('refuse %s', (_, data) => {
    expect(() => knnScores(data, [vector(1, 0)], 3)).toThrow(expect.objectContaining({ code: 'PROBE_DATA' }));
  });
});

describe('numbers', () => {
  const random = createRandom(5);
  const vectors = Array.from({ length: 40 }, () => vector(1000 + 9 * random.normal(), random.normal(), 3));
  const values = vectors.map(([a, b]) => 20 + 0.5 * a! - 4 * b! + random.normal());

  it('are regressed to where the penalised squared error is least', () => {
    const ridge = 3;
    const [low, middle, high] = [-1, 0, 1].map((shift) => {
      const scaled = standardisation(vectors);
      const told = ridgeProbe({ vectors, values }, { ridge })(vectors);
      // the weights, read from what is told of vectors one spread apart
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const rows = vectors.map((one) => scaled(one));
      const weights = leastSquares(
        rows,
        [...told].map((value) => value - mean),
      );
      const moved = weights.map((weight) => weight + 1e-3 * shift);
      const errors = rows.map(
        (row, i) => values[i]! - mean - row.reduce((sum, x, j) => sum + x * (moved[j] ?? 0), 0),
      );
      const squares = (list: readonly number[]): number => list.reduce((sum, x) => sum + x * x, 0);
      return squares(errors) + ridge * squares(moved);
    });
    expect(middle).toBeLessThan(low!);
    expect(middle).toBeLessThan(high!);
  });

  it('without a penalty are those of a plane, where they lie on one', () => {
    const plane = vectors.map(([a, b]) => 20 + 0.5 * a! - 4 * b!);
    const told = ridgeProbe({ vectors, values: plane }, { ridge: 1e-9 })([vector(1010, 2, 3)]);
    // vectors are float32 numbers near 1000
    expect(told[0]).toBeCloseTo(20 + 505 - 8, 3);
  });

  it('are the mean of the neighbours, by their votes', () => {
    const train = { vectors: [vector(1, 0), vector(0, 1), vector(-1, 0)], values: [10, 20, 90] };
    const told = knnValues(train, [vector(1, 0)], { k: 2, temperature: 0.5 });
    expect(told[0]).toBeCloseTo((10 + 20 * Math.exp(-2)) / (1 + Math.exp(-2)), 12);
  });

  it('are judged by the root of the mean squared error, beside the mean', () => {
    const embeddings = (from: number, to: number) => ({
      ...{ encoder: 'e', ids: [], splits: [], labels: [] },
      values: [...values.slice(from, to), null],
      vectors: [...vectors.slice(from, to), vector(1, 1, 1)],
    });
    const result = probeEmbeddings(embeddings(0, 30), embeddings(30, 40), { k: 3 });
    expect(result).toMatchObject({ metric: 'RMSE', trainCount: 30, testCount: 10, classCount: 0 });
    expect(result.linear).toBeLessThan(1.5);
    expect(result.trivial).toBeGreaterThan(3);
  });
});

/** Weights of two columns that give these numbers. */
function leastSquares(rows: readonly Float64Array[], wanted: readonly number[]): number[] {
  const dot = (j: number, other: (i: number) => number): number =>
    rows.reduce((sum, row, i) => sum + row[j]! * other(i), 0);
  const [aa, ab, bb] = [
    dot(0, (i) => rows[i]![0]!),
    dot(0, (i) => rows[i]![1]!),
    dot(1, (i) => rows[i]![1]!),
  ];
  const [a, b] = [dot(0, (i) => wanted[i]!), dot(1, (i) => wanted[i]!)];
  const determinant = aa * bb - ab * ab;
  return [(a * bb - b * ab) / determinant, (b * aa - a * ab) / determinant];
}

describe('a linear classifier', () => {
  it('ends where the gradient of its loss is zero, whatever the scale of the numbers', () => {
    const random = createRandom(3);
    const draw = (label: number): Float32Array =>
      vector(1000 + 50 * (random.normal() + label), random.normal() - label, 7);
    const labels = Array.from({ length: 60 }, (_, index) => index % 3);
    const data = { vectors: labels.map(draw), labels };
    const probe = linearProbe(data, 3, { l2: 0.01 });
    expect(probe.hasConverged).toBe(true);
    // the least loss: no step in any of many directions makes it smaller
    const again = linearProbe(data, 3, { l2: 0.01, tolerance: 1e-9, maximumIterations: 2000 });
    expect(probe.loss).toBeGreaterThanOrEqual(again.loss - 1e-12);
    expect(probe.loss - again.loss).toBeLessThan(1e-7);
    const told = probe.scores(data.vectors).map((scores) => ranking(scores)[0]);
    const share = told.filter((label, index) => label === labels[index]).length / labels.length;
    expect(share).toBeGreaterThan(0.5);
  });

  it('has the closed form of one number and two classes of equal size', () => {
    // symmetric: weights ±w of the one number, which solves 2 l2 w … = σ(−2 w) at standardised ±1
    const data = { vectors: [vector(-1), vector(1)], labels: [0, 1] };
    const l2 = 0.1;
    const [negative] = linearProbe(data, 2, { l2, tolerance: 1e-10 }).scores([vector(1)]);
    const w = negative![1]!;
    expect(negative![0]).toBeCloseTo(-w, 8);
    expect(l2 * w).toBeCloseTo(1 / (1 + Math.exp(2 * w)), 8);
  });
});

describe('probes on embeddings', () => {
  const embeddings = (labels: readonly (number | number[] | null)[], shift = 0) => ({
    encoder: 'e',
    ids: labels.map((_, index) => `s${index}`),
    splits: labels.map(() => 'train'),
    labels,
    vectors: labels.map((label, index) => {
      const present = label === null ? [] : [label].flat();
      return Float32Array.from(
        { length: 3 },
        (_, c) => (present.includes(c) ? 5 : 0) + 0.1 * ((index + shift) % 3),
      );
    }),
  });

  it('tell classes that lie apart, beside what the most frequent class would get', () => {
    const result = probeEmbeddings(embeddings([0, 0, 0, 1, 1, 2, null]), embeddings([0, 1, 1, 2, null], 1), {
      k: 3,
    });
    expect(result).toMatchObject({
      metric: 'accuracy',
      classCount: 3,
      trainCount: 6,
      testCount: 4,
      knn: 1,
      linear: 1,
      trivial: 0.25,
    });
  });

  it('judge several classes a sample by the mean of F1', () => {
    const train = embeddings([[0], [0, 1], [1], [2], [0, 2], []]);
    const result = probeEmbeddings(train, embeddings([[0, 1], [2], [0]], 2), { k: 1 });
    expect(result.metric).toBe('macro F1');
    expect(result.linear).toBe(1);
    // no class stands in more than half of the training samples
    expect(result.trivial).toBe(0);
  });

  it('refuse vectors of another size', () => {
    const other = { ...embeddings([0]), vectors: [vector(1)] };
    expect(() => probeEmbeddings(embeddings([0, 1]), other)).toThrow(
      expect.objectContaining({ code: 'PROBE_DATA' }),
    );
  });
});
