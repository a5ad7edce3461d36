import { expect, it } from 'vitest';
import * as ops from '../../../src/engine/ops/index.js';
import { interpolationMatrix } from '../../../src/engine/ops/interpolation-matrix.js';
import { withGradient } from '../../../src/engine/ops/custom-gradient.js';
import { tf, type Tensor, type Tensor1D, type Tensor2D, type Tensor4D } from '../../../src/engine/tf.js';
import { describeBackends, onBackend } from '../backends.js';
import {
  analyticGradients,
  evaluate,
  inputValues,
  largestDifference,
  normal,
  type OpCase,
} from '../gradient-check.js';

describeBackends('memory', (backend) => {
  it('200 forward and backward passes over a chain of ops leave the tensor count where it was', () => {
    onBackend(backend, () => {
      const variables = {
        kernel: tf.variable(tf.tensor(normal(27 * 4, 1), [3, 3, 3, 4])),
        scale: tf.variable(tf.ones([4])),
        offset: tf.variable(tf.zeros([4])),
        head: tf.variable(tf.tensor(normal(8, 2), [4, 2])),
        bias: tf.variable(tf.zeros([2])),
      };
      const image = tf.tensor4d(normal(2 * 6 * 8 * 3, 3), [2, 6, 8, 3]);
      const labels = tf.tensor1d(new Int32Array(2 * 6 * 8).fill(1), 'int32');
      const loss = (): Tensor => {
        const { kernel, scale, offset, head, bias } = variables;
        const features = ops.conv2d(image, kernel as Tensor4D, { stride: 2 });
        const block = (x: Tensor): Tensor => ops.gelu(ops.layerNorm(x, scale, offset, 1e-6));
        const normed = ops.checkpoint(block, [features], [scale, offset]);
        const pooled = ops.maxPool2d(ops.roll(normed, [1], [2]), { kernel: 3, stride: 1, padding: 1 });
        const logits = ops.linear(ops.resize(pooled, [6, 8], { mode: 'bilinear' }), head, bias);
        return ops.crossEntropy(logits.reshape([-1, 2]) as Tensor2D, labels as Tensor1D);
      };
      const step = (): number =>
        tf.tidy(() => {
          const { value, grads } = tf.variableGrads(() => loss().asScalar());
          expect(Object.keys(grads)).toHaveLength(5);
          return value.dataSync()[0]!;
        });
      const first = step();
      const before = tf.memory().numTensors;
      // the same loss each time, to what threads may add up in another order: no tensor was written to
      for (let repetition = 0; repetition < 200; repetition++) expect(step()).toBeCloseTo(first, 5);
      expect(tf.memory().numTensors).toBe(before);
      tf.dispose([image, labels, ...Object.values(variables)]);
    });
  });
});

describeBackends('checkpointing', (backend) => {
  it('gives the values and gradients of the block itself, for inputs and variables', () => {
    onBackend(backend, () => {
      const weight = tf.variable(tf.tensor2d(normal(12, 1), [4, 3]));
      const unused = tf.variable(tf.ones([2]));
      const x = tf.tensor2d(normal(8, 2), [2, 4]);
      const block = (input: Tensor): Tensor => ops.silu(ops.linear(input, weight));
      const gradients = (run: (input: Tensor) => Tensor): Float32Array[] =>
        tf.tidy(() => {
          const f = (input: Tensor, w: Tensor): Tensor =>
            tf.add(tf.sum(tf.square(run(tf.mul(input, 2)))), tf.sum(tf.mul(w, 3)));
          return tf
            .grads(f as (...args: Tensor[]) => Tensor)([x, weight])
            .map((gradient) => gradient.dataSync<'float32'>());
        });
      const plain = gradients(block);
      const checkpointed = gradients((input) => ops.checkpoint(block, [input], [weight, unused]));
      const nested = gradients((input) =>
        ops.checkpoint((inner) => ops.checkpoint(block, [inner!], [weight]), [input], [weight]),
      );
      for (const [index, gradient] of plain.entries()) {
        // the same ops on the same numbers; two gradients of one weight may add up in another order
        expect(largestDifference(checkpointed[index]!, gradient)).toBeLessThan(1e-5);
        expect(largestDifference(nested[index]!, gradient)).toBeLessThan(1e-5);
      }
      tf.dispose([weight, unused, x]);
    });
  });

  it('keeps nothing between the passes but the inputs', () => {
    onBackend(backend, () => {
      const x = tf.tensor2d(normal(8, 2), [2, 4]);
      const alive = (run: (input: Tensor) => Tensor): number => {
        let count = 0;
        tf.tidy(() =>
          tf.grad((input) => {
            const before = tf.memory().numTensors;
            const y = run(input);
            count = tf.memory().numTensors - before;
            return y;
          })(x),
        );
        return count;
      };
      const block = (input: Tensor): Tensor => {
        let y = input;
        for (let layer = 0; layer < 5; layer++) y = ops.silu(y);
        return y;
      };
      // five results and five saved inputs
      expect(alive(block)).toBe(10);
      // one result and one saved input
      expect(alive((input) => ops.checkpoint(block, [input]))).toBe(2);
      x.dispose();
    });
  });
});

