import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { CORRECTED } from '../../src/encoders/define-encoder.js';
import { efficientNetLite } from '../../src/encoders/efficientnet-lite.js';
import { createScope, ParameterStore } from '../../src/layers/parameters.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { createRandom } from '../../src/random.js';
import { parameterCount } from '../support/parameter-count.js';

const manifest = readEncoderManifest('efficientnet-lite0');
const parameters = new ParameterStore();

beforeAll(() => startEngine());
afterAll(() => parameters.dispose());

describe('EfficientNet-Lite0', () => {
  it('gives the declared channels at the declared strides, height ≠ width', () => {
    const encoder = efficientNetLite.build(
      createScope(parameters, createRandom(0)).child('encoder'),
      { ...manifest.hyperparameters, bandCount: 5 },
      CORRECTED,
    );
    const shapes = tf.tidy(() =>
      encoder
        .forward({ images: { image: tf.zeros([2, 64, 96, 5]) as Tensor4D } }, { training: false })
        .map(({ shape }) => shape),
    );
    expect(shapes).toEqual(
      manifest.features.map(({ channels, stride }) => [2, 64 / stride, 96 / stride, channels]),
    );
  });

  it('has the 3.37 million parameters of its blocks, without head and classifier', () => {
    // 4.65 M of the published model, less the head (320 · 1280 + 2 · 1280) and the classifier (1281 · 1000);
    // two more bands in the first convolution: 2 · 9 · 32
    const whole = 4_652_008;
    const expected = whole - (320 * 1280 + 2 * 1280) - 1281 * 1000 + 2 * 9 * 32;
    expect(parameterCount(parameters)).toBe(expected);
  });

  it('draws the same weights for the same seed, name by name', () => {
    const build = (seed: number) => {
      const store = new ParameterStore();
      efficientNetLite.build(
        createScope(store, createRandom(seed)).child('encoder'),
        manifest.hyperparameters,
        CORRECTED,
      );
      const first = store.all.find(({ name }) => name === 'encoder/stem/convolution/kernel')!;
      const values = [...first.variable.dataSync()];
      store.dispose();
      return values;
    };
    expect(build(1)).toEqual(build(1));
    expect(build(1)).not.toEqual(build(2));
  });
});
