import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { selectBands } from '../../src/encoders/adapt-bands.js';
import { AS_PUBLISHED, CORRECTED } from '../../src/encoders/define-encoder.js';
import type { AcquisitionTime, EncoderInput } from '../../src/encoders/encoder.js';
import { loadWeights } from '../../src/encoders/load-weights.js';
import { prithvi } from '../../src/encoders/prithvi.js';
import { spaceTimePositions } from '../../src/encoders/prithvi/positions.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor5D } from '../../src/engine/tf.js';
import { unreachedParameters } from '../support/encoder-gradients.js';
import { smallEncoder } from '../support/encoders.js';
import { root } from '../support/needs.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const fixtures = path.join(root, 'test/fixtures/parity/encoder');
const small = {
  ...{ bandCount: 3, imageSize: [16, 24], patchSize: 8, dates: 2, width: 16, depth: 2, heads: 2 },
  outputLayers: [0, 1],
};
const knowing = { ...small, coordinates: ['time', 'location'] };
const evaluation = { training: false };
const series = (dates: number, height = 16, width = 24): Tensor5D =>
  tf.randomNormal([2, dates, height, width, 3], 0, 1, 'float32', 7) as Tensor5D;
const day = (dayOfYear: number): AcquisitionTime => ({ year: 2021, dayOfYear });
const known = {
  times: [
    [day(1), day(200)],
    [day(60), day(61)],
  ],
  places: [
    { latitude: 47.4, longitude: 8.5 },
    { latitude: -23.6, longitude: -46.7 },
  ],
};

/** Values of the last feature. */
function run(
  hyper: object,
  rest: Omit<EncoderInput, 'images'> = {},
  context = CORRECTED,
  dates = 2,
): Float32Array {
  const { encoder } = smallEncoder(prithvi, { ...hyper }, context);
  return tf.tidy(
    () =>
      encoder
        .forward({ images: { optical: series(dates) }, ...rest }, evaluation)
        .at(-1)!
        .dataSync() as Float32Array,
  );
}

