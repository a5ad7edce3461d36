import { describe, expect, it } from 'vitest';
import { tf } from '../../src/engine/tf.js';
import type { AdaptedEncoder } from '../../src/encoders/adapted-encoder.js';
import { createScope, ParameterStore } from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';
import { KeptEncoder, type LoadedEncoder } from '../../src/training/kept-encoder.js';

/** Loads a stand-in of one number, and counts how often. */
function loader() {
  const seen = { loads: 0, frees: 0 };
  const load = (): Promise<LoadedEncoder> => {
    seen.loads += 1;
    const parameters = new ParameterStore();
    createScope(parameters, createRandom(0))
      .child('encoder')
      .parameter('scale', [1], () => Float32Array.of(seen.loads), 'scale');
    const dispose = (): void => {
      seen.frees += 1;
      parameters.dispose();
    };
    return Promise.resolve({ encoder: {} as AdaptedEncoder, parameters, dispose });
  };
  return { seen, load };
}

describe('KeptEncoder', () => {
  it('loads once a key, and frees what it kept before another', async () => {
    const { seen, load } = loader();
    const kept = new KeptEncoder();
    const first = await kept.lender('a')(load);
    expect(await kept.lender('a')(load)).toBe(first);
    expect(seen).toEqual({ loads: 1, frees: 0 });
    expect(await kept.lender('b')(load)).not.toBe(first);
    expect(seen).toEqual({ loads: 2, frees: 1 });
    kept.dispose();
    kept.dispose();
    expect(seen).toEqual({ loads: 2, frees: 2 });
  });

  it('keeps nothing of what does not load', async () => {
    const { seen, load } = loader();
    const kept = new KeptEncoder();
    await expect(kept.lender('a')(() => Promise.reject(new Error('damaged')))).rejects.toThrow('damaged');
    await kept.lender('a')(load);
    expect(seen).toEqual({ loads: 1, frees: 0 });
    kept.dispose();
  });

  it('outlives the models that it is lent to', async () => {
    const { load } = loader();
    const kept = new KeptEncoder();
    const { parameters } = await kept.lender('a')(load);
    const tensors = tf.memory().numTensors;
    for (const width of [2, 3]) {
      const model = new ParameterStore();
      model.include(parameters);
      createScope(model, createRandom(0))
        .child('decoder')
        .parameter('bias', [width], () => new Float32Array(width), 'bias');
      expect(model.all.map(({ name }) => name)).toEqual(['encoder/scale', 'decoder/bias']);
      model.dispose();
      expect(tf.memory().numTensors).toBe(tensors);
    }
    expect(parameters.all[0]!.variable.dataSync()[0]).toBe(1);
    kept.dispose();
  });
});
