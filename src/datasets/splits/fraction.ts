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

export interface StratifiedOptions extends FractionOptions {
  /**
   * Whether every group gives one sample at least, as far as there is room: for classes. Not for combinations of many
   * things, where most groups are of one sample. Default true.
   */
  readonly isOneOfEach?: boolean;
}

/**
 * The same with the classes (or groups) in their shares: exactly the rounded number of samples, nested for one seed.
 *
 * Samples of a group are put in a random order; the k-th of n gets the rank (k + ½) / n, and a fraction takes the least
 * ranks. With `isOneOfEach` the first of every group goes before all others; else ½ is a random number of the group,
 * so that a group of one sample is taken with the chance that the fraction says.
 * @param groups class of each sample
 * @returns positions, ascending
 * @throws UsageError FRACTION_INVALID
 */
export function stratifiedFraction(
  groups: readonly (string | number)[],
  { fraction, random, isOneOfEach = true }: StratifiedOptions,
): number[] {
  if (!(fraction > 0 && fraction <= 1)) {
    throw new UsageError('FRACTION_INVALID', `${fraction} is no fraction.`, {
      hint: 'It lies above 0 and at most at 1, e.g. 0.1 for a tenth.',
    });
  }
  const places = groupBy(groups.keys(), (place) => groups[place]!);
  const ranked = [...places].flatMap(([group, own]) => {
    const ofGroup = random.split(String(group));
    const order = ofGroup.permutation(own.length);
    const tie = ofGroup.uniform();
    const offset = isOneOfEach ? 0.5 : tie;
    return [...order].map((at, k) => ({
      place: own[at]!,
      rank: (k + offset) / own.length,
      isFirst: isOneOfEach && k === 0,
      size: own.length,
      tie,
    }));
  });
  // large groups first where there is no room for the first of every group
  ranked.sort(
    (a, b) =>
      Number(b.isFirst) - Number(a.isFirst) ||
      (a.isFirst && b.isFirst ? b.size - a.size : a.rank - b.rank) ||
      a.tie - b.tie,
  );
  const wanted = Math.max(1, Math.round(fraction * groups.length));
  return ranked
    .slice(0, wanted)
    .map(({ place }) => place)
    .sort((a, b) => a - b);
}