describe('Prithvi', () => {
  it.each([
    ['kept', 2, 1, [2, 2, 2, 3, 16], 16],
    ['kept', 1, 1, [2, 2, 3, 16], 16],
    ['in-channels', 2, 1, [2, 2, 3, 32], 32],
    ['in-channels', 4, 2, [2, 2, 3, 32], 32],
  ])(
    'gives maps with the time axis %s, of %i dates, %i in a patch',
    (timeAxis, dates, datesPerPatch, shape, channels) => {
      const { encoder } = smallEncoder(prithvi, { ...small, timeAxis, dates, datesPerPatch });
      const optical = series(dates);
      const before = tf.memory().numTensors;
      const maps = tf.tidy(() => encoder.forward({ images: { optical } }, evaluation));
      expect(maps.map((map) => map.shape)).toEqual([shape, shape]);
      expect(encoder.features[0]).toEqual({ channels, stride: 8 });
      expect(tf.memory().numTensors).toBe(before + 2);
      tf.dispose([maps, optical]);
    },
  );

  it('refuses another number of dates and images without a patch', () => {
    const forward = (image: Tensor5D): unknown => {
      const { encoder } = smallEncoder(prithvi, small);
      return tf.tidy(() => encoder.forward({ images: { optical: image } }, evaluation)[0]!.shape);
    };
    expect(() => forward(series(3))).toThrow(expect.objectContaining({ code: 'TIME_STEPS' }));
    expect(() => forward(series(2, 7, 24))).toThrow(expect.objectContaining({ code: 'IMAGE_TOO_SMALL' }));
    expect(forward(series(2, 32, 9))).toEqual([2, 4, 1, 32]);
  });

  it('needs the dates and places that it was trained with, unless they may be left out', () => {
    const thrown = (rest: Omit<EncoderInput, 'images'>): unknown => {
      try {
        return run(knowing, rest);
      } catch (caught) {
        return caught;
      }
    };
    expect(thrown({ places: known.places })).toMatchObject({ code: 'INPUT_MISSING', where: 'times' });
    expect(thrown({ times: known.times })).toMatchObject({ code: 'INPUT_MISSING', where: 'places' });
    expect(
      thrown({
        ...known,
        times: [
          [day(1), day(2)],
          [day(0), day(2)],
        ],
      }),
    ).toMatchObject({
      code: 'METADATA_INVALID',
      where: 'times[1][0]',
    });
    expect(thrown({ ...known, times: known.times.slice(1) })).toMatchObject({ code: 'METADATA_INVALID' });
    const metres = { latitude: 5_250_000, longitude: 465_000 };
    expect(thrown({ ...known, places: [known.places[0]!, metres] })).toMatchObject({
      code: 'METADATA_INVALID',
      where: 'places[1]',
    });
    const lenient = { ...knowing, missingMetadata: 'leave-out' };
    expect(run(lenient)).toEqual(run(small));
    expect(run(lenient, known)).not.toEqual(run(small));
  });

  it('gives all tokens of a patch the mean of its dates; under the fault each date a share of them', () => {
    const hyper = { ...small, coordinates: ['time'], datesPerPatch: 2 };
    const times = (first: number, second: number): AcquisitionTime[][] => [
      [day(first), day(second)],
      [day(1), day(1)],
    ];
    const mean = run(hyper, { times: times(10, 20) });
    const swapped = run(hyper, { times: times(20, 10) });
    // the same sum in another order
    for (const [i, value] of mean.entries()) expect(swapped[i]).toBeCloseTo(value, 4);
    const shares = run(hyper, { times: times(10, 20) }, AS_PUBLISHED);
    expect(Math.max(...shares.map((value, i) => Math.abs(value - mean[i]!)))).toBeGreaterThan(1e-3);
    // with one date there is nothing to divide
    expect(run(hyper, { times: times(10, 10) }, AS_PUBLISHED)).toEqual(run(hyper, { times: times(10, 10) }));
  });

  it('keeps the stored table of its own size and computes it for other numbers of dates', async () => {
    const hyper = (dates: number) => ({
      ...{ imageSize: [32, 32], patchSize: 8, width: 32, depth: 2, heads: 4, dates },
      ...{ positions: 'stored', finalNorm: 'none', outputLayers: [1] },
    });
    const file = path.join(fixtures, 'pb_prithvi_1frame/weights.pt');
    const tableFor = async (dates: number): Promise<Float32Array> => {
      const { store, parameter } = smallEncoder(prithvi, hyper(dates));
      await loadWeights(file, store, 'model', prithvi.weights(hyper(dates)));
      return parameter('pos_embed')!.variable.dataSync() as Float32Array;
    };
    expect(await tableFor(1)).toEqual(spaceTimePositions(32, [1, 4, 4]));
    expect(await tableFor(3)).toEqual(spaceTimePositions(32, [3, 4, 4]));
    // a table of the model's size is taken as it is, whatever it holds
    const given = { data: new Float32Array(49 * 32).fill(1), shape: [1, 49, 32] };
    const rule = prithvi.weights(hyper(3)).adapt!.find(({ match }) => match.test('pos_embed'))!;
    expect(rule.adapt(given, given.shape)).toBe(given);
  });

  it('draws the patch embedding anew in change detection, under the fault alone', async () => {
    const hyper = {
      ...{ imageSize: [32, 32], patchSize: 8, width: 32, depth: 2, heads: 4, positions: 'stored' },
      ...{ finalNorm: 'none', outputLayers: [1], inChangeDetection: true },
    };
    const file = path.join(fixtures, 'pb_prithvi_1frame/weights.pt');
    const load = async (context = CORRECTED, changes = {}) => {
      const given = { ...hyper, ...changes };
      const { store } = smallEncoder(prithvi, given, context);
      return loadWeights(file, store, 'model', prithvi.weights(given, context));
    };
    expect((await load()).missing).toEqual([]);
    expect((await load(AS_PUBLISHED, { inChangeDetection: false })).missing).toEqual([]);
    const redrawn = await load(AS_PUBLISHED);
    expect(redrawn.missing).toEqual(['patch_embed.proj.weight', 'patch_embed.proj.bias']);
    expect(redrawn.unused).toContain('patch_embed.proj.weight');
  });

  it('moves the weights of bands by name, and draws those of new bands within the bound', () => {
    // 2 outputs, 2 bands of 3 taps
    const given = { data: Float32Array.from({ length: 12 }, (_, i) => i + 10), shape: [2, 2, 1, 1, 3] };
    const to = ['B', 'NEW', 'A'];
    const { data, shape } = selectBands(given, [2, 3, 1, 1, 3], { from: ['A', 'B'], to });
    expect(shape).toEqual([2, 3, 1, 1, 3]);
    expect([...data.subarray(0, 3), ...data.subarray(6, 9)]).toEqual([13, 14, 15, 10, 11, 12]);
    expect([...data.subarray(9, 12), ...data.subarray(15)]).toEqual([19, 20, 21, 16, 17, 18]);
    // ±√(6 / (3 bands · 3 taps + 2 outputs))
    const drawn = [...data.subarray(3, 6), ...data.subarray(12, 15)];
    expect(drawn.every((value) => Math.abs(value) <= Math.sqrt(6 / 11) && value !== 0)).toBe(true);
    expect(new Set(drawn).size).toBe(6);
    const last = selectBands({ data: given.data, shape: [2, 6] }, [2, 3], {
      ...{ from: ['A', 'B'], to: ['B'], order: 'band-last' },
    });
    expect([...last.data]).toEqual([11, 13, 15, 17, 19, 21]);
    // a file with another number of bands is left for the check of shapes
    expect(selectBands(given, [2, 3, 1, 1, 5], { from: ['A', 'B'], to })).toBe(given);
  });

  it('is trained in all its learned parameters', () => {
    const { encoder, store } = smallEncoder(prithvi, knowing);
    expect(unreachedParameters(encoder, store, { images: { optical: series(2) }, ...known })).toEqual([]);
  });
});
