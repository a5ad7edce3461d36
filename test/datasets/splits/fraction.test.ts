import { describe, expect, it } from 'vitest';
import { checkSplits } from '../../../src/datasets/splits/check-splits.js';
import { nestedFraction, stratifiedFraction } from '../../../src/datasets/splits/fraction.js';
import {
  classShares,
  meanBins,
  publishedRegressionSubset,
  publishedSegmentationSubset,
  shareBins,
} from '../../../src/datasets/splits/published-subset.js';
import { createRandom } from '../../../src/random.js';

/** 132 of class 0, 56 of 1, 9 of 2, 3 of 3, mixed. */
const labels = [
  ...Array.from({ length: 132 }, () => 0),
  ...Array.from({ length: 56 }, () => 1),
  ...Array.from({ length: 9 }, () => 2),
  ...Array.from({ length: 3 }, () => 3),
].map((_, index, all) => all[(index * 77) % all.length]!);
const take = (fraction: number, seed = 3): number[] =>
  stratifiedFraction(labels, { fraction, random: createRandom(seed) });
const countOf = (places: readonly number[], label: number): number =>
  places.filter((place) => labels[place] === label).length;

describe('a stratified fraction', () => {
  it('has exactly the rounded number of samples, the classes in their shares, and one at least of each', () => {
    expect([0, 1, 2, 3].map((label) => countOf(take(0.1), label))).toEqual([13, 5, 1, 1]);
    // 4.5 and 1.5 are expected of the rare ones
    expect([0, 1, 2, 3].map((label) => countOf(take(0.5), label))).toEqual([66, 28, 4, 2]);
    expect(take(0.01)).toHaveLength(2);
  });

  it('is part of every larger one of the same seed', () => {
    const fractions = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].map((fraction) => take(fraction));
    for (const [index, smaller] of fractions.slice(0, -1).entries()) {
      expect(fractions[index + 1]).toEqual(expect.arrayContaining(smaller));
    }
    expect(fractions.at(-1)).toHaveLength(200);
  });

  it('is the same for the same seed and another for another', () => {
    expect(take(0.1)).toEqual(take(0.1));
    expect(take(0.1)).not.toEqual(take(0.1, 4));
  });

  it('of combinations takes a large group by its share, and rare ones as often as the fraction says', () => {
    // 400 samples of one combination, 600 of as many others
    const groups = Array.from({ length: 1000 }, (_, i) => (i < 400 ? 'common' : `rare ${i}`));
    const taken = [1, 2, 3, 4, 5].map((seed) => {
      const random = createRandom(seed);
      return stratifiedFraction(groups, { fraction: 0.1, random, isOneOfEach: false });
    });
    for (const places of taken) expect(places).toHaveLength(100);
    const common = taken.map((places) => places.filter((place) => place < 400).length);
    // 40 of the common one are expected; the others vary as 600 draws of a tenth do, by 7
    for (const count of common) expect(Math.abs(count - 40)).toBeLessThan(9);
    expect(new Set(taken.map((places) => places.join())).size).toBe(5);
  });

  it('refuses what is no fraction', () => {
    expect(() => take(0)).toThrow(expect.objectContaining({ code: 'FRACTION_INVALID' }));
    expect(() => take(1.5)).toThrow(expect.objectContaining({ code: 'FRACTION_INVALID' }));
  });

  it('without classes takes the rounded number, nested', () => {
    const some = nestedFraction(40, { fraction: 0.1, random: createRandom(1) });
    const more = nestedFraction(40, { fraction: 0.5, random: createRandom(1) });
    expect([some.length, more.length]).toEqual([4, 20]);
    expect(more).toEqual(expect.arrayContaining(some));
  });
});

describe('a subset as PANGAEA published it', () => {
  it('tells an absent class from a rare one', () => {
    expect(shareBins([0, 0.01, 1 / 3, 0.34, 0.67, 1])).toEqual([-1, 0, 0, 1, 2, 2]);
  });

  it('counts shares among labelled pixels, and none where nothing is labelled', () => {
    expect(classShares([0, 1, 1, -1], 2, -1)).toEqual([1 / 3, 2 / 3]);
    expect(classShares([-1, -1], 2, -1)).toEqual([0, 0]);
  });

  it('keeps one sample at least of every combination of bins, so that a tenth becomes more', () => {
    const bins = Array.from({ length: 20 }, (_, i) => [i % 5, i % 4]);
    const subset = publishedSegmentationSubset(bins, { fraction: 0.1 });
    expect(subset).toHaveLength(20);
  });

  it('never draws the sample with the greatest mean of a regression', () => {
    const means = Array.from({ length: 30 }, (_, i) => i);
    const subset = publishedRegressionSubset(meanBins(means), { fraction: 1 });
    expect(subset.sort((a, b) => a - b)).toEqual(means.slice(0, 29));
  });
});

describe('lists of splits', () => {
  it('that share nothing are fine', () => {
    expect(() => checkSplits({ train: ['a', 'b'], val: ['c'], test: ['d'] }, 'x.json')).not.toThrow();
  });

  it.each([
    { code: 'SPLIT_LEAK', splits: { train: ['a', 'b'], val: ['c'], test: ['b'] }, named: 'b' },
    { code: 'DUPLICATE_ID', splits: { train: ['a', 'a'], val: ['c'], test: ['b'] }, named: 'a' },
    { code: 'EMPTY_SPLIT', splits: { train: ['a'], val: [], test: ['b'] }, named: 'val' },
  ])('that cannot be trained on are named: $code', ({ code, splits, named }) => {
    expect(() => checkSplits(splits, 'x.json')).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(named) }),
    );
  });
});
