import { chmodSync, readdirSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FeatureStore, type KeptInput } from '../../src/training/feature-store.js';
import type { Request } from '../../src/training/input-source.js';
import { tempFolder } from '../support/temp-folder.js';

const request = (name: string): Request => ({ name, read: () => Promise.reject(new Error('not asked')) });

/** Features that say their name's length, and how often they were computed. */
function computing() {
  const computed: string[] = [];
  const compute = (requests: readonly Request[]): Promise<KeptInput[]> =>
    Promise.resolve(
      requests.map(({ name }) => {
        computed.push(name);
        return {
          features: [{ data: Float32Array.of(name.length, 2, 3, 4, 5, 6), shape: [1, 2, 3] }],
          answer: {
            data: Float32Array.of(1, 0),
            shape: [1, 2],
            valid: Float32Array.of(1, 0),
            scale: 2,
            shift: 3,
          },
          place: 'odd',
        };
      }),
    );
  return { computed, compute };
}

describe('a store of features', () => {
  it('computes what is missing, in one call, and keeps it for another process', async () => {
    const folder = tempFolder();
    const options = { folder, key: 'a'.repeat(64), memoryBytes: 1e6 };
    const { computed, compute } = computing();
    const first = await new FeatureStore(options).get([request('one'), request('three')], compute);
    const again = await new FeatureStore(options).get([request('three'), request('seven')], compute);
    expect(computed).toEqual(['one', 'three', 'seven']);
    expect(again[0]).toEqual(first[1]);
    expect(again[0]).toMatchObject({ place: 'odd', answer: { scale: 2, shift: 3, shape: [1, 2] } });
  });

  it('does not take features of another key', async () => {
    const folder = tempFolder();
    const { computed, compute } = computing();
    for (const key of ['a', 'b'])
      await new FeatureStore({ folder, key, memoryBytes: 1e6 }).get([request('x')], compute);
    expect(computed).toEqual(['x', 'x']);
  });

  it('computes a damaged file again', async () => {
    const folder = tempFolder();
    const options = { folder, key: 'k', memoryBytes: 1e6 };
    const { computed, compute } = computing();
    await new FeatureStore(options).get([request('x')], compute);
    const [file] = readdirSync(path.join(folder, 'k'));
    truncateSync(path.join(folder, 'k', file!), 60);
    await new FeatureStore(options).get([request('x')], compute);
    expect(computed).toEqual(['x', 'x']);
  });

  it('forgets the oldest where memory is short, and computes it again where there is no folder', async () => {
    const { computed, compute } = computing();
    const store = new FeatureStore({ folder: null, key: 'k', memoryBytes: 50 }); // 32 bytes each
    for (const name of ['a', 'b', 'a']) await store.get([request(name)], compute);
    expect(computed).toEqual(['a', 'b', 'a']);
  });

  it.skipIf(process.getuid?.() === 0)(
    'works in memory where its folder cannot be written, and says so once',
    async () => {
      const folder = tempFolder();
      chmodSync(folder, 0o500);
      const told: string[] = [];
      const { compute } = computing();
      const options = {
        folder,
        key: 'k',
        memoryBytes: 1e6,
        onUnwritable: (reason: string) => told.push(reason),
      };
      const store = new FeatureStore(options);
      for (const name of ['a', 'b']) await store.get([request(name)], compute);
      expect(told).toHaveLength(1);
    },
  );
});