describeBackends('gradients of our own', (backend) => {
  it('computes no gradient that nobody asks for', () => {
    onBackend(backend, () => {
      const asked: string[] = [];
      const product = (a: Tensor, b: Tensor): Tensor =>
        withGradient([a, b], (left, right) => ({
          value: tf.mul(left!, right!),
          saved: [left!, right!],
          backward: (dy, [savedLeft, savedRight]) => [
            () => (asked.push('left'), tf.mul(dy, savedRight!)),
            () => (asked.push('right'), tf.mul(dy, savedLeft!)),
          ],
        }));
      tf.tidy(() => {
        const frozen = tf.scalar(3);
        const slope = tf.grad((x) => product(x, frozen))(tf.scalar(2));
        expect(slope.dataSync()[0]).toBe(3);
      });
      expect(asked).toEqual(['left']);
    });
  });
});

it('the gradient check notices a wrong gradient: tfjs ignores the half-pixel flag on the way back', () => {
  const wrong: OpCase = {
    name: 'tfjs half-pixel bilinear',
    // square: with height ≠ width tfjs' gradient has another shape and throws
    inputs: [{ shape: [1, 4, 4, 1] }],
    run: (x) => tf.image.resizeBilinear(x as Tensor4D, [7, 9], false, true),
  };
  const right: OpCase = { ...wrong, run: (x) => ops.resize(x!, [7, 9], { mode: 'bilinear' }) };
  onBackend('cpu', () => {
    const values = inputValues(wrong);
    const { shape, values: y } = evaluate(wrong, values);
    const weights = normal(y.length, 99);
    const [theirs] = analyticGradients(wrong, values, weights, shape);
    const [ours] = analyticGradients(right, values, weights, shape);
    expect(largestDifference(evaluate(right, values).values, y)).toBeLessThan(1e-5);
    expect(largestDifference(theirs!, ours!)).toBeGreaterThan(0.1);
  });
});

it('rows of an interpolation matrix add up to 1, also where taps fall beyond the border', () => {
  for (const kind of ['bilinear', 'bicubic', 'area'] as const) {
    for (const antialias of [false, true]) {
      const [inSize, outSize] = [5, 8];
      const matrix = interpolationMatrix(inSize, outSize, { kind, antialias, alignCorners: false });
      for (let row = 0; row < outSize; row++) {
        const sum = matrix.subarray(row * inSize, (row + 1) * inSize).reduce((a, b) => a + b, 0);
        // float32 weights
        expect(sum).toBeCloseTo(1, 6);
      }
    }
  }
});

it('pooling refuses padding beyond half the kernel', () => {
  onBackend('cpu', () => {
    const x = tf.ones([1, 4, 4, 1]);
    expect(() => ops.maxPool2d(x, { kernel: 3, padding: 2 })).toThrow(
      expect.objectContaining({ code: 'POOL_PADDING' }),
    );
    x.dispose();
  });
});
