import { describe, expect, it } from 'vitest';
import { isNative, startEngine } from '../../src/engine/engine.js';
import { isOutOfMemory } from '../../src/engine/out-of-memory.js';
import { tf } from '../../src/engine/tf.js';

await startEngine();

describe.skipIf(!isNative())('a tensor that no memory holds', () => {
  it('is told from other faults, and the engine goes on', () => {
    let caught: unknown;
    try {
      tf.fill([2 ** 22, 2 ** 22], 1).dispose(); // 64 TiB
    } catch (error) {
      caught = error;
    }
    expect(isOutOfMemory(caught)).toBe(true);
    expect(tf.tidy(() => tf.add(tf.scalar(1), 2).dataSync()[0])).toBe(3);
  });
});

describe('other faults', () => {
  it('are none of memory', () => {
    expect(isOutOfMemory(new Error('Invalid TF_Status: 3\nMessage: shapes'))).toBe(false);
    expect(isOutOfMemory('OOM when allocating')).toBe(false);
  });
});
