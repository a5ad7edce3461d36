import { beforeAll, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { channelDropout, dropout } from '../../src/layers/dropout.js';
import { createRandom } from '../../src/random.js';

beforeAll(() => startEngine());

describe.each([
  ['channelDropout', channelDropout],
  ['dropout', dropout],
])('%s', (_, build) => {
  const layer = build(0.25);

  it('acts in training, by the generator of the context alone', () => {
    tf.tidy(() => {
      const x = tf.ones([4, 3, 2, 50]) as Tensor4D;
      expect(layer(x, { training: false })).toBe(x);
      expect(layer(x, { training: true })).toBe(x);
      const draw = (seed: number) => layer(x, { training: true, random: createRandom(seed) }).dataSync();
      expect(new Set(draw(1))).toEqual(new Set([0, Math.fround(1 / 0.75)]));
      expect(draw(1)).toEqual(draw(1));
      expect(draw(1)).not.toEqual(draw(2));
    });
  });
});

describe('what is left out', () => {
  const zeros = (x: ArrayLike<number>): number => Array.from(x).filter((value) => value === 0).length;
  const context = () => ({ training: true, random: createRandom(1) });

  it('is whole channels of a sample, or single numbers', () => {
    tf.tidy(() => {
      const x = tf.ones([4, 3, 2, 50]) as Tensor4D;
      const means = tf.mean(channelDropout(0.25)(x, context()), [1, 2]).dataSync();
      expect(new Set(means)).toEqual(new Set([0, Math.fround(1 / 0.75)]));
      // of 200 channels: 50 ± 6, here 3 deviations
      expect(Math.abs(zeros(means) - 50)).toBeLessThan(19);
      // of 1200 numbers: 300 ± 15, here 3 deviations
      expect(Math.abs(zeros(dropout(0.25)(x, context()).dataSync()) - 300)).toBeLessThan(46);
    });
  });
});
