import { describe, expect, it } from 'vitest';
import type { Sample } from '../../src/datasets/sample.js';
import { createRandom } from '../../src/random.js';
import { centerCrop } from '../../src/preprocessing/crop.js';
import { standardBounds } from '../../src/preprocessing/input-check.js';
import { matchBands } from '../../src/preprocessing/match-bands.js';
import { minMax, noNormalization, zScore } from '../../src/preprocessing/normalizers.js';
import {
  checkedInput,
  describeSteps,
  preprocess,
  restoreSample,
} from '../../src/preprocessing/preprocess.js';
import { padDates, selectDates } from '../../src/preprocessing/select-dates.js';
import type { InputWarning, PreprocessingStep } from '../../src/preprocessing/step.js';
import { restoreTarget, targetZScore } from '../../src/preprocessing/target-z-score.js';
import { codeOf, dataset, image, ramp, sample, values } from './sample.js';

const random = createRandom(3, 'preprocess');
/** Noise of one band around a mean. */
const noise = (mean: number, spread: number, band = 'B4'): Sample =>
  sample({
    optical: image({
      data: Array.from({ length: 900 }, () => mean + spread * random.normal()),
      height: 30,
      width: 30,
      bands: [band],
    }),
  });
const statistics = { optical: { bands: ['B4'], mean: [1000], std: [200], min: [0], max: [2000] } };

describe('a list of steps', () => {
  it('is applied in order, on a copy, and described as JSON', () => {
    const whole = sample({ optical: ramp(4, 4) });
    const steps = [centerCrop({ size: 2 }), noNormalization()];
    const result = preprocess(whole, steps);
    expect([...result.images.optical!.data]).toEqual([5, 6, 9, 10]);
    expect(whole.images.optical!.height).toBe(4);
    const described = describeSteps(steps);
    expect(described).toEqual([
      { name: 'center-crop', options: { size: { height: 2, width: 2 } } },
      { name: 'none', options: { modalities: null } },
    ]);
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
  });

  it('takes a step of one’s own', () => {
    const negate: PreprocessingStep = {
      name: 'negate',
      options: {},
      isRandom: false,
      apply: (given) => ({
        ...given,
        images: Object.fromEntries(
          Object.entries(given.images).map(([name, own]) => [
            name,
            { ...own, data: own.data.map((x) => -x) },
          ]),
        ) as Sample['images'],
      }),
    };
    expect([...preprocess(sample({ optical: ramp(1, 3) }), [negate]).images.optical!.data]).toEqual([
      -0, -1, -2,
    ]);
  });
});

describe('normalisation', () => {
  it('applied twice is an error, in one list and in two', () => {
    const step = zScore({ statistics });
    expect(codeOf(() => preprocess(noise(1000, 200), [step, minMax({ statistics })]))).toBe(
      'NORMALIZATION_TWICE',
    );
    const once = preprocess(noise(1000, 200), [step]);
    expect(codeOf(() => preprocess(once, [step]))).toBe('NORMALIZATION_TWICE');
  });

  it('configured but not applied is an error', () => {
    expect(codeOf(() => preprocess(noise(0, 1), [], { normalization: 'z-score' }))).toBe(
      'NORMALIZATION_MISSING',
    );
    const other = [minMax({ statistics })];
    expect(codeOf(() => preprocess(noise(1000, 200), other, { normalization: 'z-score' }))).toBe(
      'NORMALIZATION_MISSING',
    );
    expect(
      codeOf(() => preprocess(noise(1000, 200), [zScore({ statistics })], { normalization: 'z-score' })),
    ).toBe('nothing was thrown');
    expect(codeOf(() => preprocess(noise(0, 1), [], { normalization: 'none' }))).toBe('nothing was thrown');
  });

  it('of one modality of two is an error, unless the other is left out by name', () => {
    const both = sample({ ...noise(1000, 200).images, dem: ramp(30, 30) });
    const step = zScore({ statistics, modalities: ['optical'] });
    const configured = { normalization: 'z-score' };
    expect(codeOf(() => preprocess(both, [step], configured))).toBe('NORMALIZATION_MISSING');
    expect(codeOf(() => preprocess(both, [step, noNormalization({ modalities: ['dem'] })], configured))).toBe(
      'nothing was thrown',
    );
  });

  it('that hands raw numbers on is an error, as a step of one’s own', () => {
    const lazy: PreprocessingStep = {
      name: 'lazy',
      options: {},
      isRandom: false,
      normalizes: true,
      apply: (given) => given,
    };
    expect(codeOf(() => preprocess(noise(0, 1), [lazy]))).toBe('NORMALIZATION_MISSING');
  });

  it('is lost where the known fault of CloudSEN12 is on, and the check tells it', () => {
    const warnings: InputWarning[] = [];
    const cloudy = { ...dataset('gb2-cloudsen12', { 'normalisation-lost': true }) };
    const lost = preprocess(noise(1000, 200), [zScore({ statistics })], {
      dataset: cloudy,
      normalization: 'z-score',
      onWarning: (warning) => warnings.push(warning),
    });
    expect(lost.images.optical!.data[0]).toBeGreaterThan(100);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ dataset: 'gb2-cloudsen12', modality: 'optical', band: 'B4' });
  });
});

