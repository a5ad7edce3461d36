import { groupBy } from '../../collections.js';
import { numpyRandom } from './numpy-random.js';

/** Draws `count` of the items without putting any back. */
export type Draw = <T>(items: readonly T[], count: number) => readonly T[];

/** PANGAEA cuts shares, and the means of a regression, into this many bins. */
const BINS = 3;
/** Seed of PANGAEA's runs. */
const SEED = 234;

/**
 * Share of each class among the labelled pixels of one mask; zeros where nothing is labelled.
 * @param labels classes 0 … classCount − 1; others are not counted among the labelled
 */
export function classShares(labels: ArrayLike<number>, classCount: number, ignored: number | null): number[] {
  const counts = new Array<number>(classCount).fill(0);
  let labelled = 0;
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i]!;
    if (label === ignored) continue;
    labelled++;
    if (label >= 0 && label < classCount) counts[label]!++;
  }
  return counts.map((count) => (labelled === 0 ? 0 : count / labelled));
}

/** −1 for an absent class, else 0, 1 or 2. In float64, so that a share of a third falls where the reference puts it. */
export const shareBins = (shares: readonly number[], binCount = BINS): number[] =>
  shares.map((share) => Math.ceil(share / (1 / binCount)) - 1);

/**
 * Bins of the means of a regression: three of equal width between least and greatest, 0 … 2. The greatest itself falls
 * into bin 3, which the reference never draws from.
 */
export function meanBins(means: ArrayLike<number>, binCount = BINS): number[] {
  const all = Array.from(means);
  const least = Math.min(...all);
  const step = (Math.max(...all) - least) / binCount;
  // numpy.linspace: start + k · step, and the end as it is
  const edges = Array.from({ length: binCount + 1 }, (_, k) =>
    k === binCount ? Math.max(...all) : least + k * step,
  );
  return all.map((mean) => edges.filter((edge) => mean >= edge).length - 1);
}

export interface SubsetOptions {
  /** Above 0, at most 1. */
  readonly fraction: number;
  /** Default: NumPy's `choice` after `seed(234)`. */
  readonly draw?: Draw;
}

/**
 * PANGAEA's stratified subset of a segmentation training set, as published. Samples whose bins are equal, class by
 * class, form a group; of each group, in the order of its first sample, `floor(size × fraction)` are drawn, at least
 * one. With many classes nearly every sample is a group of its own, and far more than the fraction is kept:
 * `stratifiedFraction` keeps the share.
 * @param bins `shareBins` of each sample
 * @returns positions, in the order drawn
 */
export function publishedSegmentationSubset(
  bins: readonly (readonly number[])[],
  options: SubsetOptions,
): number[] {
  const groups = groupBy(
    bins.map((_, place) => place),
    (place) => bins[place]!.join(''),
  );
  return drawFrom([...groups.values()], options);
}

/** The same for a regression: groups are the bins 0, 1, 2 of `meanBins`; the greatest mean is never drawn. */
export function publishedRegressionSubset(
  bins: readonly number[],
  options: SubsetOptions,
  binCount = BINS,
): number[] {
  const groups = Array.from({ length: binCount }, (_, bin) =>
    bins.flatMap((own, place) => (own === bin ? [place] : [])),
  );
  return drawFrom(groups, options);
}

/**
 * PANGAEA's stratified subset of a classification: classes in the order of their first sample.
 * @param draw the reference's is Python's `random.sample`
 */
export function publishedClassSubset(labels: readonly number[], options: Required<SubsetOptions>): number[] {
  return drawFrom([...groupBy(labels.keys(), (place) => labels[place]!).values()], options);
}

/** PANGAEA's subset without classes: `floor(count × fraction)` of all. @param draw the reference's is Python's `random.sample` */
export const publishedRandomSubset = (
  count: number,
  { fraction, draw }: Required<SubsetOptions>,
): readonly number[] =>
  draw(
    Array.from({ length: count }, (_, place) => place),
    Math.floor(count * fraction),
  );

/**
 * PANGAEA's "oversampled" subset: samples sorted by their bins, and the first `floor(count × fraction)` of them. Bins of
 * several classes are compared as one text; the order of equal ones is the reference's accident, here that of the samples.
 */
export function publishedSortedSubset(
  bins: readonly (number | readonly number[])[],
  fraction: number,
): number[] {
  const keys = bins.map((bin) => (typeof bin === 'number' ? bin : bin.join('')));
  const order = [...keys.keys()].sort((a, b) => (keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : a - b));
  return order.slice(0, Math.floor(bins.length * fraction));
}

function drawFrom(
  groups: readonly (readonly number[])[],
  { fraction, draw = numpyDraw() }: SubsetOptions,
): number[] {
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group) => [...draw(group, Math.max(1, Math.floor(group.length * fraction)))]);
}

function numpyDraw(): Draw {
  const random = numpyRandom(SEED);
  return (items, count) => random.choice(items, count);
}
