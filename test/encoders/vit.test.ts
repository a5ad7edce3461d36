import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AS_PUBLISHED, CORRECTED } from '../../src/encoders/define-encoder.js';
import { loadWeights } from '../../src/encoders/load-weights.js';
import { sineTable } from '../../src/encoders/sine-positions.js';
import { vit } from '../../src/encoders/vit.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor5D } from '../../src/engine/tf.js';
import { readNpy } from '../../src/io/npy.js';
import { createRandom } from '../../src/random.js';
import { images, observing, smallEncoder } from '../support/encoders.js';
import { root } from '../support/needs.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const fixtures = path.join(root, 'test/fixtures/parity/encoder');
const small = {
  ...{ bandCount: 3, imageSize: [16, 24], patchSize: 8, width: 12, depth: 3, heads: 2 },
  outputLayers: [0, 2],
};
const evaluation = { training: false };

describe('a plain vision transformer', () => {
  it('gives one map a layer, coarser by the patch size, and frees all else', () => {
    const { encoder } = smallEncoder(vit, small);
    const image = images(2, 16, 24, 3);
    const before = tf.memory().numTensors;
    const maps = tf.tidy(() => encoder.forward({ images: { optical: image } }, evaluation));
    expect(maps.map(({ shape }) => shape)).toEqual([
      [2, 2, 3, 12],
      [2, 2, 3, 12],
    ]);
    expect(encoder.features).toEqual([
      { channels: 12, stride: 8 },
      { channels: 12, stride: 8 },
    ]);
    expect(tf.memory().numTensors).toBe(before + 2);
    tf.dispose([maps, image]);
  });

  it('leaves out what fills no patch, or fills it with zeros where asked to', () => {
    const image = images(1, 21, 20, 3);
    const shapeOf = (padToPatch: boolean): number[] => {
      const { encoder } = smallEncoder(vit, { ...small, padToPatch });
      return tf.tidy(() => encoder.forward({ images: { optical: image } }, evaluation)[0]!.shape);
    };
    expect(shapeOf(false)).toEqual([1, 2, 2, 12]);
    expect(shapeOf(true)).toEqual([1, 3, 3, 12]);
    image.dispose();
  });

  it('normalises the last block only where that is what the benchmark does', () => {
    // with drawn weights the scale of the normalisation is 1 and its offset 0: a normed token has mean 0
    const meanOf = (outputLayers: number[], finalNorm: string): number[] => {
      const { encoder } = smallEncoder(vit, { ...small, outputLayers, finalNorm });
      return tf.tidy(() =>
        encoder
          .forward({ images: { optical: images(1, 16, 24, 3) } }, evaluation)
          .map((map) => tf.max(tf.abs(tf.mean(map, -1))).dataSync()[0]!),
      );
    };
    const isNormed = (mean: number): boolean => mean < 1e-5;
    expect(meanOf([0, 2], 'last').map(isNormed)).toEqual([false, true]);
    expect(meanOf([0, 1], 'last').map(isNormed)).toEqual([false, false]);
    expect(meanOf([0, 1], 'all').map(isNormed)).toEqual([true, true]);
  });

  it('merges so many dates and refuses others', () => {
    const { encoder } = smallEncoder(vit, { ...small, dateCount: 2 });
    const series = tf.ones([1, 2, 16, 24, 3]) as Tensor5D;
    const shape = tf.tidy(() => encoder.forward({ images: { optical: series } }, evaluation)[0]!.shape);
    expect(shape).toEqual([1, 2, 3, 12]);
    const one = (): unknown => encoder.forward({ images: { optical: images(1, 16, 24, 3) } }, evaluation);
    expect(() => tf.tidy(() => void one())).toThrow(
      expect.objectContaining({ code: 'TIME_STEPS', where: 'images.optical' }),
    );
  });

  it.each([
    ['SHAPE_MISMATCH', 16, 4],
    ['IMAGE_TOO_SMALL', 7, 3],
  ] as const)('refuses with %s images of height %i and %i bands', (code, height, bands) => {
    const { encoder } = smallEncoder(vit, small);
    const run = (): void =>
      tf.tidy(() => void encoder.forward({ images: { optical: images(1, height, 24, bands) } }, evaluation));
    expect(run).toThrow(expect.objectContaining({ code }));
  });

  it('refuses an output layer that it does not have', () => {
    expect(() => smallEncoder(vit, { ...small, outputLayers: [3] })).toThrow(
      expect.objectContaining({ code: 'HYPERPARAMETERS_INVALID', where: 'outputLayers' }),
    );
  });
});

