import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import type { BuiltDecoder } from '../../src/decoders/decoder.js';
import { unet } from '../../src/decoders/unet.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { createScope, ParameterStore, type Parameter } from '../../src/layers/parameters.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { createRandom } from '../../src/random.js';
import { sizeOf } from '../../src/shapes.js';
import { describeBackends, onBackend } from '../engine/backends.js';
import { largest, largestDifference } from '../engine/gradient-check.js';
import { parameterCount } from '../support/parameter-count.js';

interface Reference {
  readonly parameters: readonly string[];
  readonly cases: readonly {
    /** [batch, height, width, class] */
    readonly shape: [number, number, number, number];
    readonly logits: readonly number[];
  }[];
}

const file = new URL('../fixtures/unet/logits.json', import.meta.url);
const reference = JSON.parse(readFileSync(file, 'utf8')) as Reference;
const { features } = readEncoderManifest('efficientnet-lite0');

/**
 * Of the largest logit, 3: sums of up to 3,888 float32 products in another order, eight convolutions in a row, come
 * to 2e-6. The neighbour of the right pixel changes logits by more than 1.
 */
const TOLERANCE = 2e-5;

/** The numbers of [−1, 1) that make_reference.py computes too: an integer hash of index and seed. */
function scrambled(count: number, seed: number): Float64Array {
  return Float64Array.from({ length: count }, (_, index) => {
    let x = Math.imul(index, 2654435761) + Math.imul(seed, 668265263);
    x = Math.imul(x ^ (x >>> 15), 2246822519);
    x = Math.imul(x ^ (x >>> 13), 3266489917);
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 31 - 1;
  });
}

/** Middle and half width of a parameter's numbers, as in make_reference.py. */
function range({ name, role, variable: { shape } }: Parameter): [middle: number, spread: number] {
  if (role === 'kernel') return [0, Math.sqrt(6 / sizeOf(shape.slice(0, 3)))];
  if (role === 'bias') return [0, 1];
  if (role === 'scale') return [1, 0.25];
  return name.endsWith('variance') ? [1, 0.5] : [0, 0.25];
}

function fill(store: ParameterStore): void {
  const values = store.all.map((parameter, seed): [string, { data: Float32Array; shape: number[] }] => {
    const { shape } = parameter.variable;
    const [middle, spread] = range(parameter);
    const data = Float32Array.from(scrambled(sizeOf(shape), seed), (value) => middle + spread * value);
    return [parameter.name, { data, shape }];
  });
  store.assign(new Map(values));
}

function featureMaps(batch: number, height: number, width: number): Tensor4D[] {
  return features.map(({ channels, stride }, index) => {
    // rounded up, as the encoder does
    const shape = [batch, Math.ceil(height / stride), Math.ceil(width / stride), channels] as const;
    return tf.tensor4d(Float32Array.from(scrambled(sizeOf(shape), 1000 + index)), [...shape]);
  });
}

describeBackends('U-Net decoder', (backend) => {
  const store = new ParameterStore();
  afterAll(() => onBackend(backend, () => store.dispose()));
  let built: BuiltDecoder | undefined;
  const decoder = (): BuiltDecoder => {
    if (built) return built;
    built = unet.build(createScope(store, createRandom(0)), { features, classCount: 2 });
    fill(store);
    return built;
  };

  it('has 866,306 parameters for EfficientNet-Lite0 and two classes', () =>
    onBackend(backend, () => {
      decoder();
      expect(store.all.map(({ name }) => name)).toEqual(reference.parameters);
      const level = (before: number, skip: number, width: number): number =>
        9 * (before + skip) * width + 9 * width * width + 2 * 2 * width; // two kernels, scale and offset of two norms
      const levels = level(320, 112, 128) + level(128, 40, 64) + level(64, 24, 48) + level(48, 16, 32);
      const head = 32 * 2 + 2;
      expect(levels + head).toBe(866_306);
      expect(parameterCount(store)).toBe(levels + head);
    }));

  it.each(reference.cases)(
    'gives the logits of PyTorch in evaluation: [batch, height, width, class] $shape',
    (given) =>
      onBackend(backend, () => {
        const [batch, height, width] = given.shape;
        const build = decoder();
        const alive = tf.memory().numTensors;
        const logits = tf.tidy(() =>
          build(featureMaps(batch, height, width), { height, width }, { training: false }),
        );
        expect(tf.memory().numTensors).toBe(alive + 1);
        expect(logits.shape).toEqual(given.shape);
        const expected = Float32Array.from(given.logits);
        const values = Float32Array.from(logits.dataSync());
        expect(largestDifference(values, expected)).toBeLessThan(TOLERANCE * largest(expected));
        logits.dispose();
      }),
  );

  it('has a logit for every class and pixel where the classes are more than two', () =>
    onBackend(backend, () => {
      const other = new ParameterStore();
      const build = unet.build(createScope(other, createRandom(0)), { features, classCount: 7 });
      const logits = tf.tidy(() =>
        build(featureMaps(1, 40, 24), { height: 40, width: 24 }, { training: false }),
      );
      expect(logits.shape).toEqual([1, 40, 24, 7]);
      logits.dispose();
      other.dispose();
    }));
});
