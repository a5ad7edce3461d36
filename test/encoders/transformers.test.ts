import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { data2vec } from '../../src/encoders/data2vec.js';
import { AS_PUBLISHED, CORRECTED } from '../../src/encoders/define-encoder.js';
import { dinov3Vit } from '../../src/encoders/dinov3-vit.js';
import type { EncoderInput } from '../../src/encoders/encoder.js';
import { loadWeights } from '../../src/encoders/load-weights.js';
import { openClip } from '../../src/encoders/open-clip.js';
import { relativePositionIndex } from '../../src/encoders/relative-positions.js';
import { rotaryPeriods } from '../../src/encoders/rotary-positions.js';
import { scaleMae } from '../../src/encoders/scale-mae.js';
import { spectralGpt } from '../../src/encoders/spectral-gpt.js';
import { vit } from '../../src/encoders/vit.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { images, observing, smallEncoder } from '../support/encoders.js';
import { root } from '../support/needs.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const evaluation = { training: false };
const fixtures = path.join(root, 'test/fixtures/parity/encoder');
const small = { patchSize: 8, width: 16, depth: 2, heads: 2, outputLayers: [0, 1] };

describe.each([
  ['vit', vit, { imageSize: [16, 16], registerTokens: 2, layerScale: true, qkNorm: true, dateCount: 1 }, 3],
  ['data2vec', data2vec, { bandCount: 3, imageSize: [16, 16], relativePositions: 'per-block' }, 3],
  ['open-clip', openClip, { imageSize: [16, 16], activation: 'quick-gelu' }, 3],
  ['scale-mae', scaleMae, {}, 3],
  ['spectral-gpt', spectralGpt, { bandCount: 6, imageSize: [16, 16] }, 6],
  ['dinov3-vit', dinov3Vit, { qkvBias: true, gatedMlp: {}, ropePairs: 'neighbours' }, 3],
] as const)('%s in training', (_, family, own, bands) => {
  it('gives every learned parameter behind a feature a gradient', () => {
    const { encoder, store } = smallEncoder(family, { ...small, ...own });
    const input = {
      images: { optical: images(2, 16, 16, bands) },
      groundSamplingDistance: 10,
    };
    const { grads, value } = tf.variableGrads(() =>
      tf.tidy(() => {
        // squares: the mean of a normalised map is 0, and its gradient too
        const maps = encoder.forward(input, { training: true });
        return maps
          .map((map) => tf.mean(tf.square(tf.add(map, 0.5))))
          .reduce((a, b) => tf.add(a, b))
          .asScalar();
      }),
    );
    const without = store.all
      .filter(({ role }) => role !== 'statistic' && role !== 'constant')
      .filter(({ variable }) => {
        const gradient = grads[variable.name];
        return !gradient || !gradient.dataSync().some((slope) => slope !== 0);
      })
      .map(({ name }) => name.replace('model/', ''));
    // features that are not normalised leave the last normalisation alone; a bias of keys changes no softmax
    expect(without.filter((name) => !/^norm\/|\/k\/bias$/.test(name))).toEqual([]);
    tf.dispose([grads, value, input.images.optical]);
  });
});

describe('data2vec', () => {
  const hyperparameters = { ...small, bandCount: 3, imageSize: [16, 24] };

  it('tells images of another size that its biases do not reach them', () => {
    const { encoder } = smallEncoder(data2vec, hyperparameters);
    const run = (): void =>
      tf.tidy(() => void encoder.forward({ images: { optical: images(1, 24, 24, 3) } }, evaluation));
    expect(run).toThrow(
      expect.objectContaining({ code: 'SHAPE_MISMATCH', hint: expect.stringContaining('16 × 24') }),
    );
  });

  it('numbers the steps between patches, and the class token apart', () => {
    // 1 × 2 patches: steps −1, 0, 1 are rows 2 − …, then class → patch 3, patch → class 4, class → class 5
    expect([...relativePositionIndex([1, 2])]).toEqual([5, 3, 3, 4, 1, 0, 4, 2, 1]);
  });

  it('has no parameter where there is no position', () => {
    const { store } = smallEncoder(data2vec, { ...hyperparameters, relativePositions: 'none' });
    expect(store.all.filter(({ name }) => /position|pos_/.test(name))).toEqual([]);
  });
});

describe('CLIP', () => {
  const hyperparameters = { ...small, imageSize: [16, 16] };
  const image = (): EncoderInput => ({ images: { optical: images(2, 16, 16, 3) } });

  it('gives the vector that it shares with texts only where its last layers are asked for', () => {
    const without = smallEncoder(openClip, hyperparameters);
    expect(without.encoder.embed).toBeUndefined();
    expect(without.parameter('proj')).toBeUndefined();
    const { encoder } = smallEncoder(openClip, { ...hyperparameters, embedWidth: 6 });
    expect(tf.tidy(() => encoder.embed!(image(), evaluation).shape)).toEqual([2, 6]);
  });

  it('takes images of another size', () => {
    const { encoder } = smallEncoder(openClip, hyperparameters);
    const shape = tf.tidy(
      () => encoder.forward({ images: { optical: images(1, 24, 32, 3) } }, evaluation)[0]!.shape,
    );
    expect(shape).toEqual([1, 3, 4, 16]);
  });
});

