import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tf, type Tensor3D, type Tensor4D } from '../../src/engine/tf.js';
import { segmentationCrossEntropy } from '../../src/losses/cross-entropy.js';
import { describeBackends, onBackend, type Backend } from '../engine/backends.js';
import { largest, largestDifference } from '../engine/gradient-check.js';

interface Case {
  readonly name: string;
  readonly ignoreIndex: number | null;
  /** [batch, height, width, class] */
  readonly shape: [number, number, number, number];
  readonly logits: readonly number[];
  readonly target: readonly number[];
}

interface Reference extends Case {
  readonly loss: number;
  readonly gradient: readonly number[];
}

const file = new URL('../fixtures/losses/segmentation-cross-entropy.json', import.meta.url);
const references = (JSON.parse(readFileSync(file, 'utf8')) as { cases: Reference[] }).cases;

/** Of the larger of 1 and the value: the exponentials and their sums carry a few units of float32 (6e-8) each. */
const TOLERANCE = 2e-6;

function lossAndGradient({ ignoreIndex, shape, logits, target }: Case): {
  loss: number;
  gradient: Float32Array;
} {
  return tf.tidy(() => {
    const labels = tf.tensor3d(
      [...target],
      shape.slice(0, 3) as [number, number, number],
      'int32',
    ) as Tensor3D;
    const { value, grad } = tf.valueAndGrad((x) =>
      segmentationCrossEntropy(x as Tensor4D, labels, { ignoreIndex }),
    )(tf.tensor4d([...logits], shape));
    expect(value.shape).toEqual([]);
    expect(grad.shape).toEqual(shape);
    return { loss: value.dataSync()[0]!, gradient: Float32Array.from(grad.dataSync()) };
  });
}

function expectNothing(backend: Backend, given: Case): void {
  onBackend(backend, () => {
    const { loss, gradient } = lossAndGradient(given);
    expect(loss).toBe(0);
    expect(gradient.every((slope) => slope === 0)).toBe(true);
  });
}

describeBackends('cross entropy of a segmentation', (backend) => {
  it.each(references)('is that of PyTorch, value and gradient: $name', (reference) =>
    onBackend(backend, () => {
      const { loss, gradient } = lossAndGradient(reference);
      expect(Math.abs(loss - reference.loss)).toBeLessThan(TOLERANCE * Math.max(1, reference.loss));
      const expected = Float32Array.from(reference.gradient);
      expect(largestDifference(gradient, expected)).toBeLessThan(TOLERANCE * largest(expected));
    }),
  );

  it('gives ignored pixels a gradient of exactly zero', () =>
    onBackend(backend, () => {
      const reference = references.find(({ ignoreIndex }) => ignoreIndex === 255)!;
      const { gradient } = lossAndGradient(reference);
      const classCount = reference.shape[3];
      const ofIgnored = gradient.filter((_, i) => reference.target[Math.floor(i / classCount)] === 255);
      expect(ofIgnored.length).toBeGreaterThan(0);
      expect(ofIgnored.every((slope) => slope === 0)).toBe(true);
    }));

  it('is 0 with a gradient of zeros, not NaN, where every pixel is ignored', () => {
    const target = new Array<number>(2 * 3 * 4).fill(255);
    expectNothing(backend, { ...references[0]!, target, ignoreIndex: 255 });
  });

  it('is 0 where every pixel is of the one class that is ignored', () => {
    const target = new Array<number>(2 * 3 * 4).fill(0);
    expectNothing(backend, { ...references[0]!, target, ignoreIndex: 0 });
  });

  it('leaves one tensor behind, the loss', () =>
    onBackend(backend, () => {
      const { shape, logits, target, ignoreIndex } = references[1]!;
      const x = tf.tensor4d([...logits], shape);
      const labels = tf.tensor3d([...target], [2, 3, 4], 'int32') as Tensor3D;
      const alive = tf.memory().numTensors;
      const loss = tf.tidy(() => segmentationCrossEntropy(x, labels, { ignoreIndex }));
      expect(tf.memory().numTensors).toBe(alive + 1);
      tf.dispose([loss, x, labels]);
    }));
});
