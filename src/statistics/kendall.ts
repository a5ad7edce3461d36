import type { Resamples } from './bootstrap.js';
import { checkLevel } from './check-options.js';
import { signOf } from './ranking.js';
import { twoSidedNormalProbability } from './normal.js';
import { percentileInterval } from './resample-summary.js';
import { isMissing, mean, standardDeviation, type Interval, type Score } from './summary.js';

/** How far two rankings of the same things agree. */
export interface KendallComparison {
  /** Things that have a value in both. */
  readonly count: number;
  readonly pairs: number;
  /** Pairs in opposite order. */
  readonly discordant: number;
  /** Pairs that are equal in one or both. */
  readonly tied: number;
  /**
   * discordant / pairs, 0 … 1: the normalised Kendall tau distance, the share of pairs whose order differs (GEO-Bench-2,
   * section 3.7). A tie is no swap. Without ties it is (1 − τ) / 2. null below two things.
   */
  readonly distance: number | null;
  /** (concordant − discordant) / √(pairs untied in a · pairs untied in b) (Kendall 1945); null where one is all ties. */
  readonly tauB: number | null;
  /**
   * Two-sided, against no relation: counted over all orders up to 33 things without ties, else by the normal
   * distribution with its variance corrected for ties; as SciPy's `kendalltau`.
   */
  readonly pValue: number | null;
}

/** Compares values, not ranks: which way is better does not matter as long as it is the same in both. Missing pairs are left out. */
export function kendall(a: readonly Score[], b: readonly Score[]): KendallComparison {
  const known = a.flatMap((x, i) => (isMissing(x) || isMissing(b[i]) ? [] : [[x, b[i]] as const]));
  let [concordant, discordant, tiedA, tiedB, tied] = [0, 0, 0, 0, 0];
  for (let i = 0; i < known.length; i++) {
    for (let j = 0; j < i; j++) {
      const x = Math.sign(known[i]![0] - known[j]![0]);
      const y = Math.sign(known[i]![1] - known[j]![1]);
      if (x === 0) tiedA++;
      if (y === 0) tiedB++;
      if (x * y > 0) concordant++;
      else if (x * y < 0) discordant++;
      else tied++;
    }
  }
  const count = known.length;
  const pairs = (count * (count - 1)) / 2;
  const untied = Math.sqrt((pairs - tiedA) * (pairs - tiedB));
  const isDefined = untied > 0;
  const isExact = tied === 0 && (count <= 33 || Math.min(discordant, concordant) <= 1);
  const tieSizes = [0, 1].map((side) => sizesOfTies(known.map((pair) => pair[side]!))) as [
    number[],
    number[],
  ];
  return {
    count,
    pairs,
    discordant,
    tied,
    distance: pairs === 0 ? null : discordant / pairs,
    tauB: isDefined ? (concordant - discordant) / untied : null,
    pValue: !isDefined
      ? null
      : isExact
        ? countedProbability(count, Math.min(discordant, concordant))
        : twoSidedNormalProbability((concordant - discordant) / Math.sqrt(tiedVariance(count, ...tieSizes))),
  };
}

/** Share of the orders of `count` things with at most so many inversions, twice; 1 where half of the pairs are inverted. */
function countedProbability(count: number, inversions: number): number {
  if (4 * inversions === count * (count - 1)) return 1;
  let chances = new Float64Array(inversions + 1);
  chances[0] = 1;
  for (let size = 2; size <= count; size++) {
    // a further thing adds 0 … size − 1 inversions, each as likely
    const next = new Float64Array(inversions + 1);
    let window = 0;
    for (let at = 0; at <= inversions; at++) {
      window += chances[at]! - (at >= size ? chances[at - size]! : 0);
      next[at] = window / size;
    }
    chances = next;
  }
  return Math.min(1, 2 * chances.reduce((sum, chance) => sum + chance, 0));
}

function sizesOfTies(values: readonly number[]): number[] {
  const sizes = new Map<number, number>();
  for (const value of values) sizes.set(value, (sizes.get(value) ?? 0) + 1);
  return [...sizes.values()];
}

/** Variance of concordant − discordant under no relation (Kendall 1970, section 4.10). */
function tiedVariance(count: number, a: readonly number[], b: readonly number[]): number {
  const sum = (sizes: readonly number[], term: (size: number) => number): number =>
    sizes.reduce((total, size) => total + term(size), 0);
  const all = (size: number): number => size * (size - 1) * (2 * size + 5);
  const two = (size: number): number => size * (size - 1);
  const three = (size: number): number => size * (size - 1) * (size - 2);
  const rest = (sum(a, three) * sum(b, three)) / (9 * three(count));
  return (
    (all(count) - sum(a, all) - sum(b, all)) / 18 +
    (sum(a, two) * sum(b, two)) / (2 * two(count)) +
    (Number.isFinite(rest) ? rest : 0)
  );
}

export interface RankingChange {
  /** Models that have an aggregate under both. */
  readonly models: readonly string[];
  /** Of the estimates. */
  readonly distance: number | null;
  /** Of each resample. */
  readonly resamples: readonly number[];
  readonly mean: number | null;
  /** Sample standard deviation over the resamples. */
  readonly standardDeviation: number | null;
  readonly interval: Interval | null;
}

/**
 * How far a ranking changes between two conditions: normalised Kendall tau distance of the aggregates, and of each pair
 * of resamples (GEO-Bench-2, figure 4, with 2000 of them). Two rankings that differ by chance alone have a distance
 * above 0 too: compare with that of two halves of one condition's seeds.
 * @param options.level of the percentile interval; default 0.95
 * @throws InputError DIRECTIONS_MIXED where some of the datasets' scores are better high and some low; UsageError
 *   STATISTIC_OPTION
 */
export function rankingChange(
  a: Resamples,
  b: Resamples,
  options: { readonly level?: number } = {},
): RankingChange {
  checkLevel(options.level ?? 0.95);
  // one of the conditions may be scored by an error
  const sign = signOf(a) * signOf(b);
  const shared = a.models.flatMap((model, row) => {
    const other = b.models.indexOf(model);
    return other >= 0 && !isMissing(a.estimates[row]) && !isMissing(b.estimates[other])
      ? [{ model, row, other }]
      : [];
  });
  const distanceOf = (x: (row: number) => Score, y: (row: number) => Score): number | null =>
    kendall(
      shared.map(({ row }) => x(row)),
      shared.map(({ other }) => sign * y(other)!),
    ).distance;
  const hasResamples = shared.some(({ row, other }) => a.values[row] && b.values[other]);
  const resamples = Array.from({ length: hasResamples ? Math.min(a.count, b.count) : 0 }, (_, i) =>
    distanceOf(
      (row) => a.values[row]?.[i] ?? a.estimates[row],
      (row) => b.values[row]?.[i] ?? b.estimates[row],
    ),
  ).filter((distance) => distance !== null);
  return {
    models: shared.map(({ model }) => model),
    distance: distanceOf(
      (row) => a.estimates[row],
      (row) => b.estimates[row],
    ),
    resamples,
    mean: mean(resamples),
    standardDeviation: standardDeviation(resamples),
    interval: percentileInterval(resamples, options.level ?? 0.95),
  };
}
