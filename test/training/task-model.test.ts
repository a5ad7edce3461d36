import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEngine } from '../../src/engine/engine.js';
import { hasKernel } from '../../src/engine/ops/onednn.js';
import { currentPrecision } from '../../src/engine/ops/precision.js';
import { tf, type Scalar } from '../../src/engine/tf.js';
import { sampleImage } from '../../src/datasets/image.js';
import type { Protocol } from '../../src/manifests/protocol-manifest.js';
import { createRandom } from '../../src/random.js';
import { buildTaskModel, planEncoder } from '../../src/training/task-model.js';
import { tinyDecoder } from '../support/tiny-run.js';

beforeAll(() => startEngine());
afterEach(() => new Promise((resolve) => setImmediate(resolve)));

const random = createRandom(5);
const SIDE = 32;
const input = {
  images: {
    optical: sampleImage({
      data: Float32Array.from({ length: SIDE * SIDE * 3 }, () => random.normal()),
      ...{ height: SIDE, width: SIDE, bands: ['red', 'green', 'blue'] },
    }),
  },
};

/** Loss and all gradients of a small transformer with a decoder. */
async function gradientsOf(settings: Partial<Pick<Protocol, 'precision' | 'checkpointBlocks'>>) {
  const model = await buildTaskModel({
    encoder: await planEncoder({
      ...{ encoder: 'vit-tiny-timm', weightsFile: null, seed: 0, sensor: undefined },
      ...{ protocol: { bands: 'match', newBands: 'random', inputSize: SIDE }, datasetBands: {} },
    }),
    ...{ decoder: tinyDecoder, neck: null, task: 'segmentation', outputCount: 2, isTrained: true },
    ...{ mode: 'corrected', wavelengths: {}, example: input, random: createRandom(0) },
    protocol: { temporal: 'linear', change: 'concat', ...settings },
  });
  const before = tf.memory().numTensors;
  const found = tf.tidy(() => {
    const { value, grads } = tf.variableGrads(() => {
      const maps = model.encode([input, input], { training: true });
      const logits = model.decode.forward(maps, { height: SIDE, width: SIDE }, { training: true });
      return tf.mean(tf.square(logits)) as Scalar;
    });
    const gradients = Object.values(grads).map((gradient) => gradient.dataSync<'float32'>());
    return { loss: value.dataSync()[0]!, gradients };
  });
  expect(tf.memory().numTensors).toBe(before);
  model.dispose();
  return found;
}

type Found = Awaited<ReturnType<typeof gradientsOf>>;

/** √(Σ difference² / Σ gradient²). Matchers would take a minute for millions of numbers. */
function errorOf(found: Found, expected: Found): number {
  let [difference, squares] = [0, 0];
  for (const [index, gradient] of expected.gradients.entries()) {
    for (const [i, value] of gradient.entries()) {
      difference += (found.gradients[index]![i]! - value) ** 2;
      squares += value ** 2;
    }
  }
  return Math.sqrt(difference / squares);
}

describe('a model of a task', () => {
  it('has the same loss and gradients where blocks are computed twice', async () => {
    const kept = await gradientsOf({});
    const computedTwice = await gradientsOf({ checkpointBlocks: true });
    expect(kept.gradients.length).toBeGreaterThan(40);
    expect(computedTwice.gradients.length).toBe(kept.gradients.length);
    // without a gradient at hand, layers take other kernels: float32 sums in another order
    expect(Math.abs(computedTwice.loss / kept.loss - 1)).toBeLessThan(1e-5);
    expect(errorOf(computedTwice, kept)).toBeLessThan(1e-5);
  });

  it('computes in the precision of its protocol, in the gradient of a block that is computed twice as well', async () => {
    if (!hasKernel('linear-bfloat16')) {
      await expect(gradientsOf({ precision: 'bfloat16' })).rejects.toMatchObject({
        code: 'PRECISION_UNSUPPORTED',
      });
      return;
    }
    const [exact, rounded, roundedTwice] = [
      await gradientsOf({}),
      await gradientsOf({ precision: 'bfloat16' }),
      await gradientsOf({ precision: 'bfloat16', checkpointBlocks: true }),
    ];
    // factors of 8 bits, a relative error of 2⁻⁹ each: a hundred times that of float32 above, a tenth of what is computed
    for (const found of [rounded, roundedTwice]) {
      expect(errorOf(found, exact)).toBeGreaterThan(1e-3);
      expect(errorOf(found, exact)).toBeLessThan(0.1);
    }
    expect(currentPrecision()).toBe('float32');
  });
});
