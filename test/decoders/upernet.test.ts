import { afterEach, describe, expect, it } from 'vitest';
import { assembleDecoder, type DecoderParts } from '../../src/decoders/assemble-decoder.js';
import { necks } from '../../src/decoders/necks/registry.js';
import { rescaledPyramid } from '../../src/decoders/necks/rescaled-pyramid.js';
import { decoders } from '../../src/decoders/registry.js';
import {
  siameseConcat,
  siameseDifference,
  temporalLinear,
  temporalLtae,
  temporalMean,
} from '../../src/decoders/temporal/fusions.js';
import type { BuildFusion } from '../../src/decoders/temporal/temporal-fusion.js';
import { unetPangaea } from '../../src/decoders/unet-pangaea.js';
import { upernet } from '../../src/decoders/upernet.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor, type Tensor4D, type Tensor5D } from '../../src/engine/tf.js';
import type { FeatureSpec } from '../../src/encoders/encoder.js';
import { ltae } from '../../src/layers/ltae.js';
import {
  createScope,
  createShapeScope,
  ParameterStore,
  type ParameterShape,
  type Scope,
} from '../../src/layers/parameters.js';
import { createRandom } from '../../src/random.js';
import { sizeOf } from '../../src/shapes.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const EVALUATION = { training: false };
const attention: BuildFusion = (scope, features) => temporalLtae(scope, features);
const learned = (build: (scope: Scope) => unknown): number => {
  const shapes: ParameterShape[] = [];
  build(createShapeScope(shapes));
  return shapes.filter(({ role }) => role !== 'statistic').reduce((sum, { shape }) => sum + sizeOf(shape), 0);
};
const plain = (width: number, count = 4): FeatureSpec[] =>
  Array.from({ length: count }, () => ({ channels: width, stride: 16 }));
const pyramid = (widths: readonly number[], finest = 4): FeatureSpec[] =>
  widths.map((channels, level) => ({ channels, stride: finest * 2 ** level }));
const count = (features: FeatureSpec[], parts: Partial<DecoderParts> = {}): number =>
  learned((scope) => assembleDecoder(scope, { features, decoder: upernet, classCount: 2, ...parts }));

describe("parameters of PANGAEA's decoders", () => {
  it.each([
    [768, 39_344_898],
    [1024, 46_948_354],
    [384, 30_888_834],
    [3072, 164_399_106],
  ])('UPerNet behind four maps of %d channels has %d', (width, expected) => {
    expect(count(plain(width))).toBe(expected);
  });

  it('UPerNet behind pyramids has no neck', () => {
    // GFM's last two maps have one size
    const gfm = [8, 16, 32, 32].map((stride, level) => ({
      channels: [256, 512, 1024, 1024][level]!,
      stride,
    }));
    expect(count(gfm)).toBe(33_704_962);
    expect(count(pyramid([128, 256, 512, 1024]))).toBe(33_246_210);
  });

  it('concatenation of two dates doubles the channels of the neck', () => {
    const two = { fusion: siameseConcat, dateCount: 2 };
    expect(count(plain(768), two)).toBe(66_873_858);
    expect(count(plain(1024), two)).toBe(93_090_818);
    expect(count(plain(768), { fusion: siameseDifference, dateCount: 2 })).toBe(count(plain(768)));
  });

  it.each([
    [384, 322_688],
    [768, 1_235_072],
    [1024, 2_171_008],
    [3072, 19_095_680],
  ])('L-TAE over %d channels has %d', (width, expected) => {
    const options = { inChannels: width, modelWidth: width, widths: [width], positions: false };
    expect(learned((scope) => ltae(scope, options))).toBe(expected);
    expect(count(plain(width), { fusion: attention, dateCount: 6 })).toBe(count(plain(width)) + expected);
    expect(count(plain(width), { fusion: temporalLinear, dateCount: 6 })).toBe(count(plain(width)) + 7);
  });
});

/** Maps of an image of 64 × 96 pixels: with a time axis where there are dates. */
const mapsOf = (features: readonly FeatureSpec[], dates?: number): (Tensor4D | Tensor5D)[] =>
  features.map(
    ({ channels, stride }) =>
      tf.randomNormal(
        [2, ...(dates === undefined ? [] : [dates]), 64 / stride, 96 / stride, channels] as [
          number,
          number,
          number,
          number,
        ],
        0,
        1,
        'float32',
        7,
      ) as Tensor4D | Tensor5D,
  );