describe('the input check', () => {
  const told = (samples: readonly Sample[], steps: readonly PreprocessingStep[]): InputWarning[] => {
    const warnings: InputWarning[] = [];
    const options = { onWarning: (warning: InputWarning) => warnings.push(warning) };
    const own = [...steps]; // a list of its own is watched by itself
    for (const one of samples) preprocess(one, own, { ...options });
    return warnings;
  };
  const many = (mean: number, spread: number) => Array.from({ length: 40 }, () => noise(mean, spread));
  const step = [zScore({ statistics })];

  it('is silent where statistics fit, and for scenes that differ', () => {
    expect(told(many(1000, 200), step)).toEqual([]);
    const scenes = Array.from({ length: 40 }, () => noise(1000 + 140 * random.normal(), 140));
    expect(told(scenes, step)).toEqual([]);
    expect(told([noise(1000, 4)], step)).toEqual([]); // one scene of open water
  });

  it('tells once of a band in another scale, with dataset and band', () => {
    const [first, ...more] = told(many(0.1, 0.02), step);
    expect(first).toMatchObject({ code: 'INPUT_UNUSUAL', band: 'B4', modality: 'optical', samples: 1 });
    expect(first!.message).toMatch(/band B4 of optical of a sample has mean -5.00/);
    expect(more).toEqual([]);
  });

  it('tells of a spread that is off, once it has seen enough samples', () => {
    const flat = told(many(1000, 10), step);
    expect(flat.map(({ samples }) => samples)).toEqual([8]);
    expect(told(many(1000, 1600), step)[0]).toMatchObject({ samples: 1 });
  });

  it('narrows its bounds with the number of samples', () => {
    expect(standardBounds(1)).toEqual({ mean: 3.5, least: 0, greatest: 6 });
    const many = standardBounds(32);
    expect(many.mean).toBeCloseTo(1.03, 2);
    expect(many.least).toBeCloseTo(0.41, 2);
    expect(many.greatest).toBeCloseTo(2.71, 2);
  });

  it('looks at ranges as ranges, and leaves out zeros that stand for missing bands', () => {
    expect(told(many(1000, 200), [minMax({ statistics })])).toEqual([]);
    expect(told(many(90_000, 200), [minMax({ statistics })])[0]!.message).toMatch(/does not lie in 0 … 1/);
    expect(told(many(0.3, 0.1), [minMax({ statistics })])[0]!.message).toMatch(/hardly varies/);
    const padded = [matchBands({ bands: { optical: ['B4', 'B9'] } }), ...step];
    expect(told(many(1000, 200), padded)).toEqual([]);
  });

  it('tells of infinite numbers', () => {
    const burst = image({ height: 2, width: 2, bands: ['B4'], data: [900, Infinity, 1100, 1000] });
    expect(told([sample({ optical: burst })], step)[0]!.message).toMatch(/it has infinite numbers/);
  });

  it('can be switched off, and can be asked what it saw', () => {
    const warnings: InputWarning[] = [];
    const options = { onWarning: (warning: InputWarning) => warnings.push(warning), checkInput: false };
    preprocess(noise(9e6, 1), step, options);
    expect(warnings).toEqual([]);
    const own = [...step];
    preprocess(noise(1000, 200), own);
    const [row] = checkedInput(own);
    expect(row).toMatchObject({ modality: 'optical', band: 'B4', samples: 1 });
    expect(row!.mean).toBeCloseTo(0, 0);
    expect(row!.spread).toBeCloseTo(1, 0);
  });
});