describe('Scale-MAE', () => {
  const positionsOf = (context: typeof CORRECTED, input: Partial<EncoderInput>): number[] => {
    const { encoder } = smallEncoder(scaleMae, small, context);
    const watch = observing();
    tf.tidy(
      () => void encoder.forward({ images: { optical: images(2, 16, 16, 3) }, ...input }, watch.context),
    );
    const table = watch.seen.get('pos_embed')!;
    const values = [table.shape[0]!, ...table.dataSync()];
    tf.dispose([...watch.seen.values()]);
    return values;
  };

  it('places patches by their metres a pixel; as published every image counts as 1 m', () => {
    const one = positionsOf(CORRECTED, { groundSamplingDistance: 1 });
    const ten = positionsOf(CORRECTED, { groundSamplingDistance: 10 });
    expect(ten).not.toEqual(one);
    expect(positionsOf(AS_PUBLISHED, { groundSamplingDistance: 10 })).toEqual(one);
    expect(positionsOf(AS_PUBLISHED, {})).toEqual(one);
    const [tables, ...both] = positionsOf(CORRECTED, { groundSamplingDistance: [1, 10] });
    expect(tables).toBe(2);
    expect(both).toEqual([...one.slice(1), ...ten.slice(1)]);
  });

  it.each([
    ['INPUT_MISSING', undefined],
    ['METADATA_INVALID', -10],
    ['METADATA_INVALID', Number.NaN],
    ['METADATA_INVALID', [1, 2, 3]],
  ] as const)('refuses with %s the distance %s', (code, given) => {
    const input = given === undefined ? {} : { groundSamplingDistance: given };
    expect(() => positionsOf(CORRECTED, input)).toThrow(
      expect.objectContaining({ code, where: 'groundSamplingDistance' }),
    );
  });
});

describe('SpectralGPT', () => {
  const hyperparameters = { ...small, bandCount: 6, imageSize: [16, 16] };

  it('puts the channels of its band groups behind each other, for images of any size', () => {
    const { encoder } = smallEncoder(spectralGpt, hyperparameters);
    const input = { images: { optical: images(2, 24, 16, 6) } };
    expect(encoder.features).toEqual([
      { channels: 32, stride: 8 },
      { channels: 32, stride: 8 },
    ]);
    expect(tf.tidy(() => encoder.forward(input, evaluation)[1]!.shape)).toEqual([2, 3, 2, 32]);
    expect(tf.tidy(() => encoder.embed!(input, evaluation).shape)).toEqual([2, 16]);
    tf.dispose(input.images.optical);
  });

  it('refuses bands that make no whole group', () => {
    expect(() => smallEncoder(spectralGpt, { ...hyperparameters, bandCount: 7 })).toThrow(
      expect.objectContaining({ code: 'HYPERPARAMETERS_INVALID' }),
    );
  });
});

describe('DINOv3', () => {
  const hyperparameters = {
    ...{ patchSize: 8, width: 32, depth: 3, heads: 4, outputLayers: [2] },
    layout: 'meta',
  };
  const file = path.join(fixtures, 'timm_dinov3_vit_meta_keys/weights.pth');

  it('turns by the periods of the file, and by computed ones as timm does', async () => {
    const corrected = smallEncoder(dinov3Vit, hyperparameters, CORRECTED);
    await loadWeights(file, corrected.store, 'model', dinov3Vit.weights(hyperparameters, CORRECTED));
    const stored = corrected.parameter('rope_embed/periods')!;
    const computed = rotaryPeriods(8, 100);
    expect(stored.role).toBe('constant');
    // bfloat16 has 8 bits: 1 stays, 10 stays
    expect([...stored.variable.dataSync()]).toEqual([1, 10]);
    for (const [i, period] of computed.entries()) expect([1, 10][i]).toBeCloseTo(period, 5);
    const published = smallEncoder(dinov3Vit, hyperparameters, AS_PUBLISHED);
    expect(published.parameter('rope_embed/periods')).toBeUndefined();
  });

  it('has zeros for the biases of keys, which the file masks', () => {
    const [rule] = dinov3Vit.weights({ ...hyperparameters, qkvBias: true }).adapt!;
    expect('blocks.0.attn.qkv.bias').toMatch(rule!.match);
    const given = { data: Float32Array.from([1, 2, 3, 4, 5, 6]), shape: [6] };
    expect([...rule!.adapt(given, [6]).data]).toEqual([1, 2, 0, 0, 5, 6]);
  });

  it('has a gated perceptron whose width is rounded up', () => {
    const gated = { ...hyperparameters, mlpRatio: 1.5, gatedMlp: { multipleOf: 20 } };
    const { parameter } = smallEncoder(dinov3Vit, gated);
    expect(parameter('blocks/0/mlp/fc1_g/kernel')!.variable.shape).toEqual([32, 60]);
  });

  it('refuses heads that cannot be turned', () => {
    expect(() => smallEncoder(dinov3Vit, { ...hyperparameters, heads: 16 })).toThrow(
      expect.objectContaining({ code: 'HYPERPARAMETERS_INVALID' }),
    );
  });
});
