import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { CORRECTED } from '../../src/encoders/define-encoder.js';
import type { EncoderInput } from '../../src/encoders/encoder.js';
import { checkWeights } from '../../src/encoders/encode-image.js';
import { loadWeights } from '../../src/encoders/load-weights.js';
import { openEncoder } from '../../src/encoders/open-encoder.js';
import { presto } from '../../src/encoders/presto.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf, type Tensor5D } from '../../src/engine/tf.js';
import { readNpy } from '../../src/io/npy.js';
import { unreachedParameters } from '../support/encoder-gradients.js';
import { encoderSamples } from '../support/encoder-samples.js';
import { smallEncoder } from '../support/encoders.js';
import { sharedData } from '../support/shared-data.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const small = { width: 16, depth: 2, heads: 2, mlpRatio: 2 };
const evaluation = { training: false };
const noise = (...shape: [number, number, number, number, number]): Tensor5D =>
  tf.abs(tf.randomNormal(shape, 0, 1, 'float32', 7));
const monthly = (batch: number, months: readonly number[]): NonNullable<EncoderInput['times']> =>
  Array.from({ length: batch }, () =>
    months.map((month) => ({ year: 2021, dayOfYear: 15 + Math.floor(month * 30.4) })),
  );
const place = { latitude: 47.4, longitude: 8.5 };

describe('Presto', () => {
  it('encodes every pixel by itself, in pieces where there are many', () => {
    const { encoder } = smallEncoder(presto, small);
    const sar = noise(1, 2, 50, 45, 2); // 2250 pixels, more than one piece
    const input = { images: { sar }, times: monthly(1, [0, 1]), places: [place] };
    const before = tf.memory().numTensors;
    const [map] = tf.tidy(() => encoder.forward(input, evaluation));
    expect(map!.shape).toEqual([1, 50, 45, 16]);
    expect(encoder.features).toEqual([{ channels: 16, stride: 1 }]);
    expect(tf.memory().numTensors).toBe(before + 1);
    const corner = { ...input, images: { sar: tf.slice(sar, [0, 0, 49, 44, 0], [1, 2, 1, 1, 2]) } };
    const alone = tf.tidy(() => encoder.embed!(corner, evaluation).dataSync());
    const inMap = tf.tidy(() => tf.slice(map!, [0, 49, 44, 0], [1, 1, 1, 16]).dataSync());
    // products of another batch size add up in another order
    for (const [i, value] of alone.entries()) expect(inMap[i]).toBeCloseTo(value, 5);
  });

  it('takes whichever images there are, one date for all where one has one', () => {
    const { encoder } = smallEncoder(presto, small);
    const times = monthly(2, [4, 5, 6]);
    const run = (images: EncoderInput['images']): Float32Array =>
      tf.tidy(
        () =>
          encoder.embed!({ images, times, places: [place, place] }, evaluation).dataSync() as Float32Array,
      );
    const optical = noise(2, 3, 2, 3, 10);
    const srtm = noise(2, 1, 2, 3, 2);
    const classes = tf.fill([2, 3, 2, 3, 1], 4) as Tensor5D;
    const noClass = tf.fill([2, 3, 2, 3, 1], 9) as Tensor5D;
    expect(run({ optical, srtm })).not.toEqual(run({ optical }));
    expect(run({ optical, 'dynamic-world': classes })).not.toEqual(run({ optical }));
    expect(run({ optical, 'dynamic-world': noClass })).toEqual(run({ optical }));
  });

  it('names what a batch lacks', () => {
    const { encoder } = smallEncoder(presto, { ...small, maxDates: 4 });
    const thrown = (input: EncoderInput): unknown => {
      try {
        return tf.tidy(() => encoder.forward(input, evaluation).length);
      } catch (caught) {
        return caught;
      }
    };
    const images = { sar: noise(1, 2, 2, 2, 2) };
    const times = monthly(1, [0, 1]);
    expect(thrown({ images, times })).toMatchObject({ code: 'INPUT_MISSING', where: 'places' });
    expect(thrown({ images, places: [place] })).toMatchObject({ code: 'INPUT_MISSING', where: 'times' });
    expect(thrown({ images: {} })).toMatchObject({ code: 'MODALITIES' });
    const known = { times, places: [place] };
    expect(thrown({ images: { ...images, era5: noise(1, 2, 2, 3, 2) }, ...known })).toMatchObject({
      code: 'SHAPE_MISMATCH',
      where: 'images.era5',
    });
    expect(thrown({ images: { sar: noise(1, 5, 2, 2, 2) }, ...known })).toMatchObject({ code: 'TIME_STEPS' });
  });

  it('is trained in all its learned parameters that the images reach', () => {
    const { encoder, store } = smallEncoder(presto, small);
    const images = { sar: noise(1, 2, 2, 2, 2), optical: noise(1, 2, 2, 2, 10) };
    const unreached = unreachedParameters(encoder, store, {
      images,
      times: monthly(1, [0, 1]),
      places: [place],
    });
    // tokens of absent groups are masked, which stops their gradients with a factor of 0
    expect(unreached).toEqual([]);
  });

  // shared/data, beside the checkout; without it the run lists these as left out
  describe.skipIf(!sharedData.isMet)('with its published weights', () => {
    it.each(['fuel_moisture', 'algae_blooms'])(
      'gives the published vectors of the series of %s',
      async (set) => {
        const { encoder, store } = smallEncoder(presto, {}, CORRECTED);
        const file = sharedData.path('weights-presto/default_model.pt');
        const report = await loadWeights(file, store, 'model', presto.weights({}));
        expect([report.used.length, report.missing.length]).toEqual([50, 0]);
        const { input, expected } = await published(set);
        const vectors = tf.tidy(() => encoder.embed!(input, evaluation).arraySync() as number[][]);
        // float32 through two blocks, values up to 4.3: measured 2.4e-6
        for (const [sample, vector] of expected.entries())
          for (const [i, value] of vector.entries())
            expect(Math.abs(vectors[sample]![i]! - value)).toBeLessThan(1e-5);
      },
    );

    it('fits its manifest, and gives the same by its id', async () => {
      const file = sharedData.path('weights-presto/default_model.pt');
      expect(await checkWeights('presto', { file })).toMatchObject({ isPublished: true, missing: [] });
      const opened = await openEncoder('presto', { weights: file });
      const { input, expected } = await published('fuel_moisture');
      const vectors = await opened.embed(encoderSamples(input));
      for (const [sample, vector] of expected.entries())
        for (const [i, value] of vector.entries())
          expect(Math.abs(vectors[sample]![i]! - value)).toBeLessThan(1e-5);
      opened.dispose();
    });
  });
});

