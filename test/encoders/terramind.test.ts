import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoints/checkpoint.js';
import { loadWeights } from '../../src/encoders/load-weights.js';
import { terramind } from '../../src/encoders/terramind.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor } from '../../src/engine/tf.js';
import { unreachedParameters } from '../support/encoder-gradients.js';
import { images, observing, smallEncoder } from '../support/encoders.js';
import { root } from '../support/needs.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const small = {
  ...{ modalities: ['S1GRD', 'S2L2A'], imageSize: [32, 48], patchSize: 16, width: 12, depth: 2, heads: 2 },
  ...{ mlpRatio: 2, outputLayers: [0, 1] },
};
const evaluation = { training: false };
const both = (height = 32, width = 48) => ({
  S1GRD: images(2, height, width, 2),
  S2L2A: images(2, height, width, 12),
});

describe('TerraMind', () => {
  it('merges the patches of its modalities in four ways', () => {
    const batch = both();
    const stream = (merge: string): { map: Tensor; block: Tensor } => {
      const { encoder } = smallEncoder(terramind, { ...small, merge });
      const { context, seen } = observing();
      const [map] = tf.tidy(() => encoder.forward({ images: batch }, context));
      return { map: map!, block: seen.get('block.0')! };
    };
    const { map: apart, block } = stream('apart');
    expect(apart.shape).toEqual([2, 2, 2, 3, 12]);
    expect(apart.dataSync()).toEqual(block.dataSync());
    const [sar, optical] = tf.unstack(apart, 1) as [Tensor, Tensor];
    const valuesOf = (merge: string): [number[], Float32Array] => {
      const { map } = stream(merge);
      return [map.shape, map.dataSync<'float32'>()];
    };
    expect(valuesOf('concat')).toEqual([[2, 2, 3, 24], tf.concat([sar, optical], 3).dataSync()]);
    expect(valuesOf('max')).toEqual([[2, 2, 3, 12], tf.maximum(sar, optical).dataSync()]);
    const [shape, mean] = valuesOf('mean');
    expect(shape).toEqual([2, 2, 3, 12]);
    const expected = tf.mean(tf.stack([sar, optical]), 0).dataSync();
    for (const [i, value] of mean.entries()) expect(value).toBeCloseTo(expected[i]!, 6);
    const { encoder } = smallEncoder(terramind, { ...small, merge: 'concat' });
    expect(encoder.features[1]).toEqual({ channels: 24, stride: 16 });
  });

  it('takes larger images, and frees all but its maps', () => {
    const { encoder } = smallEncoder(terramind, small);
    const batch = both(64, 80);
    const before = tf.memory().numTensors;
    const maps = tf.tidy(() => encoder.forward({ images: batch }, evaluation));
    expect(maps.map(({ shape }) => shape)).toEqual([
      [2, 4, 5, 12],
      [2, 4, 5, 12],
    ]);
    expect(tf.memory().numTensors).toBe(before + 2);
  });

  it('refuses modalities that it does not know, that are missing, or of other sizes', () => {
    expect(() => smallEncoder(terramind, { ...small, modalities: ['S3'] })).toThrow(
      expect.objectContaining({ code: 'HYPERPARAMETERS_INVALID', where: 'modalities' }),
    );
    const { encoder } = smallEncoder(terramind, small);
    const run = (batch: Parameters<typeof encoder.forward>[0]['images']) => () => {
      tf.tidy(() => void encoder.forward({ images: batch }, evaluation));
    };
    expect(run({ S2L2A: both().S2L2A })).toThrow(expect.objectContaining({ code: 'MODALITIES' }));
    expect(run({ S2L2A: both().S2L2A, S1GRD: both(48, 48).S1GRD })).toThrow(
      expect.objectContaining({ code: 'SHAPE_MISMATCH' }),
    );
    expect(run(both(15, 48))).toThrow(expect.objectContaining({ code: 'IMAGE_TOO_SMALL' }));
    const named = smallEncoder(terramind, { ...small, imageNames: { S1GRD: 'sar', S2L2A: 'optical' } });
    const { S1GRD: sar, S2L2A: optical } = both();
    expect(tf.tidy(() => named.encoder.embed!({ images: { sar, optical } }, evaluation).shape)).toEqual([
      2, 12,
    ]);
  });

  it('keeps the weights of bands that the checkpoint knows', async () => {
    const file = path.join(root, 'test/fixtures/parity/encoder/tt_terramind_s1_s2/weights.safetensors');
    const hyper = {
      ...{ modalities: ['S2L2A'], imageSize: [32, 32], width: 24, depth: 2, heads: 3, mlpRatio: 2 },
      ...{ outputLayers: [1], bands: { S2L2A: ['RED', 'THERMAL', 'BLUE'] } },
    };
    const { store, parameter } = smallEncoder(terramind, hyper);
    const report = await loadWeights(file, store, 'model', terramind.weights(hyper));
    expect(report.unused).toContain('encoder_embeddings.untok_sen1grd@224.proj.weight');
    const checkpoint = await openCheckpoint(file);
    const stored = checkpoint.tensors.get('encoder_embeddings.untok_sen2l2a@224.proj.weight')!.readFloat32();
    checkpoint.close();
    // ours [pixel · band, width], the file's [width, pixel · band]: pixel 5, output 7
    const ours = parameter('encoder_embeddings/untok_sen2l2a@224/proj/kernel')!.variable.dataSync();
    const [red, blue] = [3, 1].map((band) => stored[7 * 16 * 16 * 12 + 5 * 12 + band]);
    expect(ours[(5 * 3 + 0) * 24 + 7]).toBe(red);
    expect(ours[(5 * 3 + 2) * 24 + 7]).toBe(blue);
  });

  it('is trained in all its learned parameters, the biases of normalisations not among them', () => {
    const { encoder, store, parameter } = smallEncoder(terramind, small);
    expect(unreachedParameters(encoder, store, { images: both() })).toEqual([]);
    expect(parameter('encoder/0/norm1/offset')?.variable.trainable).toBe(false);
    // the gate's perceptron is 2/3 as wide: 2 · (12 · 2) / 3
    expect(parameter('encoder/0/mlp/fc1/kernel')?.variable.shape).toEqual([12, 16]);
    const learned = smallEncoder(terramind, { ...small, normBias: true, isGated: false });
    expect(learned.parameter('encoder/0/norm1/offset')?.variable.trainable).toBe(true);
    expect(learned.parameter('encoder/0/mlp/fc1/kernel')?.variable.shape).toEqual([12, 24]);
  });
});
