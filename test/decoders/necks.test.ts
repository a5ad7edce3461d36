import { afterEach, describe, expect, it } from 'vitest';
import {
  interpolatedPyramid,
  learnedPyramid,
  pooledPyramid,
} from '../../src/decoders/necks/pyramid-necks.js';
import { tokensToMap } from '../../src/decoders/necks/token-necks.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { createScope, ParameterStore } from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const specs = (count: number) => Array.from({ length: count }, () => ({ channels: 8, stride: 16 }));
const scope = () => createScope(new ParameterStore(), createRandom(0));

describe('necks', () => {
  it('give maps of the channels and strides that they announce', () => {
    const necks = [
      learnedPyramid(scope(), specs(4)),
      interpolatedPyramid(specs(4), { mode: 'bilinear' }),
      pooledPyramid(specs(4)),
    ];
    tf.tidy(() => {
      const maps = specs(4).map(() => tf.randomNormal([1, 8, 16, 8]) as Tensor4D);
      for (const { features, run } of necks) {
        const shapes = run(maps, { training: false }).map(({ shape }) => shape);
        // maps of 8 × 16 at stride 16 are of images of 128 × 256
        expect(shapes).toEqual(
          features.map(({ channels, stride }) => [1, 128 / stride, 256 / stride, channels]),
        );
      }
    });
  });

  it('tell that they take four maps', () => {
    expect(() => learnedPyramid(scope(), specs(3))).toThrow(
      expect.objectContaining({ code: 'FEATURE_COUNT', where: 'features' }),
    );
  });
});

describe('tokensToMap', () => {
  it('refuses tokens of no square map', () => {
    const run = (): void => tf.tidy(() => void tokensToMap(tf.zeros([1, 7, 2])));
    expect(run).toThrow(expect.objectContaining({ code: 'SHAPE_MISMATCH', where: 'tokens' }));
  });
});
