import { describe, expect, it } from 'vitest';
import { knnScores, ranking } from '../../src/evaluation/probes/knn.js';
import { linearProbe } from '../../src/evaluation/probes/linear-probe.js';
import { probeEmbeddings } from '../../src/evaluation/probes/probe-embeddings.js';
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
      majority: 0.25,
    });
  });

  it('judge several classes a sample by the mean of F1', () => {
    const train = embeddings([[0], [0, 1], [1], [2], [0, 2], []]);
    const result = probeEmbeddings(train, embeddings([[0, 1], [2], [0]], 2), { k: 1 });
    expect(result.metric).toBe('macro F1');
    expect(result.linear).toBe(1);
    // no class stands in more than half of the training samples
    expect(result.majority).toBe(0);
  });

  it('refuse vectors of another size', () => {
    const other = { ...embeddings([0]), vectors: [vector(1)] };
    expect(() => probeEmbeddings(embeddings([0, 1]), other)).toThrow(
      expect.objectContaining({ code: 'PROBE_DATA' }),
    );
  });
});
