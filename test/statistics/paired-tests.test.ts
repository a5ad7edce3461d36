import { expect, test } from 'vitest';
import { InputError } from '../../src/errors.js';
import { adjustPValues } from '../../src/statistics/corrections.js';
import { datasetEffects, pairBySeed } from '../../src/statistics/effects.js';
import { twoSidedNormalProbability } from '../../src/statistics/normal.js';
import { cohensD, hedgesG, independentTTest, pairedTTest } from '../../src/statistics/paired-tests.js';
import { wilcoxonSignedRank } from '../../src/statistics/wilcoxon.js';
import { matrixOf } from './matrix-of.js';

// expected numbers are those of SciPy 1.17.1; 12 digits are well above the rounding of either side

test('the paired t test has the numbers of scipy.stats.ttest_rel', () => {
  const result = pairedTTest([1, 2, 4, 8], [0, 3, 2, 5], { level: 0.9 });
  expect(result.t).toBeCloseTo(1.4638501094227998, 12);
  expect(result.pValue).toBeCloseTo(0.23944259863600298, 12);
  expect(result.pValueGreater).toBeCloseTo(0.11972129931800149, 12);
  expect(result.degreesOfFreedom).toBe(3);
  expect(result.interval!.low).toBeCloseTo(-0.7595666042353222, 12);
  expect(pairedTTest([0, 3, 2, 5], [1, 2, 4, 8]).pValueGreater).toBeCloseTo(1 - 0.11972129931800149, 12);
});

test('independent samples are compared with equal variances or without (Welch)', () => {
  const [a, b] = [
    [2.1, 2.5, 2.2],
    [1.9, 2.6, 1.5, 1.2],
  ];
  expect(independentTTest(a!, b!).pValue).toBeCloseTo(0.26520715163523517, 12);
  const welch = independentTTest(a!, b!, { equalVariances: false });
  expect(welch.degreesOfFreedom).toBeCloseTo(3.875597577817911, 12);
  expect(welch.pValue).toBeCloseTo(0.22743118918244383, 12);
});

test('without spread or a second value there is no t, no p and no effect size', () => {
  const equal = pairedTTest([0.3, 0.5], [0.3, 0.5]);
  expect(equal).toMatchObject({ difference: 0, t: null, pValue: null, interval: null });
  expect(pairedTTest([0.3], [0.2])).toMatchObject({ t: null, degreesOfFreedom: null });
  expect(pairedTTest([], [])).toMatchObject({ difference: null, pValue: null });
  expect(independentTTest([1], [2, 3])).toMatchObject({ difference: -1.5, pValue: null });
  const constant = independentTTest([1, 1], [2, 2, 2], { equalVariances: false });
  expect(constant).toMatchObject({ difference: -1, t: null, degreesOfFreedom: null, interval: null });
  expect(independentTTest([1, 1], [2, 2, 2])).toMatchObject({ t: null, degreesOfFreedom: 3 });
  expect(cohensD([1, 2], [1, 2], 'paired')).toBeNull();
  expect(cohensD([1], [2], 'pooled')).toBeNull();
  expect(cohensD([1, 2], [2], 'paired')).toBeNull();
  expect(hedgesG([1, 1], [2, 2])).toBeNull();
  expect(() => pairedTTest([1], [1, 2])).toThrow(InputError);
});

test('the two senses of Cohen’s d differ', () => {
  // differences 1, −1, 2, 3: mean 1.25, variance 8.75/3; variances 28.75/3 and 13/3
  const [a, b] = [
    [1, 2, 4, 8],
    [0, 3, 2, 5],
  ] as const;
  expect(cohensD(a, b, 'paired')).toBeCloseTo(1.25 / Math.sqrt(8.75 / 3), 14);
  expect(cohensD(a, b, 'pooled')).toBeCloseTo(1.25 / Math.sqrt((28.75 + 13) / 6), 14);
  expect(hedgesG(a, b)! / cohensD(a, b, 'pooled')!).toBeCloseTo(1 - 3 / 23, 14);
});

