import { describe, expect, it } from 'vitest';
import { fillInvalid } from '../../src/preprocessing/fill-invalid.js';
import { geobench2Normalize } from '../../src/preprocessing/geobench2-normalizers.js';
import { matchBands } from '../../src/preprocessing/match-bands.js';
import { minMax, noNormalization, zScore } from '../../src/preprocessing/normalizers.js';
import { percentileClip } from '../../src/preprocessing/percentile-clip.js';
import { preprocess, restoreSample } from '../../src/preprocessing/preprocess.js';
import { sarAsRgb } from '../../src/preprocessing/sar-as-rgb.js';
import { measureStatistics, statisticsOf } from '../../src/preprocessing/statistics.js';
import { codeOf, dataset, image, sample, values } from './sample.js';

const quiet = { checkInput: false } as const;
const two = image({ data: [10, 100, 20, 300], height: 1, width: 2, bands: ['red', 'nir'] });
const statistics = {
  optical: {
    bands: ['green', 'nir', 'red'],
    mean: [1, 200, 15],
    std: [1, 50, 5],
    min: [0, 0, 10],
    max: [1, 400, 30],
  },
};

describe('normalisers', () => {
  it('take the statistics of each band by its name, not by its place', () => {
    const { optical } = preprocess(sample({ optical: two }), [zScore({ statistics })], quiet).images;
    expect([...optical!.data]).toEqual([-1, -2, 1, 2]);
    expect(optical!.normalization).toEqual({ by: 'z-score', expects: 'standard' });
  });

  it('use the statistics of the manifest where none are given', () => {
    const mados = dataset('mados');
    const { mean, std } = mados.manifest.modalities.optical!.statistics[0]!;
    const b8a = image({ data: [mean![8]! + 2 * std![8]!], height: 1, width: 1, bands: ['B8A'] });
    const { optical } = preprocess(sample({ optical: b8a }), [zScore()], { dataset: mados, ...quiet }).images;
    expect(optical!.data[0]).toBeCloseTo(2, 5); // float32
    expect(statisticsOf(mados.manifest).optical!.mean).toEqual(mean);
  });

  it('use those of another band where the reference does and that known fault is on', () => {
    const radar = image({ data: [0, 0], height: 1, width: 1, bands: ['VH', 'VV'] });
    const shifted = (isOn: boolean) =>
      preprocess(sample({ s1: radar }), [zScore()], {
        dataset: dataset('gb2-so2sat', { 'band-names': isOn }),
        ...quiet,
      }).images.s1!.data;
    expect(shifted(true)[0]).toBeCloseTo(2.9148337489459664e-5 / 0.5443007946014404, 9);
    expect(shifted(false)[0]).toBeCloseTo(2.4043731173151173e-5 / 0.21561050415039062, 9);
  });

  it('can have statistics of each date', () => {
    const series = image({ data: [1, 2, 3], timeCount: 3, height: 1, width: 1, bands: ['red'] });
    const dated = { optical: { bands: ['red'], mean: [[1], [1], [1]], std: [[1], [2], [4]] } };
    const { optical } = preprocess(
      sample({ optical: series }),
      [zScore({ statistics: dated })],
      quiet,
    ).images;
    expect([...optical!.data]).toEqual([0, 0.5, 0.5]);
    const two = { optical: { bands: ['red'], mean: [[1], [1]], std: [[1], [2]] } };
    expect(codeOf(() => preprocess(sample({ optical: series }), [zScore({ statistics: two })]))).toBe(
      'STEP_OPTION',
    );
  });

  it('refuse a band or a modality without statistics: nothing is scaled by default', () => {
    const blue = image({ data: [10_000], height: 1, width: 1, bands: ['blue'] });
    expect(codeOf(() => preprocess(sample({ optical: blue }), [zScore({ statistics })]))).toBe(
      'STATISTICS_MISSING',
    );
    expect(codeOf(() => preprocess(sample({ radar: two }), [minMax({ statistics })]))).toBe(
      'STATISTICS_MISSING',
    );
    expect(codeOf(() => preprocess(sample({ optical: blue }), [zScore()]))).toBe('STATISTICS_MISSING');
  });

  it('leave the mask, and only shift a band of spread 0', () => {
    const valid = Uint8Array.from([1, 0, 1, 1]);
    const flat = { optical: { bands: ['red', 'nir'], mean: [15, 100], std: [0, 50] } };
    const masked = preprocess(sample({ optical: { ...two, valid } }), [zScore({ statistics: flat })], quiet);
    expect([...masked.images.optical!.data]).toEqual([-5, 0, 5, 4]);
    expect(masked.images.optical!.valid).toBe(valid);
  });

  it('map the least and the greatest onto a range, and do not clip', () => {
    const at = (range: [number, number]) => [
      ...preprocess(sample({ optical: two }), [minMax({ statistics, range })], quiet).images.optical!.data,
    ];
    expect(at([0, 1])).toEqual([0, 0.25, 0.5, 0.75]);
    expect(at([-1, 1])).toEqual([-1, -0.5, 0, 0.5]);
  });

  it('can be undone', () => {
    for (const step of [
      zScore({ statistics, epsilon: 0.5 }),
      minMax({ statistics, range: [-2, 3] }),
      noNormalization(),
    ]) {
      const there = preprocess(sample({ optical: two }), [step], quiet);
      const back = restoreSample(there, [step]).images.optical!;
      expect(back.normalization).toBeUndefined();
      for (const [place, value] of two.data.entries()) expect(back.data[place]).toBeCloseTo(value, 4); // float32 of 300
    }
  });
});

