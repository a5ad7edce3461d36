import { twoSidedNormalProbability } from './normal.js';
import { pairwise } from './paired-tests.js';
import { ranks } from './ranks.js';

export interface SignedRankTest {
  /** The smaller of the sums of ranks of positive and of negative differences. */
  readonly statistic: number;
  /** Two-sided. */
  readonly pValue: number;
  /** Pairs with a difference. */
  readonly pairs: number;
}

/** Above this many pairs the normal approximation serves. */
const EXACT_PAIRS = 50;

/**
 * Signed-rank test of a − b (Wilcoxon 1945): pairs without a difference are dropped, equal sizes share the mean of their
 * ranks. Up to 50 pairs the probability is counted over all 2ⁿ signs, ties included; above, it is that of the normal
 * distribution, corrected for ties, without correction for continuity.
 * @returns null where no pair differs
 * @throws InputError STATISTIC_INPUT where a and b differ in length
 */
export function wilcoxonSignedRank(a: readonly number[], b: readonly number[]): SignedRankTest | null {
  const differences = pairwise(a, b).filter((difference) => difference !== 0);
  const pairs = differences.length;
  if (pairs === 0) return null;
  const sizes = ranks(differences.map(Math.abs), { higherIsBetter: false }).map((rank) => rank!);
  const positive = sizes.reduce((sum, rank, i) => sum + (differences[i]! > 0 ? rank : 0), 0);
  const statistic = Math.min(positive, (pairs * (pairs + 1)) / 2 - positive);
  const pValue =
    pairs <= EXACT_PAIRS ? countedProbability(sizes, statistic) : normalProbability(sizes, statistic);
  return { statistic, pValue, pairs };
}

function countedProbability(sizes: readonly number[], statistic: number): number {
  const halves = sizes.map((rank) => Math.round(2 * rank)); // ranks of ties may end in ½
  const chance = new Float64Array(halves.reduce((sum, half) => sum + half, 0) + 1);
  chance[0] = 1;
  let reached = 0;
  for (const half of halves) {
    reached += half;
    for (let sum = reached; sum >= 0; sum--)
      chance[sum] = (chance[sum]! + (sum >= half ? chance[sum - half]! : 0)) / 2;
  }
  const tail = chance.subarray(0, Math.round(2 * statistic) + 1).reduce((sum, share) => sum + share, 0);
  return Math.min(1, 2 * tail);
}

function normalProbability(sizes: readonly number[], statistic: number): number {
  const middle = sizes.reduce((sum, rank) => sum + rank, 0) / 2;
  const spread = Math.sqrt(sizes.reduce((sum, rank) => sum + rank * rank, 0) / 4);
  return twoSidedNormalProbability((statistic - middle) / spread);
}
