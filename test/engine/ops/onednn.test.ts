import { describe, expect, test } from 'vitest';
import type { RunError } from '../../../src/errors.js';
import { hasKernel } from '../../../src/engine/ops/onednn.js';
import { gelu, layerNorm, linear, softmax } from '../../../src/engine/ops/index.js';
import { checkPrecision, currentPrecision, inPrecision } from '../../../src/engine/ops/precision.js';
import { tf, type Tensor } from '../../../src/engine/tf.js';
import { describeBackends, onBackend } from '../backends.js';

/** Values of a smooth wave, so that neighbours differ and no axis looks like another. */
const wave = (shape: number[], step: number): Float32Array =>
  Float32Array.from(
    { length: shape.reduce((product, size) => product * size, 1) },
    (_, i) => 2 * Math.sin(step * i + 0.3),
  );

interface Case {
  readonly name: string;
  readonly run: (make: (shape: number[], step: number) => Tensor) => Tensor;
}

const cases: readonly Case[] = [
  {
    name: 'a linear layer with GELU over three axes',
    run: (make) => linear(make([2, 3, 4], 0.7), make([4, 5], 1.1), make([5], 2.3), 'gelu'),
  },
  {
    name: 'a linear layer with GELU and no bias over one axis',
    run: (make) => linear(make([4], 0.7), make([4, 5], 1.1), undefined, 'gelu'),
  },
  ...[1, 2, 3, 4, 6].flatMap((rank): Case[] => {
    const shape = [2, 1, 3, 2, 2, 5].slice(6 - rank);
    return [
      {
        name: `layer normalisation of ${rank} axes`,
        run: (make) => layerNorm(make(shape, 0.7), make([5], 1.1), make([5], 2.3), 1e-3),
      },
      { name: `softmax of ${rank} axes`, run: (make) => softmax(make(shape, 0.7)) },
    ];
  }),
];

describeBackends('fused kernels', (backend) => {
  test.each(cases)('$name is what small ops on cpu compute', ({ run }) => {
    const valuesOn = (name: typeof backend): Float32Array =>
      onBackend(name, () =>
        tf.tidy(() => run((shape, step) => tf.tensor(wave(shape, step), shape)).dataSync<'float32'>()),
      );
    const expected = valuesOn('cpu');
    const tensors = tf.memory().numTensors;
    const given = valuesOn(backend);
    expect(tf.memory().numTensors).toBe(tensors);
    // float32 and two ways of summing a handful of values below 10
    given.forEach((value, i) => expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-5));
  });

  test('a linear layer with GELU has the gradient of its parts', () => {
    onBackend(backend, () =>
      tf.tidy(() => {
        const [x, kernel, bias] = [[3, 4], [4, 5], [5]].map((shape, i) =>
          tf.tensor(wave(shape, 0.7 + i), shape),
        ) as [Tensor, Tensor, Tensor];
        const fused = tf.grads((a, b, c) => linear(a!, b!, c!, 'gelu').square().sum())([x, kernel, bias]);
        const apart = tf.grads((a, b, c) =>
          gelu(linear(a!, b!, c!))
            .square()
            .sum(),
        )([x, kernel, bias]);
        fused.forEach((gradient, i) => expect(gradient.sub(apart[i]!).abs().max().dataSync()[0]).toBe(0));
      }),
    );
  });

  test('bfloat16 rounds the factors where the engine has it, and is refused elsewhere', () => {
    onBackend(backend, () => {
      if (!hasKernel('linear-bfloat16')) {
        expect(() => checkPrecision('bfloat16')).toThrow(
          expect.objectContaining({ code: 'PRECISION_UNSUPPORTED' }) as RunError,
        );
        return;
      }
      // 1 + 2⁻⁹ is 1 in the 8 bits of bfloat16
      const fine = tf.fill([1, 1], 1 + 2 ** -9);
      const product = inPrecision('bfloat16', () => linear(fine, fine));
      expect(product.dataSync()[0]).toBe(1);
      expect(linear(fine, fine).dataSync()[0]).toBeGreaterThan(1.003);
      tf.dispose([fine, product]);
    });
  });
});

describe('precision', () => {
  test('ends with the function, also one that throws', () => {
    expect(() =>
      inPrecision('float32', () => {
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(currentPrecision()).toBe('float32');
  });
});