describe('the percentile clip', () => {
  it('clips each band to its own percentiles over valid pixels', () => {
    const data = Array.from({ length: 101 }, (_, at) => at * 10);
    const valid = Uint8Array.from(data, (_, at) => (at === 100 ? 0 : 1));
    const band = image({ data, valid, height: 1, width: 101, bands: ['red'] });
    const clipped = preprocess(sample({ optical: band }), [
      percentileClip({ low: 0, high: 50, range: null }),
    ]);
    // the median of 0, 10, … 990 is 495
    expect(Math.max(...clipped.images.optical!.data)).toBe(495);
    const { optical } = preprocess(
      sample({ optical: band }),
      [percentileClip({ low: 0, high: 50 })],
      quiet,
    ).images;
    expect(optical!.data[0]).toBe(0);
    expect(optical!.data[60]).toBe(1);
    expect(optical!.data[33]).toBeCloseTo(330 / 495, 6);
  });

  it('refuses percentiles that are none', () => {
    expect(codeOf(() => percentileClip({ low: 98, high: 2 }))).toBe('STEP_OPTION');
  });
});

describe('the normalisers of GEO-Bench-2', () => {
  const one = image({ data: [-5, 0, 10, 30], height: 1, width: 4, bands: ['red'] });
  const table = { optical: { bands: ['red'], mean: [10], std: [5] } };
  const run = (
    options: Omit<Parameters<typeof geobench2Normalize>[0], 'statistics'>,
    mode?: 'as-published',
  ) => {
    const step = geobench2Normalize({ ...options, statistics: table });
    return [
      ...preprocess(sample({ optical: one }), [step], { ...quiet, ...(mode && { mode }) }).images.optical!
        .data,
    ];
  };
  const clip = { min: { optical: -5 }, max: { optical: 15 } };

  it('shift limits below zero, rescale, and standardise', () => {
    expect(run({ kind: 'rescale', clip })).toEqual([0, 0.25, 0.75, 1]);
    expect(run({ kind: 'rescale', clip, range: [-1, 1] })).toEqual([-1, -0.5, 0.5, 1]);
    expect(run({ kind: 'clip', clip })).toEqual([-5, 0, 10, 15]);
    const standard = run({ kind: 'clip-z-score', clip });
    // mean (10 + 5) / 20, spread 5 / 20
    for (const [at, value] of [0, 0.25, 0.75, 1].entries())
      expect(standard[at]).toBeCloseTo((value - 0.75) / 0.25, 4);
    const satmae = run({ kind: 'satmae' }); // 0 … 20
    for (const [at, value] of [0, 0, 0.5, 1].entries()) expect(satmae[at]).toBeCloseTo(value, 6);
  });

  it('as published look limits up under another name, and give NaN', () => {
    expect(run({ kind: 'rescale', clip }, 'as-published')).toEqual([NaN, NaN, NaN, NaN]);
    const named = { min: { image: -5 }, max: { image: 15 } };
    expect(run({ kind: 'rescale', clip: named }, 'as-published')).toEqual([0, 0.25, 0.75, 1]);
    expect(codeOf(() => run({ kind: 'rescale' }))).toBe('STATISTICS_MISSING');
  });

  it('leave bands that are fill values alone', () => {
    const steps = [
      matchBands({ bands: { optical: ['red', 7] } }),
      geobench2Normalize({ kind: 'z-score', statistics: table }),
    ];
    const { optical } = preprocess(sample({ optical: one }), steps, quiet).images;
    expect(optical!.bands).toEqual(['red', 'fill-1']);
    expect([...optical!.data].filter((_, at) => at % 2 === 1)).toEqual([7, 7, 7, 7]);
  });
});