/** The first 8 series of a set, scaled as its source says, and what the reference makes of them. */
async function published(set: string): Promise<{ input: EncoderInput; expected: number[][] }> {
  const read = async (name: string) => readNpy(sharedData.path(`presto-series/${set}/${name}.npy`));
  const [series, landCover, latlon, month] = await Promise.all(
    ['s1_s2_era5_srtm', 'dynamic_world', 'latlon', 'month'].map(read),
  );
  const [, dates, bands] = series!.shape as [number, number, number];
  const samples = Array.from({ length: 8 }, (_, sample) => sample);
  // decibels + 25, reflectances, kelvin, metres: add, then divide
  const add = (band: number): number => (band < 2 ? 25 : band === 13 ? -272.15 : 0);
  const divide = (band: number): number =>
    [25, 25][band] ?? { 13: 35, 14: 0.03, 15: 2000, 16: 50 }[band] ?? 1e4;
  const image = (wanted: readonly number[]): Tensor5D =>
    tf.tensor5d(
      samples.flatMap((sample) =>
        Array.from({ length: dates }, (_, date) =>
          wanted.map((band) => {
            const value = Number(series!.data[(sample * dates + date) * bands + band]);
            return (value + add(band)) / divide(band);
          }),
        ).flat(),
      ),
      [8, dates, 1, 1, wanted.length],
    );
  const classes = samples.flatMap((sample) =>
    Array.from({ length: dates }, (_, date) => Number(landCover!.data[sample * dates + date])),
  );
  const all = JSON.parse(
    readFileSync(sharedData.path('weights-presto/embeddings_first8.json'), 'utf8'),
  ) as Record<string, number[][]>;
  return {
    input: {
      images: {
        sar: image([0, 1]),
        optical: image([2, 3, 4, 5, 6, 7, 8, 9, 11, 12]), // without B9
        era5: image([13, 14]),
        srtm: image([15, 16]),
        'dynamic-world': tf.tensor5d(classes, [8, dates, 1, 1, 1]),
      },
      // months follow the first one
      times: samples.map((sample) =>
        Array.from({ length: dates }, (_, date) => {
          const first = Number(month!.data[sample * dates]);
          const day = Date.UTC(2021, (first + date) % 12, 15) - Date.UTC(2021, 0, 1);
          return { year: 2021, dayOfYear: 1 + day / 86_400_000 };
        }),
      ),
      places: samples.map((sample) => ({
        latitude: Number(latlon!.data[2 * sample]),
        longitude: Number(latlon!.data[2 * sample + 1]),
      })),
    },
    expected: all[set]!,
  };
}