describe('positions of a vision transformer', () => {
  it('are zero and not trained in the baseline as published, learned in the corrected one', () => {
    const positionsOf = (context: typeof CORRECTED) => {
      const { parameter } = smallEncoder(vit, { ...small, positions: 'baseline' }, context);
      const { role, variable } = parameter('pos_embed')!;
      return { role, isTrained: variable.trainable, isZero: variable.dataSync().every((x) => x === 0) };
    };
    expect(positionsOf(AS_PUBLISHED)).toEqual({ role: 'constant', isTrained: false, isZero: true });
    expect(positionsOf(CORRECTED)).toEqual({ role: 'table', isTrained: true, isZero: false });
  });

  it.each([
    ['pb_ssl4eo_moco', 'row'],
    ['pb_ssl4eo_mae_sar', 'column'],
  ] as const)('start as the sine table that the reference of %s has: first the %s', async (name, first) => {
    const { data, shape } = await readNpy(path.join(fixtures, name, 'out_pos_embed.npy'));
    const table = sineTable([4, 4], first)(shape, createRandom(0));
    const worst = Math.max(...[...table].map((x, i) => Math.abs(x - Number(data[i]))));
    expect(worst).toBeLessThan(1e-6); // the reference is rounded to float32
  });
});

describe('weights of DINO', () => {
  const hyperparameters = {
    ...{ bandCount: 13, imageSize: [32, 32], patchSize: 8, width: 32, depth: 3, heads: 4 },
    ...{ outputLayers: [0, 1, 2], layout: 'dino', positionResizing: 'dino' },
  };
  const file = path.join(fixtures, 'pb_ssl4eo_dino/weights.pth'); // without these biases

  it('lose the biases of queries, keys and values as published, and need them when corrected', async () => {
    const load = (context: typeof CORRECTED) => {
      const { store } = smallEncoder(vit, hyperparameters, context);
      return loadWeights(file, store, 'model', vit.weights(hyperparameters, context));
    };
    expect((await load(AS_PUBLISHED)).missing).toEqual([]);
    await expect(load(CORRECTED)).rejects.toMatchObject({
      code: 'CHECKPOINT_KEYS',
      message: expect.stringContaining('blocks.0.attn.qkv.bias'),
    });
  });

  it('leave out the biases of a file that has them as published only', () => {
    const isLeftOut = (context: typeof CORRECTED): boolean =>
      vit
        .weights(hyperparameters, context)
        .discard.some((rule) => rule.test('backbone.blocks.0.attn.qkv.bias'));
    expect([isLeftOut(AS_PUBLISHED), isLeftOut(CORRECTED)]).toEqual([true, false]);
  });
});

describe('what a vision transformer gives as one vector', () => {
  it('is the normalised class token, or the normalised mean of the patches', () => {
    for (const pool of ['class-token', 'mean']) {
      const { encoder } = smallEncoder(vit, { ...small, pool });
      const { context, seen } = observing();
      const [vector, expected] = tf.tidy(() => {
        const pooled = encoder.embed!({ images: { optical: images(2, 16, 24, 3) } }, context);
        const last = seen.get('block.2')!;
        const token =
          pool === 'mean'
            ? tf.mean(tf.slice(last, [0, 1, 0], [-1, -1, -1]), 1)
            : tf.squeeze(tf.slice(last, [0, 0, 0], [-1, 1, -1]), [1]);
        const { mean, variance } = tf.moments(token, -1, true);
        const normed = tf.div(tf.sub(token, mean), tf.sqrt(tf.add(variance, 1e-6)));
        return [[...pooled.dataSync()], [...normed.dataSync()]];
      }) as unknown as [number[], number[]];
      // float32 arithmetic in another order
      for (const [i, value] of vector.entries()) expect(value).toBeCloseTo(expected[i]!, 4);
      tf.dispose([...seen.values()]);
    }
  });
});
