import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { numpyRandom } from '../../../src/datasets/splits/numpy-random.js';
import { stratifiedSplit, trainTestSplit } from '../../../src/datasets/splits/train-test-split.js';

interface Reference {
  readonly permutation_seed23_n20: number[];
  readonly hls_n540_seed23: { val: number[]; train_first20: number[] };
  readonly stratified_n210_labels_d_k_mod_7_seed23: { val: number[]; train_first20: number[] };
}

const file = fileURLToPath(new URL('../../fixtures/layouts/split_reference.json', import.meta.url));
const reference = JSON.parse(readFileSync(file, 'utf8')) as Reference;

describe('splits of the references', () => {
  it('a permutation of the Mersenne Twister equals that of NumPy', () => {
    expect([...numpyRandom(23).permutation(20)]).toEqual(reference.permutation_seed23_n20);
  });

  it('a plain split equals that of scikit-learn', () => {
    const { train, test } = trainTestSplit(540, 0.1, 23);
    expect([...test]).toEqual(reference.hls_n540_seed23.val);
    expect([...train.slice(0, 20)]).toEqual(reference.hls_n540_seed23.train_first20);
    expect(train).toHaveLength(486);
  });

  it('a stratified split equals that of scikit-learn', () => {
    const labels = Array.from({ length: 210 }, (_, k) => `d${k % 7}`);
    const { train, test } = stratifiedSplit(labels, 0.1, 23);
    expect([...test]).toEqual(reference.stratified_n210_labels_d_k_mod_7_seed23.val);
    expect([...train.slice(0, 20)]).toEqual(reference.stratified_n210_labels_d_k_mod_7_seed23.train_first20);
  });

  it.each([
    { share: 0, count: 10 },
    { share: 1, count: 10 },
    { share: 0.5, count: 1 },
  ])('a share that leaves one side empty is refused: $share of $count', ({ share, count }) => {
    expect(() => trainTestSplit(count, share, 1)).toThrow(expect.objectContaining({ code: 'SPLIT_SHARE' }));
  });

  it('a class of a single sample cannot be on both sides', () => {
    expect(() => stratifiedSplit(['a', 'a', 'a', 'b'], 0.5, 1)).toThrow(
      expect.objectContaining({ code: 'SPLIT_STRATUM' }),
    );
  });
});
