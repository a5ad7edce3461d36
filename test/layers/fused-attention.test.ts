import { describe, expect, test } from 'vitest';
import { findNativeEngines } from '../../src/engine/native.js';
import { tf, type Tensor, type Tensor3D, type Tensor4D } from '../../src/engine/tf.js';
import { selfAttention, type SelfAttentionOptions } from '../../src/layers/attention.js';
import { createScope, ParameterStore, type Scope } from '../../src/layers/parameters.js';
import { windowAttention } from '../../src/layers/window-attention.js';
import { createRandom } from '../../src/random.js';
import { onBackend, type Backend } from '../engine/backends.js';

const isThere = findNativeEngines().some(({ stamp }) => stamp.fusedKernels);

/** A layer with random biases and tables on a backend: its values, and the tensors that a pass leaves behind. */
function compute(backend: Backend, build: (scope: Scope) => () => Tensor): Float32Array {
  return onBackend(backend, () => {
    const store = new ParameterStore();
    const layer = build(createScope(store, createRandom(1)).child('layer'));
    for (const [index, { variable }] of store.all.entries()) {
      variable.assign(tf.tidy(() => tf.randomNormal(variable.shape, 0, 0.5, 'float32', index + 1)));
    }
    const tensors = tf.memory().numTensors;
    const values = tf.tidy(() => layer().dataSync<'float32'>());
    expect(tf.memory().numTensors).toBe(tensors);
    store.dispose();
    return values;
  });
}

/** What the processor's small ops and the fused kernel make of it. */
function expectTheSame(build: (scope: Scope) => () => Tensor): void {
  const expected = compute('cpu', build);
  const given = compute('tensorflow', build);
  // projections of up to 24 products in another order, before and after the attention
  const difference = given.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i]!)), 0);
  expect(given).toHaveLength(expected.length);
  expect(difference).toBeLessThan(2e-5);
}

const random = (shape: number[]): Tensor => tf.randomNormal(shape, 0, 1, 'float32', 5);

describe.skipIf(!isThere)('attention in one kernel', () => {
  const variants: Readonly<Record<string, Partial<SelfAttentionOptions>>> = {
    'a joined bias': {},
    'biases of queries and values': { qkvBias: 'query-value' },
    'heads of another width': { headWidth: 5, qkvBias: false },
    'normalised queries and keys': { qkNormEpsilon: 1e-6 },
    'projections apart': { separate: ['q', 'k', 'v'] },
  };

  test.each(Object.keys(variants))('self-attention with %s is that of small ops', (name) => {
    expectTheSame((scope) => {
      const layer = selfAttention(scope, { width: 12, heads: 3, ...variants[name] });
      return () => layer(random([2, 7, 12]) as Tensor3D);
    });
  });

  test.each([
    { name: 'of every image', shape: [1, 3, 7, 7] },
    { name: 'of each image', shape: [2, 3, 7, 7] },
    { name: 'of keys', shape: [2, 1, 1, 7] },
  ])('self-attention with a bias $name is that of small ops', ({ shape }) => {
    expectTheSame((scope) => {
      const layer = selfAttention(scope, { width: 12, heads: 3 });
      return () => layer(random([2, 7, 12]) as Tensor3D, { bias: random(shape), scale: 0.7 });
    });
  });

  const maps = [
    [4, 9],
    [5, 7], // windows do not divide it
    [2, 6], // one axis fits into one window
  ] as const;
  const kinds = [
    { positions: 'table', qkvBias: 'joined', padding: 'after-shift' },
    { positions: 'table', qkvBias: 'query-value', padding: 'before-shift' },
    { positions: 'network', qkvBias: 'without-keys', padding: 'before-shift' },
    { positions: 'network', qkvBias: 'none', padding: 'after-shift' },
  ] as const;

  test.each(kinds.flatMap((kind) => maps.map((map) => ({ ...kind, map }))))(
    'windows of a map of $map, positions by $positions, filled $padding, are those of small ops',
    ({ map, ...kind }) => {
      expectTheSame((scope) => {
        const layer = windowAttention(scope, {
          ...{ width: 8, heads: 2, window: [2, 3], shift: [1, 1] },
          ...kind,
        });
        return () => layer(random([2, ...map, 8]) as Tensor4D);
      });
    },
  );
});
