import { groupBy } from '../../collections.js';
import { UsageError } from '../../errors.js';
import type { Random } from '../../random.js';

export interface FractionOptions {
  /** Of all samples, above 0, at most 1; the number is rounded, half up. */
  readonly fraction: number;
  /** Same generator seed, same samples; a smaller fraction of one seed is part of a larger one. */
  readonly random: Random;
}

/**
 * A seeded share of a training set, nested: every sample has one place in an order, and a fraction takes the first.
 * @returns positions 0 … count − 1, ascending; at least one
 * @throws UsageError FRACTION_INVALID
 */
export const nestedFraction = (count: number, options: FractionOptions): number[] =>
  stratifiedFraction(
    Array.from({ length: count }, () => 0),
    options,
  );

/**
 * The same with the classes (or groups) in their shares: exactly the rounded number of samples, at least one of every
 * class as far as it has room, nested for one seed.
 *
 * Samples of a class are put in a random order; the k-th of n gets the rank (k + ½) / n, and the whole set is sorted
 * by rank, the first of each class before all others. Any beginning of that order has the classes in their shares.
 * @param groups class of each sample
 * @returns positions, ascending
 * @throws UsageError FRACTION_INVALID
 */
export function stratifiedFraction(
  groups: readonly (string | number)[],
  { fraction, random }: FractionOptions,
): number[] {
  if (!(fraction > 0 && fraction <= 1)) {
    throw new UsageError('FRACTION_INVALID', `${fraction} is no fraction.`, {
      hint: 'It lies above 0 and at most at 1, e.g. 0.1 for a tenth.',
    });
  }
  const places = groupBy(groups.keys(), (place) => groups[place]!);
  const ranked = [...places].flatMap(([group, own]) => {
    const order = random.split(String(group)).permutation(own.length);
    return [...order].map((at, k) => ({
      place: own[at]!,
      rank: (k + 0.5) / own.length,
      isFirst: k === 0,
      size: own.length,
    }));
  });
  // large classes first where there is no room for the first of every class
  ranked.sort(
    (a, b) =>
      Number(b.isFirst) - Number(a.isFirst) ||
      (a.isFirst && b.isFirst ? b.size - a.size : a.rank - b.rank) ||
      a.place - b.place,
  );
  const wanted = Math.max(1, Math.round(fraction * groups.length));
  return ranked
    .slice(0, wanted)
    .map(({ place }) => place)
    .sort((a, b) => a - b);
}