test('the signed-rank test is exact up to 50 pairs, ties included, and normal above', () => {
  // 11 of 64 signs are as far off or farther; counted one by one
  const ties = wilcoxonSignedRank([1, -2, 2, 3, -1, 4, 4, 0], new Array<number>(8).fill(0));
  expect(ties).toEqual({ statistic: 5, pValue: expect.closeTo(0.171875, 14) as number, pairs: 7 });
  const many = Array.from({ length: 60 }, (_, i) => (((i * 29) % 61) - 25) / 7);
  const normal = wilcoxonSignedRank(many, new Array<number>(60).fill(0))!;
  expect(normal.statistic).toBe(619);
  expect(normal.pValue).toBeCloseTo(0.04465038950745424, 12);
  expect(wilcoxonSignedRank([1, 2], [1, 2])).toBeNull();
});

test('the normal tail is right near and far', () => {
  const known = [
    [0.1, 0.920344325445942],
    [1, 0.31731050786291415],
    [1.7, 0.08913092551708608],
    [1.8, 0.07186063822585158],
    [-3, 0.0026997960632601866],
    [8, 1.244192114854348e-15],
  ] as const;
  for (const [z, p] of known) expect(twoSidedNormalProbability(z) / p).toBeCloseTo(1, 12);
  expect(twoSidedNormalProbability(0)).toBe(1);
  expect(twoSidedNormalProbability(Infinity)).toBe(0);
});

test('p values are raised by their number, in steps, or by the share of false ones', () => {
  const p = [0.01, 0.04, null, 0.03, 0.2];
  const near = (values: (number | null)[]): unknown[] =>
    values.map((value) => (value === null ? null : (expect.closeTo(value, 14) as unknown)));
  expect(adjustPValues(p, 'bonferroni')).toEqual(near([0.04, 0.16, null, 0.12, 0.8]));
  expect(adjustPValues(p, 'holm')).toEqual(near([0.04, 0.09, null, 0.09, 0.2]));
  // scipy.stats.false_discovery_control
  expect(adjustPValues(p, 'benjamini-hochberg')).toEqual(near([0.04, 0.16 / 3, null, 0.16 / 3, 0.2]));
  expect(adjustPValues([0.6, 0.9], 'bonferroni')).toEqual([1, 1]);
});

test('effects of a change pair the models that both conditions have, dataset by dataset', () => {
  const tuned = matrixOf([
    [[0.5, 0.7], [0.9]],
    [[0.8], [0.8]],
    [[0.4], []],
  ]);
  const frozen = matrixOf([
    [[0.5], [0.4]],
    [[0.5], [0.5]],
    [[0.3], [0.2]],
  ]);
  const [first, second] = datasetEffects(tuned, frozen);
  expect(first!.models).toEqual(['m0', 'm1', 'm2']);
  expect(first!.pValue).toBe(pairedTTest([0.6, 0.8, 0.4], [0.5, 0.5, 0.3]).pValue);
  expect(first!.cohensDPooled).toBe(cohensD([0.6, 0.8, 0.4], [0.5, 0.5, 0.3], 'pooled'));
  expect(second!.models).toEqual(['m0', 'm1']);
  expect(first!.adjustedPValue).toBeCloseTo(Math.min(2 * first!.pValue!, 1), 14);
});

test('runs are paired by seed; runs without a seed have no partner', () => {
  const a = { values: [1, 2, 3, 4], seeds: ['0', null, '7', '2'] };
  const b = { values: [20, 30, 70], seeds: ['2', null, '0'] };
  expect(pairBySeed(a, b)).toEqual({ a: [1, 4], b: [70, 20] });
});

test('tests leave out what is missing', () => {
  const [a, b] = [
    [1, 2.5, Number.NaN, 4],
    [0, 2, 3, 5.2],
  ];
  const [x, y] = [
    [1, 2.5, 4],
    [0, 2, 5.2],
  ];
  expect(pairedTTest(a, b)).toEqual(pairedTTest(x, y));
  expect(pairedTTest(a, b).degreesOfFreedom).toBe(2);
  expect(independentTTest(a, b)).toEqual(independentTTest(x, b));
  expect(hedgesG(a, b)).toBe(hedgesG(x, b));
});