const size = { height: 64, width: 96 };
const SMALL = { upernet: { channels: 8 } } as const;
const partsOf = async (id: keyof typeof decoders, features: FeatureSpec[]): Promise<DecoderParts> => ({
  ...{ features, decoder: await decoders[id](), classCount: 3 },
  ...(id in SMALL && { hyperparameters: SMALL[id as keyof typeof SMALL] }),
});
const scopeOf = (): Scope => createScope(new ParameterStore(), createRandom(0));

describe('assembleDecoder', () => {
  it.each(Object.keys(necks) as (keyof typeof necks)[])('puts %s between where it is named', async (id) => {
    const neck = await necks[id]();
    const parts = await partsOf('upernet', plain(16));
    tf.tidy(() => {
      const decode = assembleDecoder(scopeOf(), { ...parts, neck });
      expect(decode.forward(mapsOf(parts.features), size, EVALUATION).shape).toEqual([2, 64, 96, 3]);
    });
  });

  it('leaves the neck away where none is wanted', () => {
    const without = count(plain(64), { neck: null });
    expect(count(plain(64)) - without).toBe(2 * (4 * 64 ** 2 + 64) + 2 * 64 + (4 * 64 ** 2 + 64));
  });

  it('asks for a fusion where maps have dates, takes those of one date as they are', async () => {
    const parts = await partsOf('upernet', plain(16));
    tf.tidy(() => {
      const decode = assembleDecoder(scopeOf(), parts);
      expect(() => decode.forward(mapsOf(parts.features, 3), size, EVALUATION)).toThrow(
        expect.objectContaining({ code: 'TIME_STEPS', hint: expect.stringContaining('temporal-linear') }),
      );
      const series = mapsOf(parts.features, 1);
      const maps = series.map((map) => tf.squeeze(map, [1]) as Tensor4D);
      const [a, b] = [series, maps].map((given) => decode.forward(given, size, EVALUATION).dataSync());
      expect(a).toEqual(b);
    });
  });

  it('names encoder, decoder and shapes where they do not fit', async () => {
    const parts = { ...(await partsOf('upernet', plain(16, 5))), encoder: 'deep' };
    expect(() => assembleDecoder(scopeOf(), parts)).toThrow(
      expect.objectContaining({
        code: 'DECODER_MISFIT',
        message: expect.stringMatching(
          /"upernet".*"deep".*\[batch, height \/ 16, width \/ 16, 16\].*5 feature maps/,
        ),
        hint: expect.stringContaining('four'),
      }),
    );
    expect(() => assembleDecoder(scopeOf(), { ...parts, task: 'multilabel' })).toThrow(
      expect.objectContaining({ code: 'DECODER_MISFIT', hint: expect.stringContaining('linear-head') }),
    );
    const decode = assembleDecoder(scopeOf(), { ...parts, features: plain(16, 2) });
    for (const [maps, message] of [
      [mapsOf(plain(16, 3)), /3 feature maps of encoder "deep", declared are 2/],
      [mapsOf(plain(12, 2)), /Feature 0 of encoder "deep" is \[2, 4, 6, 12\].*width \/ 16, 16\]/],
    ] as const)
      expect(() => decode.forward(maps, size, EVALUATION)).toThrow(
        expect.objectContaining({ code: 'DECODER_MISFIT', message: expect.stringMatching(message) }),
      );
  });

  it('gives every learned parameter a gradient', async () => {
    for (const [id, fusion] of [
      ['upernet', attention],
      ['upernet', temporalLinear],
      ['unet-pangaea', siameseConcat],
    ] as const) {
      const store = new ParameterStore();
      // 16 heads normalise 3 channels each: of one alone nothing would be left
      const specs = plain(48);
      const parts = { ...(await partsOf(id, specs)), fusion, dateCount: 2 };
      const decode = assembleDecoder(createScope(store, createRandom(0)), parts);
      const without = tf.tidy(() => {
        const maps = mapsOf(specs, 2);
        const { grads } = tf.variableGrads(() => tf.sum(tf.square(decode.forward(maps, size, EVALUATION))));
        const isZero = (gradient: Tensor | undefined): boolean =>
          !gradient || tf.max(tf.abs(gradient)).dataSync()[0] === 0;
        return store.all
          .filter(({ role, variable }) => role !== 'statistic' && isZero(grads[variable.name]))
          .map(({ name }) => name);
      });
      // a bias of the keys moves all scores of a head alike
      expect(without.filter((name) => name !== 'tmap/attention_heads/fc1_k/bias')).toEqual([]);
      store.dispose();
    }
  });
});