describe('the target of a regression', () => {
  const tonnes = sample({ optical: ramp(1, 2) }, values([[100, 300]]));

  it('is standardised, and predictions for it can be taken back', () => {
    const step = targetZScore({ mean: 100, std: 50 });
    const { target } = preprocess(tonnes, [step]);
    expect(target).toMatchObject({
      values: Float32Array.from([0, 4]),
      normalization: { shift: 100, scale: 50 },
    });
    if (target.kind !== 'values') throw new Error('it is a regression');
    expect([...restoreTarget([1, -1], target)]).toEqual([150, 50]);
    expect(restoreSample(preprocess(tonnes, [step]), [step]).target).toEqual(tonnes.target);
  });

  it('is divided by the 98th percentile where the known fault of BioMassters is on', () => {
    const biomass = dataset('gb2-biomassters', { 'target-scale': true });
    const { target } = preprocess(tonnes, [targetZScore({ mean: 100, std: 50 })], { dataset: biomass });
    if (target.kind !== 'values') throw new Error('it is a regression');
    expect(target.values[1]).toBeCloseTo(300 / 289.89, 6);
    expect([...restoreTarget(target.values, target)].map(Math.round)).toEqual([100, 300]);
  });

  it('is standardised once, and only where there are values', () => {
    const step = targetZScore({ mean: 0, std: 1 });
    expect(codeOf(() => preprocess(tonnes, [step, step]))).toBe('NORMALIZATION_TWICE');
    expect(codeOf(() => preprocess(sample({ optical: ramp(1, 2) }), [step]))).toBe('TARGET_KIND');
    expect(codeOf(() => targetZScore({ mean: 0, std: 0 }))).toBe('STEP_OPTION');
  });
});

describe('dates', () => {
  const series = (count: number) =>
    image({
      data: Array.from({ length: count }, (_, at) => at + 1),
      timeCount: count,
      height: 1,
      width: 1,
      bands: ['B4'],
      dates: Array.from({ length: count }, (_, at) => `2020-01-${10 + at}`),
    });
  const chosen = (count: number, options: Parameters<typeof selectDates>[0]) =>
    preprocess(sample({ optical: series(count) }), [selectDates(options)]).images.optical!;

  it('are spread evenly, or taken from the first or up to the last', () => {
    expect([...chosen(11, { count: 4 }).data]).toEqual([1, 4, 7, 11]);
    expect(chosen(11, { count: 2 }).dates).toEqual(['2020-01-10', '2020-01-20']);
    expect([...chosen(5, { count: 3, rule: 'first' }).data]).toEqual([1, 2, 3]);
    expect([...chosen(5, { count: 3, rule: 'last' }).data]).toEqual([3, 4, 5]);
    expect([...chosen(5, { rule: 'all' }).data]).toEqual([1, 2, 3, 4, 5]);
  });

  it('that are missing are repeated, or padded with masked zeros', () => {
    expect([...chosen(2, { count: 4 }).data]).toEqual([1, 1, 1, 2]);
    const padded = chosen(2, { count: 4, rule: 'first' });
    expect([...padded.data]).toEqual([1, 2, 0, 0]);
    expect([...padded.valid!]).toEqual([1, 1, 0, 0]);
    expect(padded.dates).toEqual(['2020-01-10', '2020-01-11', null, null]);
    expect([...chosen(2, { count: 3, rule: 'first', short: 'repeat' }).data]).toEqual([1, 2, 2]);
  });

  it('are those drawn for a long series where the known fault of PASTIS-R is on', () => {
    const facts = { drawn6: { s2: [9, 3, 5, 0, 1, 2] } };
    const long = sample({ optical: series(60), sar: series(40) }, undefined, facts);
    const pastis = dataset('pastis-r', { 'shuffled-dates': true });
    const six = [selectDates({ count: 6 })];
    const published = preprocess(long, six, { dataset: pastis }).images;
    expect([...published.optical!.data]).toEqual([10, 4, 6, 1, 2, 3]);
    expect([...published.sar!.data]).toEqual([1, 8, 16, 24, 32, 40]);
    expect([...preprocess(long, six).images.optical!.data]).toEqual([1, 12, 24, 36, 48, 60]);
  });

  it('of a batch are padded to the longest series of any modality', () => {
    const [first, second] = padDates([
      sample({ optical: series(2), sar: series(1) }),
      sample({ optical: series(1), sar: series(3) }),
    ]);
    expect([...first!.images.optical!.data]).toEqual([1, 2, 0]);
    expect([...first!.images.sar!.valid!]).toEqual([1, 0, 0]);
    expect(second!.images.sar!.valid).toBeNull();
  });

  it('need a number', () => {
    expect(codeOf(() => selectDates({}))).toBe('STEP_OPTION');
    expect(codeOf(() => selectDates({ count: 1.5 }))).toBe('STEP_OPTION');
  });
});
