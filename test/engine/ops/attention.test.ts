import { describe, expect, test } from 'vitest';
import { fusedAttention, type JoinedAttentionOptions } from '../../../src/engine/ops/fused.js';
import { l2Normalize, matMul, softmax } from '../../../src/engine/ops/index.js';
import { findNativeEngines } from '../../../src/engine/native.js';
import { rawOp } from '../../../src/engine/ops/raw.js';
import { tf, type Tensor } from '../../../src/engine/tf.js';
import { onBackend } from '../backends.js';

const isThere = findNativeEngines().some(({ stamp }) => stamp.fusedKernels);

/** Values of a smooth wave, so that neighbours differ and no axis looks like another. */
const wave = (shape: number[], step: number, height = 1): Tensor =>
  tf.tensor(
    Float32Array.from({ length: tf.util.sizeFromShape(shape) }, (_, i) => height * Math.sin(step * i + 0.3)),
    shape,
  );

interface Case {
  readonly batch: number;
  readonly heads: number;
  readonly tokens: number;
  readonly headWidth: number;
  readonly windows?: number;
  readonly biased?: boolean;
  readonly lengthEpsilon?: number;
}

/** Every kind of end: of the rows that are computed at once, of vectors, of panels of vectors. */
const CASES: readonly Case[] = [
  { batch: 1, heads: 1, tokens: 1, headWidth: 1 },
  { batch: 2, heads: 3, tokens: 7, headWidth: 5 },
  { batch: 1, heads: 2, tokens: 70, headWidth: 33, biased: true },
  { batch: 1, heads: 2, tokens: 131, headWidth: 80 },
  { batch: 2, heads: 3, tokens: 9, headWidth: 6, windows: 4, biased: true },
  { batch: 1, heads: 2, tokens: 49, headWidth: 32, windows: 2, biased: true, lengthEpsilon: 1e-12 },
  { batch: 1, heads: 2, tokens: 5, headWidth: 4, lengthEpsilon: 1.4 },
];

function inputsOf({ batch, heads, tokens, headWidth, windows = 1, biased, lengthEpsilon }: Case): {
  readonly qkv: Tensor;
  readonly options: JoinedAttentionOptions;
} {
  const positions = windows * tokens;
  // windows of tokens that lie apart, the last position first
  const rows = Int32Array.from({ length: positions }, (_, i) => {
    const [window, token] = [Math.floor(i / tokens), i % tokens];
    return positions - 1 - (token * windows + window);
  });
  return {
    qkv: wave([batch, positions, 3 * heads * headWidth], 0.7, 2),
    options: {
      scale: tf.linspace(0.3, 0.5, heads),
      ...(windows > 1 && { rows: tf.tensor2d(rows, [windows, tokens], 'int32') }),
      ...(biased && {
        bias: wave([1, heads, tokens, tokens], 1.3),
        mask: wave([windows, tokens, tokens], 0.9),
      }),
      ...(lengthEpsilon !== undefined && { lengthEpsilon }),
    },
  };
}

/** The same of small ops: windows gathered, scores in full, windows put back. */
function composed(one: Case, qkv = inputsOf(one).qkv): Tensor {
  const { batch, heads, tokens, headWidth, windows = 1, lengthEpsilon } = one;
  const { options } = inputsOf(one);
  const order = options.rows ? [...options.rows.dataSync()] : Array.from({ length: tokens }, (_, i) => i);
  const gathered = tf.gather(qkv, tf.tensor1d(order, 'int32'), 1);
  const parts = tf
    .transpose(gathered.reshape([batch * windows, tokens, 3, heads, headWidth]), [2, 0, 3, 1, 4])
    .unstack();
  const [queries, keys] = parts
    .slice(0, 2)
    .map((t) => (lengthEpsilon === undefined ? t : l2Normalize(t, -1, lengthEpsilon)));
  let scores = tf
    .mul(matMul(queries!, keys!, { transposeB: true }), options.scale.reshape([1, heads, 1, 1]))
    .reshape([batch, windows, heads, tokens, tokens]);
  if (options.bias) scores = tf.add(scores, options.bias.reshape([1, 1, heads, tokens, tokens]));
  if (options.mask) scores = tf.add(scores, options.mask.reshape([1, windows, 1, tokens, tokens]));
  const attended = matMul(softmax(scores.reshape([batch * windows, heads, tokens, tokens])), parts[2]!);
  const joined = tf.transpose(attended, [0, 2, 1, 3]).reshape([batch, windows * tokens, heads * headWidth]);
  const back = order.map((_, position) => order.indexOf(position));
  return tf.gather(joined, tf.tensor1d(back, 'int32'), 1);
}

