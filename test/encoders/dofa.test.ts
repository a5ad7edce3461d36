import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AS_PUBLISHED, CORRECTED } from '../../src/encoders/define-encoder.js';
import { dofa } from '../../src/encoders/dofa.js';
import { loadWeights } from '../../src/encoders/load-weights.js';
import { startEngine } from '../../src/engine/engine.js';
import { gather } from '../../src/engine/ops/gather.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { unreachedParameters } from '../support/encoder-gradients.js';
import { images, smallEncoder } from '../support/encoders.js';
import { root } from '../support/needs.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const small = {
  ...{ imageSize: [16, 24], patchSize: 8, width: 12, depth: 2, heads: 2 },
  ...{ wavelengthPlanes: 16, generatorHidden: 24, generatorTokens: 6, outputLayers: [0, 1] },
};
const evaluation = { training: false };
const C_BAND_NM = 55_465_765;

describe('DOFA', () => {
  it('takes bands of several modalities, and frees all but its maps', () => {
    const { encoder } = smallEncoder(dofa, small);
    const batch = { optical: images(2, 16, 24, 3), sar: images(2, 16, 24, 2) };
    const wavelengths = { optical: [490, 560, 665], sar: [C_BAND_NM, C_BAND_NM] };
    const before = tf.memory().numTensors;
    const maps = tf.tidy(() => encoder.forward({ images: batch, wavelengths }, evaluation));
    expect(maps.map(({ shape }) => shape)).toEqual([
      [2, 2, 3, 12],
      [2, 2, 3, 12],
    ]);
    expect(tf.memory().numTensors).toBe(before + 2);
    tf.dispose([maps, batch]);
  });

  it('knows bands by their wavelengths, not by their order', () => {
    const { encoder } = smallEncoder(dofa, small);
    const x = images(1, 16, 24, 3);
    const order = [2, 0, 1];
    const shuffled = gather(x, tf.tensor1d(order, 'int32'), 3) as Tensor4D;
    const nm = [490, 560, 665];
    const run = (image: Tensor4D, wavelengthsNm: number[]): Float32Array =>
      tf.tidy(
        () =>
          encoder
            .forward({ images: { x: image }, wavelengths: { x: wavelengthsNm } }, evaluation)[1]!
            .dataSync() as Float32Array,
      );
    const given = run(x, nm);
    const moved = run(
      shuffled,
      order.map((band) => nm[band]!),
    );
    // sums of the same numbers in another order: some units of float32
    for (const [i, value] of given.entries()) expect(moved[i]).toBeCloseTo(value, 4);
    const others = run(shuffled, nm);
    expect(Math.max(...given.map((value, i) => Math.abs(value - others[i]!)))).toBeGreaterThan(1e-3);
    tf.dispose([x, shuffled]);
  });

  it('embeds radar under what stands for it, and under its frequency where the fault is on', () => {
    const hyper = { ...small, publishedRadarStandInNm: 2190 };
    const x = images(1, 16, 24, 2);
    const run = (wavelength: number, context = CORRECTED): number[] => {
      const { encoder } = smallEncoder(dofa, hyper, context);
      return tf.tidy(() =>
        Array.from(
          encoder
            .forward({ images: { x }, wavelengths: { x: [wavelength, wavelength] } }, evaluation)[0]!
            .dataSync(),
        ),
      );
    };
    expect(run(C_BAND_NM)).toEqual(run(3750));
    expect(run(C_BAND_NM, AS_PUBLISHED)).toEqual(run(2190));
    expect(() => run(5405)).toThrow(expect.objectContaining({ code: 'WAVELENGTH_INVALID' }));
    expect(run(3750, AS_PUBLISHED)).toEqual(run(3750));
    expect(run(C_BAND_NM)).not.toEqual(run(C_BAND_NM, AS_PUBLISHED));
    x.dispose();
  });

  it('takes images of other sizes, by a resized position table, and refuses those without a patch', () => {
    const { encoder } = smallEncoder(dofa, small);
    const shapeOf = (height: number, width: number): number[] =>
      tf.tidy(
        () =>
          encoder.forward(
            { images: { x: images(1, height, width, 1) }, wavelengths: { x: [490] } },
            evaluation,
          )[0]!.shape,
      );
    expect(shapeOf(32, 40)).toEqual([1, 4, 5, 12]);
    // one row and column of zeros on every side: 6 + 2 pixels hold one patch of 8
    expect(shapeOf(6, 6)).toEqual([1, 1, 1, 12]);
    expect(() => shapeOf(5, 16)).toThrow(expect.objectContaining({ code: 'IMAGE_TOO_SMALL' }));
  });

  it('refuses wavelengths of another number of bands', () => {
    const { encoder } = smallEncoder(dofa, small);
    const x = images(1, 16, 24, 3);
    expect(() =>
      tf.tidy(() => void encoder.forward({ images: { x }, wavelengths: { x: [490] } }, evaluation)),
    ).toThrow(expect.objectContaining({ code: 'SHAPE_MISMATCH', where: 'images.x' }));
    x.dispose();
  });

  it('is trained in all its learned parameters', () => {
    const { encoder, store } = smallEncoder(dofa, small);
    const x = images(1, 16, 24, 2);
    expect(unreachedParameters(encoder, store, { images: { x }, wavelengths: { x: [490, 842] } })).toEqual(
      [],
    );
    x.dispose();
  });

  it('reads the published file for a mean over patches, whose norm no file has', async () => {
    const hyper = {
      ...{ imageSize: [32, 32], patchSize: 4, width: 24, depth: 3, heads: 3 },
      ...{ wavelengthPlanes: 32, generatorHidden: 64, outputLayers: [2], finalNorm: 'none', pool: 'mean' },
    };
    const { store } = smallEncoder(dofa, hyper);
    const file = path.join(root, 'test/fixtures/parity/encoder/pb_dofa_optical_sar/weights.pth');
    const report = await loadWeights(file, store, 'model', dofa.weights(hyper));
    expect(report.missing).toEqual(['fc_norm.weight', 'fc_norm.bias']);
    expect(report.unused).toEqual(
      expect.arrayContaining(['norm.weight', 'norm.bias', 'mask_token', 'decoder_embed.weight']),
    );
    const other = smallEncoder(dofa, { ...hyper, depth: 2, outputLayers: [1] });
    await expect(loadWeights(file, other.store, 'model', dofa.weights(hyper))).rejects.toMatchObject({
      code: 'CHECKPOINT_KEYS',
    });
  });
});
