import { afterEach, describe, expect, it } from 'vitest';
import { croma } from '../../src/encoders/croma.js';
import { distanceBias } from '../../src/encoders/croma/blocks.js';
import { AS_PUBLISHED, CORRECTED } from '../../src/encoders/define-encoder.js';
import type { BuildContext } from '../../src/encoders/encoder.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor4D } from '../../src/engine/tf.js';
import { unreachedParameters } from '../support/encoder-gradients.js';
import { images, observing, smallEncoder } from '../support/encoders.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const small = {
  ...{ width: 16, heads: 4, opticalDepth: 4, sarDepth: 2, crossDepth: 2 },
  ...{ outputLayers: [0, 3], publishedOutputLayers: [0, 1] },
};
const optical = { ...small, modality: 'optical' };
const joint = { ...small, modality: 'joint', outputLayers: [0, 1] };
const evaluation = { training: false };
const only = (id: string): BuildContext => ({ isFaultOn: (fault) => fault === id });

/** Drawn norms have scale 1 and offset 0: a normed token has mean 0. */
const areNormed = (context: BuildContext, hyper: object = optical): boolean[] => {
  const { encoder } = smallEncoder(croma, { ...hyper }, context);
  return tf.tidy(() =>
    encoder
      .forward({ images: { optical: images(1, 16, 24, 12), sar: images(1, 16, 24, 2) } }, evaluation)
      .map((map) => tf.max(tf.abs(tf.mean(map, -1))).dataSync()[0]! < 1e-5),
  );
};

describe('CROMA', () => {
  it.each([
    ['optical', [2, 2, 3, 16]],
    ['sar', [2, 2, 3, 16]],
    ['joint', [2, 2, 3, 16]],
  ])('encodes %s, of any whole number of patches', (modality, shape) => {
    const { encoder } = smallEncoder(croma, { ...small, modality, outputLayers: [0, 1] });
    const batch = { optical: images(2, 17, 24, 12), sar: images(2, 17, 24, 2) };
    const before = tf.memory().numTensors;
    const maps = tf.tidy(() => encoder.forward({ images: batch }, evaluation));
    expect(maps.map((map) => map.shape)).toEqual([shape, shape]);
    const pooled = tf.tidy(() => encoder.embed!({ images: batch }, evaluation));
    expect(pooled.shape).toEqual([2, 16]);
    expect(tf.memory().numTensors).toBe(before + 3);
    tf.dispose([maps, pooled, batch]);
  });

  it('normalises the last block; under the fault the last feature, whichever block that is', () => {
    expect(areNormed(CORRECTED)).toEqual([false, true]);
    expect(areNormed(CORRECTED, { ...optical, outputLayers: [0, 1] })).toEqual([false, false]);
    expect(areNormed(only('croma/norm-on-last-tap'), { ...optical, outputLayers: [0, 1] })).toEqual([
      false,
      true,
    ]);
  });

  it('taps the published blocks under the fault, and runs none behind them', () => {
    const run = (context: BuildContext): string[] => {
      const { encoder } = smallEncoder(croma, optical, context);
      const { context: told, seen } = observing();
      tf.tidy(() => void encoder.forward({ images: { optical: images(1, 16, 24, 12) } }, told));
      tf.dispose([...seen.values()]);
      return [...seen.keys()].filter((name) => name.endsWith('.1'));
    };
    expect(run(AS_PUBLISHED)).toEqual(['s2_encoder.layer0.1', 's2_encoder.layer1.1']);
    expect(run(CORRECTED)).toHaveLength(4);
  });

  it('weakens attention by the distance of patches, more in the first heads', () => {
    const bias = tf.tidy(() => distanceBias(16, [2, 3]).arraySync() as number[][][][])[0]!;
    // patch 5 is one row and two columns from patch 0; slopes are 2^(−head / 2)
    expect(bias[0]![0]![5]).toBeCloseTo(-Math.sqrt(5) * Math.SQRT1_2, 6);
    expect(bias[15]![0]![5]).toBeCloseTo(-Math.sqrt(5) / 256, 6);
    expect(bias[3]![4]![4]).toBeCloseTo(0, 9);
    // 6 heads: the slopes of 4, then every second one of 8
    const six = tf.tidy(() => distanceBias(6, [1, 2]).arraySync() as number[][][][])[0]!;
    expect(six.map((head) => -head[0]![1]!)).toEqual([0.25, 0.0625, 2 ** -6, 2 ** -8, 0.5, 0.125]);
  });

  it('needs both modalities on the same pixels for the joint encoder', () => {
    const { encoder } = smallEncoder(croma, joint);
    const run = (batch: Record<string, Tensor4D>): void => {
      tf.tidy(() => void encoder.forward({ images: batch }, evaluation));
    };
    const sar = images(1, 16, 16, 2);
    expect(() => {
      run({ sar });
    }).toThrow(expect.objectContaining({ code: 'MODALITIES' }));
    expect(() => {
      run({ sar, optical: images(1, 16, 24, 12) });
    }).toThrow(expect.objectContaining({ code: 'SHAPE_MISMATCH', where: 'images' }));
    expect(() => {
      run({ sar: images(1, 7, 16, 2), optical: images(1, 16, 16, 12) });
    }).toThrow(expect.objectContaining({ code: 'IMAGE_TOO_SMALL' }));
  });

  it('is trained in all its learned parameters but the pooled heads', () => {
    const { encoder, store } = smallEncoder(croma, joint);
    const batch = { sar: images(1, 16, 16, 2), optical: images(1, 16, 16, 12) };
    const unreached = unreachedParameters(encoder, store, { images: batch });
    expect(unreached.filter((name) => !name.includes('GAP_FFN'))).toEqual([]);
    expect(smallEncoder(croma, { ...optical, pooledHeads: false }).encoder.embed).toBeUndefined();
  });
});