const values = (compute: () => Tensor): Float32Array => tf.tidy(() => compute().dataSync<'float32'>());

describe.skipIf(!isThere)('attention from joined projections', () => {
  test.each(CASES)('is that of small ops, and the same on each call: %o', (one) => {
    const expected = onBackend('cpu', () => values(() => composed(one)));
    onBackend('tensorflow', () => {
      const fused = (): Tensor => {
        const { qkv, options } = inputsOf(one);
        return fusedAttention(qkv, options);
      };
      const tensors = tf.memory().numTensors;
      const given = values(fused);
      expect(values(fused)).toEqual(given);
      expect(tf.memory().numTensors).toBe(tensors);
      expect(given).toHaveLength(expected.length);
      // means of values up to 2 with float32 sums of up to 131 products in another order
      const difference = given.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i]!)), 0);
      expect(difference).toBeLessThan(1e-5);
    });
  });

  test.each(
    CASES.filter(({ windows, biased, lengthEpsilon }) => !windows && !biased && lengthEpsilon === undefined),
  )('has the gradient of small ops, and the same on each call: %o', (one) => {
    const gradientOf = (attention: (qkv: Tensor) => Tensor): Float32Array =>
      tf.tidy(() => {
        // scores of up to 8: e^x enlarges the rounding of larger ones
        const qkv = tf.mul(inputsOf(one).qkv, 0.25);
        const loss = (x: Tensor): Tensor => {
          const y = attention(x);
          return tf.sum(tf.mul(y, wave(y.shape, 0.31)));
        };
        return tf.grad(loss)(qkv).dataSync<'float32'>();
      });
    const expected = onBackend('cpu', () => gradientOf((qkv) => composed(one, qkv)));
    onBackend('tensorflow', () => {
      const fused = (): Float32Array => gradientOf((qkv) => fusedAttention(qkv, inputsOf(one).options));
      const tensors = tf.memory().numTensors;
      const given = fused();
      expect(Buffer.from(fused().buffer).equals(Buffer.from(given.buffer))).toBe(true);
      expect(tf.memory().numTensors).toBe(tensors);
      expect(given).toHaveLength(expected.length);
      const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const difference = given.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i]!)), 0);
      expect(largest).toBeGreaterThan(0);
      expect(difference / largest).toBeLessThan(1e-5);
    });
  });

  test('a key that a bias of −∞ shuts out has no weight, and what is not a number stays in its row', () => {
    onBackend('tensorflow', () => {
      const given = values(() => {
        // one head of width 1: queries 1, NaN, 1; keys 0; values 1, 10, 100
        const qkv = tf.tensor([1, 0, 1, NaN, 0, 10, 1, 0, 100], [1, 3, 3]);
        const bias = tf.tensor([0, -Infinity, 0, 0, 0, 0, 0, 0, -Infinity], [1, 3, 3]);
        return fusedAttention(qkv, { scale: tf.ones([1]), bias });
      });
      expect([...given]).toEqual([50.5, NaN, 5.5]);
    });
  });

  test('inputs that do not fit each other are refused', () => {
    onBackend('tensorflow', () =>
      tf.tidy(() => {
        const [qkv, scale] = [tf.ones([1, 2, 6]), tf.ones([2])];
        expect(() => fusedAttention(qkv, { scale: tf.ones([4]) })).toThrow('heads do not divide');
        expect(() => fusedAttention(qkv, { scale, bias: tf.ones([2, 2]) })).toThrow('bias or mask');
        const gradient = (dy: Tensor, x: Tensor): unknown =>
          rawOp('GondwanaAttentionGrad', [dy, x, scale], {});
        expect(() => gradient(tf.ones([1, 2, 3]), qkv)).toThrow('another size');
        expect(() => gradient(tf.ones([1, 2, 2]), tf.ones([1, 2, 9]))).toThrow('heads do not divide');
        const rows = (table: number[]): Tensor => tf.tensor2d(table, [1, table.length], 'int32');
        expect(() => fusedAttention(qkv, { scale, rows: rows([0]) })).toThrow('another size');
        expect(() => fusedAttention(qkv, { scale, rows: rows([0, 2]) })).toThrow('does not have');
        expect(fusedAttention(tf.zeros([0, 2, 6]), { scale }).shape).toEqual([0, 2, 2]);
      }),
    );
  });
});
