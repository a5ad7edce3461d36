import { describe, expect, it } from 'vitest';
import type { Embeddings } from '../../../src/evaluation/embed-samples.js';
import { probeEmbeddings, type ProbeOptions } from '../../../src/evaluation/probes/probe-embeddings.js';

/** Five samples of three numbers; what is no label by its type comes from files and from JavaScript. */
const embeddings = (changed: { [K in keyof Embeddings]?: unknown } = {}): Embeddings =>
  ({
    encoder: 'presto',
    ids: ['a', 'b', 'c', 'd', 'e'],
    splits: ['s', 's', 's', 's', 's'],
    labels: [0, 1, 2, null, 1],
    vectors: Array.from({ length: 5 }, (_, i) => Float32Array.of(i, (i * i) % 7, 5 - i)),
    ...changed,
  }) as Embeddings;

const withNumber = (value: number): Embeddings['vectors'] =>
  embeddings().vectors.map((vector, i) => (i === 3 ? Float32Array.of(1, value, 2) : vector));

const values = [1, 2.5, null, 4, 9];
const several = [[0], [0, 1], [], [2], [1]];

function refusal(train: Embeddings, test: Embeddings, options?: ProbeOptions): unknown {
  try {
    probeEmbeddings(train, test, options);
  } catch (error) {
    return error;
  }
  return 'nothing was refused';
}

describe('a probe refuses, and names the sample', () => {
  it.each([
    ['a vector with NaN', { vectors: withNumber(Number.NaN) }, /Number 1 .* "d" is NaN/],
    ['an infinite number', { vectors: withNumber(-Infinity) }, /Number 1 .* "d" is -Infinity/],
    ['a label that is text', { labels: [0, 1, 'forest', 1, 2] }, /"c" is 'forest'/],
    ['a label that is a fraction', { labels: [0, 1, 0.5, 1, 2] }, /"c" is 0\.5/],
    ['a label below 0', { labels: [0, -1, 2, 1, 2] }, /"b" is -1/],
    ['no label and no null', { labels: [0, undefined, 2, 1, 2] }, /"b" is undefined/],
    ['a class beyond a million', { labels: [0, 1, 2, 1e6, 2] }, /"d" is 1000000/],
    ['a list with text', { labels: [0, ['x'], 2, 1, 2] }, /"b" is \[ 'x' \]/],
    ['one class a sample and several', { labels: [0, 1, 2, 1, [2]] }, /"e" has a list of classes/],
    ['another count of labels', { labels: [0, 1] }, /5 vectors and 2 labels/],
  ])('%s', (_, changed, text) => {
    const odd = embeddings(changed);
    const expected = { code: 'PROBE_DATA', message: expect.stringMatching(text) as string };
    expect(refusal(odd, embeddings())).toMatchObject({ ...expected, where: 'train' });
    expect(refusal(embeddings(), odd)).toMatchObject({ ...expected, where: 'test' });
  });

  it.each([Number.NaN, Infinity, 'x'])('the value %s', (value) => {
    const [odd, whole] = [embeddings({ values: [1, 2, 3, value, 4] }), embeddings({ values })];
    const expected = { code: 'PROBE_DATA', message: expect.stringContaining('"d"') as string };
    expect(refusal(odd, whole)).toMatchObject({ ...expected, where: 'train' });
    expect(refusal(whole, odd)).toMatchObject({ ...expected, where: 'test' });
    expect(refusal(whole, whole, { k: 2 })).toBe('nothing was refused');
  });

  it('lists of classes on one side alone', () => {
    const [lists, single] = [embeddings({ labels: several }), embeddings()];
    expect(refusal(lists, single)).toMatchObject({ code: 'PROBE_DATA', where: 'test' });
    expect(refusal(single, lists)).toMatchObject({ code: 'PROBE_DATA', where: 'test' });
    expect(refusal(lists, lists)).toBe('nothing was refused');
  });

  it('a class that the count of classes leaves out, and a count that is none', () => {
    for (const classCount of [2, 0, 1.5, Number.NaN, 1e9])
      expect(refusal(embeddings(), embeddings(), { classCount })).toMatchObject({ code: 'PROBE_DATA' });
    const none = embeddings({ labels: [[], [], [], [], []] });
    expect(refusal(none, none)).toMatchObject({ code: 'PROBE_DATA' });
  });

  it('vectors without numbers', () => {
    const empty = embeddings({ vectors: Array.from({ length: 5 }, () => new Float32Array(0)) });
    expect(refusal(empty, empty)).toMatchObject({ code: 'PROBE_DATA' });
  });
});

describe('vectors of two encoders', () => {
  it.each([
    ['presto', 'dofa-base', false],
    ['presto', 'not said', true],
    ['not said', 'dofa-base', true],
    ['/models/own.onnx', 'own.onnx', true],
    ['/models/own.onnx', '/models/other.onnx', false],
  ])('of %s and of %s may be compared: %s', (known, asked, isComparable) => {
    const found = refusal(embeddings({ encoder: known }), embeddings({ encoder: asked }));
    if (isComparable) expect(found).toBe('nothing was refused');
    else expect(found).toMatchObject({ code: 'PROBE_DATA', where: 'test' });
  });
});
