import { describe, expect, test } from 'vitest';
import { hasFusedKernels } from '../../../src/engine/ops/fused.js';
import { gelu, layerNorm, softmax } from '../../../src/engine/ops/index.js';
import { rawOp } from '../../../src/engine/ops/raw.js';
import { tf, type Tensor } from '../../../src/engine/tf.js';
import { findNativeEngines } from '../../../src/engine/native.js';
import { onBackend, type Backend } from '../backends.js';

const isThere = findNativeEngines().some(({ stamp }) => stamp.fusedKernels);

/** Values of a smooth wave, so that neighbours differ and no axis looks like another. */
const wave = (shape: number[], step: number): Tensor =>
  tf.tensor(
    Float32Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) => 3 * Math.sin(step * i + 0.3)),
    shape,
  );

/** One row, rows of less than a vector, rows that end inside one, and rows that two threads share. */
const SHAPES = [[1], [7], [1, 1], [3, 5], [2, 3, 17], [43, 768], [1201, 33]];

const OPS: Readonly<Record<string, (x: Tensor, scale: Tensor, offset: Tensor) => Tensor>> = {
  GELU: gelu,
  'layer normalisation': (x, scale, offset) => layerNorm(x, scale, offset, 1e-3),
  softmax: (x) => softmax(x),
};

/** The value and the gradients that are there, on a backend. */
function computeOn(backend: Backend, shape: number[], op: (typeof OPS)[string]): Float32Array[] {
  return onBackend(backend, () =>
    tf.tidy(() => {
      const channels = shape.at(-1)!;
      const inputs = [wave(shape, 0.7), wave([channels], 1.1), wave([channels], 2.3)] as const;
      const gradients = tf.grads((x, scale, offset) => {
        const used = tf.add(tf.sum(scale!), tf.sum(offset!)); // GELU and softmax take no scale
        return tf.add(tf.sum(tf.mul(op(x!, scale!, offset!), wave(shape, 0.31))), used);
      })([...inputs]);
      return [op(...inputs), ...gradients].map((t) => t.dataSync<'float32'>());
    }),
  );
}

describe.skipIf(!isThere)('fused kernels of our own', () => {
  test('are there where the engine was built with them', () => {
    expect(onBackend('tensorflow', hasFusedKernels)).toBe(true);
    expect(onBackend('cpu', hasFusedKernels)).toBe(false);
  });

  test.each(Object.keys(OPS).flatMap((name) => SHAPES.map((shape) => ({ name, shape }))))(
    '$name of $shape has the value and the gradients of small ops, and the same on each call',
    ({ name, shape }) => {
      const expected = computeOn('cpu', shape, OPS[name]!);
      const tensors = tf.memory().numTensors;
      const given = computeOn('tensorflow', shape, OPS[name]!);
      expect(computeOn('tensorflow', shape, OPS[name]!)).toEqual(given);
      expect(tf.memory().numTensors).toBe(tensors);
      for (const [index, values] of given.entries()) {
        // float32 sums of up to 1201 values in another order
        const largest = expected[index]!.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
        const difference = values.reduce(
          (most, value, i) => Math.max(most, Math.abs(value - expected[index]![i]!)),
          0,
        );
        expect(difference / largest).toBeLessThan(2e-5);
      }
    },
  );

  test('GELU and its slope keep to the normal distribution far out, and carry what is not a number', () => {
    onBackend('tensorflow', () =>
      tf.tidy(() => {
        const x = tf.tensor1d([-40, -6, -1, 0, 1, 6, 40, NaN]);
        const [value, slope] = [gelu(x), tf.grad((t: Tensor) => gelu(t))(x)].map((t) => t.dataSync());
        // Φ(−1) and the density at 1 from tables; Φ(−6) = 9.8659e-10
        const wanted = [0, -5.91952e-9, -0.15865525, 0, 0.84134475, 6, 40];
        const slopes = [0, -3.5468709e-8, -0.08331547, 0.5, 1.08331547, 1, 1];
        wanted.forEach((v, i) => expect(Math.abs(value![i]! - v)).toBeLessThan(1e-6 * Math.abs(v) + 1e-12));
        slopes.forEach((v, i) => expect(Math.abs(slope![i]! - v)).toBeLessThan(1e-6 * Math.abs(v) + 1e-12));
        expect([value![7], slope![7]]).toEqual([NaN, NaN]);
      }),
    );
  });

  test('inputs that do not fit each other are refused', () => {
    onBackend('tensorflow', () =>
      tf.tidy(() => {
        const [a, b] = [tf.ones([2, 3]), tf.ones([2])];
        expect(() => rawOp('GondwanaGeluGrad', [a, b], {})).toThrow('another size');
        expect(() => rawOp('GondwanaLayerNorm', [a, b, b], { epsilon: { float: 1 } }, 3)).toThrow(
          'last axis',
        );
      }),
    );
  });

  test('no values are no error', () => {
    onBackend('tensorflow', () =>
      tf.tidy(() => {
        expect(gelu(tf.zeros([0, 5])).shape).toEqual([0, 5]);
        const empty = rawOp('GondwanaSoftmaxGrad', [tf.zeros([3, 0]), tf.zeros([3, 0])], {})[0]!;
        expect(empty.shape).toEqual([3, 0]);
      }),
    );
  });
});