describe('temporal fusion', () => {
  const specs = plain(16, 2);

  it('linear weighs dates as its numbers say, mean weighs them alike', () => {
    tf.tidy(() => {
      const store = new ParameterStore();
      const fusion = temporalLinear(createScope(store, createRandom(0)), specs, { dateCount: 3 });
      store.assign(
        new Map([
          ['tmap/kernel', { data: Float32Array.of(1, -2, 4), shape: [3, 1] }],
          ['tmap/bias', { data: Float32Array.of(0.5), shape: [1] }],
        ]),
      );
      const series = mapsOf(specs, 3) as Tensor5D[];
      const [a, b, c] = tf.unstack(series[1]!, 1) as [Tensor, Tensor, Tensor];
      const expected = tf.add(tf.sub(tf.add(a, tf.mul(c, 4)), tf.mul(b, 2)), 0.5);
      const distance = (x: Tensor, y: Tensor): number => tf.max(tf.abs(tf.sub(x, y))).dataSync()[0]!;
      // float32 sums of three numbers below 5
      expect(distance(fusion.run(series, EVALUATION)[1]!, expected)).toBeLessThan(1e-5);
      const mean = temporalMean(scopeOf(), specs, { dateCount: 3 }).run(series, EVALUATION)[1]!;
      expect(distance(mean, tf.div(tf.addN([a, b, c]), 3))).toBeLessThan(1e-6);
    });
  });

  it('tells of series of another length', () => {
    for (const build of [temporalLinear, siameseConcat]) {
      const fusion = build(scopeOf(), specs, { dateCount: 3 });
      expect(() => tf.tidy(() => fusion.run(mapsOf(specs, 2) as Tensor5D[], EVALUATION))).toThrow(
        expect.objectContaining({ code: 'TIME_STEPS', where: 'features' }),
      );
    }
    expect(() => siameseDifference(scopeOf(), specs, { dateCount: 3 })).toThrow(
      expect.objectContaining({ code: 'TIME_STEPS', where: 'dateCount' }),
    );
  });
});

describe('decoders', () => {
  it('regression gives no values below 0, by a head of another name', () => {
    const store = new ParameterStore();
    const options = { features: pyramid([8, 8]), classCount: 1, hyperparameters: { channels: 8 } };
    const decode = upernet.build(createScope(store, createRandom(0)), { ...options, task: 'regression' });
    expect(store.all.map(({ name }) => name)).toContain('conv_reg/kernel');
    const lowest = tf.tidy(
      () => tf.min(decode(mapsOf(options.features) as Tensor4D[], size, EVALUATION)).dataSync()[0],
    );
    expect(lowest).toBe(0);
  });

  it("TerraTorch's UPerNet has 256 channels and no biases but the head's", () => {
    const shapes: ParameterShape[] = [];
    upernet.build(createShapeScope(shapes), {
      ...{ features: pyramid([8, 8]), classCount: 2, hyperparameters: { layout: 'terratorch' } },
    });
    expect(shapes.filter(({ role }) => role === 'bias').map(({ name }) => name)).toEqual([
      'head/head/2/bias',
    ]);
    expect(shapes.find(({ name }) => name === 'fpn_bottleneck/conv/kernel')!.shape).toEqual([3, 3, 512, 256]);
  });

  it('the U-Net pads maps of odd sizes up to the finer one', () => {
    const specs = pyramid([4, 8, 12], 1);
    tf.tidy(() => {
      const decode = unetPangaea.build(scopeOf(), { features: specs, classCount: 2 });
      const maps = [
        [13, 11, 4],
        [6, 5, 8],
        [3, 2, 12],
      ].map(([height, width, channels]) => tf.ones([1, height!, width!, channels!]) as Tensor4D);
      expect(decode(maps, { height: 13, width: 11 }, EVALUATION).shape).toEqual([1, 13, 11, 2]);
    });
  });

  it('tell which hyperparameter does not fit', () => {
    const build = (): unknown =>
      upernet.build(createShapeScope([]), {
        ...{ features: pyramid([8, 8]), classCount: 2, hyperparameters: { channels: 0 } },
      });
    expect(build).toThrow(
      expect.objectContaining({
        code: 'HYPERPARAMETERS_INVALID',
        message: expect.stringContaining('channels'),
      }),
    );
  });

  it('a rescaling neck takes known factors, one a map', () => {
    expect(() => rescaledPyramid(scopeOf(), plain(8, 5))).toThrow(
      expect.objectContaining({ code: 'FEATURE_COUNT' }),
    );
    expect(() => rescaledPyramid(scopeOf(), plain(8, 1), { factors: [3] })).toThrow(
      expect.objectContaining({ code: 'NECK_FACTOR', hint: expect.stringContaining('0.25') }),
    );
  });
});