describe('filling', () => {
  it('writes a number where nothing was measured, keeps the mask, and leaves bands of zeros alone', () => {
    const gap = image({ data: [1, Number.NaN], height: 1, width: 2, bands: ['red'] });
    const steps = [matchBands({ bands: { optical: ['red', 9] } }), fillInvalid({ value: -3 })];
    const { optical } = preprocess(sample({ optical: gap }), steps).images;
    expect([...optical!.data]).toEqual([1, 9, -3, 9]);
    expect([...optical!.valid!]).toEqual([1, 0, 0, 0]);
    const open = preprocess(sample({ optical: gap }), [fillInvalid({ keepsMask: false })]).images.optical!;
    expect([...open.data, open.valid]).toEqual([1, 0, null]);
  });
});

describe('statistics of samples', () => {
  it('are those of all valid pixels together, in parts as in one', async () => {
    const parts = [
      sample(
        { optical: image({ data: [1, 5, 3, 7], height: 1, width: 2, bands: ['a', 'b'] }) },
        values([[1, 2]]),
      ),
      sample(
        { optical: image({ data: [Number.NaN, 9], height: 1, width: 1, bands: ['a', 'b'] }) },
        values([[6]]),
      ),
    ];
    const { images, target } = await measureStatistics(parts);
    expect(images.optical).toEqual({
      bands: ['a', 'b'],
      mean: [2, 7],
      std: [1, Math.sqrt(8 / 3)],
      min: [1, 5],
      max: [3, 9],
    });
    expect(target!.mean).toBe(3);
    expect(target!.std).toBeCloseTo(Math.sqrt(14 / 3), 12);
  });
});

describe('radar as red, green, blue', () => {
  it('is VV, VH, VV, from the modality that has them', () => {
    const radar = image({ data: [1, 2, 3, 4, 5, 6], height: 1, width: 2, bands: ['VH', 'VV', 'VV-VH'] });
    const { sar, optical } = preprocess(sample({ optical: two, sar: radar }), [sarAsRgb()]).images;
    expect(sar!.bands).toEqual(['red', 'green', 'blue']);
    expect([...sar!.data]).toEqual([2, 1, 2, 5, 4, 5]);
    expect(optical).toBe(two);
    expect(codeOf(() => preprocess(sample({ optical: two }), [sarAsRgb()]))).toBe('BANDS_MISSING');
  });
});
