import { afterEach, describe, expect, it } from 'vitest';
import { clay } from '../../src/encoders/clay.js';
import { groundPositions, metadataOf } from '../../src/encoders/clay/positions.js';
import { CORRECTED } from '../../src/encoders/define-encoder.js';
import type { BuildContext, EncoderInput } from '../../src/encoders/encoder.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { unreachedParameters } from '../support/encoder-gradients.js';
import { images, smallEncoder } from '../support/encoders.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const small = {
  ...{ patchSize: 8, width: 24, depth: 2, heads: 2, headWidth: 6, wavelengthPlanes: 16 },
  ...{ generatorHidden: 24, generatorTokens: 6, outputLayers: [0, 1] },
};
const evaluation = { training: false };
const only = (id: string): BuildContext => ({ isFaultOn: (fault) => fault === id });

/** Values of the first feature for one modality of two bands. */
function run(
  rest: Omit<EncoderInput, 'images'>,
  context: BuildContext = CORRECTED,
  wavelengthsNm = [490, 842],
  options: object = {},
): number[] {
  const { encoder } = smallEncoder(clay, { ...small, ...options }, context);
  const x = { images: { x: images(2, 16, 24, 2) }, wavelengths: { x: wavelengthsNm } };
  return tf.tidy(() => Array.from(encoder.forward({ ...x, ...rest }, evaluation)[0]!.dataSync()));
}

describe('Clay', () => {
  it('encodes any bands of images that need not be square, and frees all but its maps', () => {
    const { encoder } = smallEncoder(clay, small);
    const input = {
      images: { optical: images(2, 16, 24, 3), sar: images(2, 16, 24, 2) },
      wavelengths: { optical: [490, 560, 665], sar: [5.55e7, 5.55e7] },
      groundSamplingDistance: 10,
    };
    const before = tf.memory().numTensors;
    const maps = tf.tidy(() => encoder.forward(input, evaluation));
    expect(maps.map(({ shape }) => shape)).toEqual([
      [2, 2, 3, 24],
      [2, 2, 3, 24],
    ]);
    expect(tf.memory().numTensors).toBe(before + 2);
  });

  it('needs metres a pixel, and sees dates and places where there are any', () => {
    expect(() => run({})).toThrow(
      expect.objectContaining({ code: 'INPUT_MISSING', where: 'groundSamplingDistance' }),
    );
    const gsd = { groundSamplingDistance: 10 };
    const times = [[{ year: 2021, dayOfYear: 100, hour: 10 }], [{ year: 2021, dayOfYear: 300 }]];
    const places = [
      { latitude: 47, longitude: 8 },
      { latitude: -3, longitude: 30 },
    ];
    expect(run({ ...gsd, times })).not.toEqual(run(gsd));
    expect(run({ ...gsd, places })).not.toEqual(run(gsd));
    expect(run({ groundSamplingDistance: [10, 10] })).toEqual(run(gsd));
    expect(run({ groundSamplingDistance: [10, 20] })).not.toEqual(run(gsd));
    expect(() => run({ groundSamplingDistance: -1 })).toThrow(
      expect.objectContaining({ code: 'METADATA_INVALID' }),
    );
    expect(() => run({ ...gsd, times: [[times[0]![0]!]] })).toThrow(
      expect.objectContaining({ code: 'METADATA_INVALID', where: 'times' }),
    );
  });

  it('takes every image for one of 1 m, without date and place, under the fault', () => {
    const known = { groundSamplingDistance: 10, places: [0, 1].map((n) => ({ latitude: n, longitude: n })) };
    const published = run(known, only('clay/no-metadata'));
    expect(published).toEqual(run({}, only('clay/no-metadata')));
    expect(published).toEqual(run({ groundSamplingDistance: 1 }));
    expect(published).not.toEqual(run(known));
  });

  it('embeds radar bands under what they were trained with, and under their frequency where the fault is on', () => {
    const gsd = { groundSamplingDistance: 10 };
    const radar = [5.55e7, 5.55e7];
    expect(run(gsd, CORRECTED, radar)).toEqual(run(gsd, CORRECTED, [3500, 4000]));
    expect(run(gsd, only('clay/radar-frequency-as-wavelength'), radar)).toEqual(
      run(gsd, CORRECTED, radar, { radarStandInsNm: [5405] }),
    );
  });

  it.each([
    // ISO 8601: the first week holds the year's first Thursday
    [2021, 1, 53],
    [2021, 4, 1],
    [2020, 366, 53],
    [2018, 1, 1],
    [2024, 366, 1],
  ])('counts day %2$i of %1$i to week %3$i', (year, dayOfYear, week) => {
    const [sine, cosine, ...rest] = metadataOf({ year, dayOfYear }, undefined);
    expect(sine).toBeCloseTo(Math.sin((week / 52) * 2 * Math.PI), 12);
    expect(cosine).toBeCloseTo(Math.cos((week / 52) * 2 * Math.PI), 12);
    expect(rest).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('gives hour and place as sines and cosines', () => {
    const [, , hourSine, hourCosine, ...place] = metadataOf(
      { year: 2020, dayOfYear: 1, hour: 6 },
      { latitude: 30, longitude: -90 },
    );
    expect([hourSine, hourCosine!]).toEqual([1, expect.closeTo(0, 12)]);
    expect(place).toEqual(
      [0.5, Math.sqrt(3) / 2, -1, 0].map((value) => expect.closeTo(value, 12) as unknown),
    );
  });

  it('has positions whose frequencies are all close to the metres a pixel', () => {
    const table = groundPositions(16, [2, 3], 10);
    // patch 5 is row 1, column 2; the first frequency is 10, the last 10 / 10000^(2 / 16)
    const at = 5 * 16;
    expect(table[at]).toBeCloseTo(Math.sin(20), 5);
    expect(table[at + 3]).toBeCloseTo(Math.sin(20 / 10_000 ** (2 / 16)), 5);
    expect(table[at + 8]).toBeCloseTo(Math.sin(10), 5);
    expect(table[at + 12]).toBeCloseTo(Math.cos(10), 5);
  });

  it('is trained in all its learned parameters', () => {
    const { encoder, store } = smallEncoder(clay, small);
    const input = { images: { x: images(1, 16, 16, 2) }, wavelengths: { x: [490, 842] } };
    expect(unreachedParameters(encoder, store, { ...input, groundSamplingDistance: 10 })).toEqual([]);
  });
});
