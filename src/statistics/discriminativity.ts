import { checkChoice } from './check-options.js';
import { beatShare } from './improvement.js';
import type { ScoreMatrix } from './score-matrix.js';
import { mean } from './summary.js';

export interface DiscriminativityOptions {
  /**
   * `all` (default): the mean over all m² ordered pairs, a model with itself included, as GEO-Bench's appendix A.5 has it;
   * `unordered`: over pairs of two models, as its code and GEO-Bench-2's have it.
   */
  readonly pairs?: 'all' | 'unordered';
  /**
   * What a pair of equal scores counts: 0 (default, both of GEO-Bench) or ½ (code of GEO-Bench-2). At 0 two models whose
   * scores are all equal have the certainty 1, as if the better were sure; at ½ they have 0.
   */
  readonly ties?: 0 | 0.5;
}

export interface Discriminativity {
  /** Models with runs on the dataset. */
  readonly models: readonly string[];
  /** [i][j]: share of pairs of runs in which model i beats model j. */
  readonly beats: readonly (readonly number[])[];
  /** [i][j]: 1 − entropy of that share in bits: 1 where the better is sure (or, at `ties` 0, no pair is won), 0 where it is a toss. */
  readonly certainty: readonly (readonly number[])[];
  /** Mean of `certainty` over the pairs: how well the dataset tells models apart. null without a pair. */
  readonly value: number | null;
}

/**
 * How well a dataset tells models apart: d = 1 − H₂[P(a run of i beats a run of j)], the mean over pairs of models
 * (GEO-Bench, appendix A.5).
 * Differs: GEO-Bench's code also adds Gaussian noise to the scores and keeps three seeds a model; this does neither.
 * @throws UsageError STATISTIC_OPTION
 */
export function discriminativity(
  matrix: ScoreMatrix,
  dataset: string,
  options: DiscriminativityOptions = {},
): Discriminativity {
  const { pairs = 'all', ties = 0 } = options;
  checkChoice('pairs', pairs, ['all', 'unordered']);
  checkChoice('ties', ties, [0, 0.5]);
  const column = matrix.datasets.indexOf(dataset);
  const sign = matrix.higherIsBetter[column] === false ? -1 : 1;
  const known = matrix.models.flatMap((model, row) => {
    const values = matrix.cells[row]![column]?.values ?? [];
    return values.length === 0 ? [] : [{ model, scores: values.map((value) => sign * value) }];
  });
  const beats = known.map((a) => known.map((b) => beatShare(a.scores, b.scores, ties)));
  const certainty = beats.map((row) => row.map((share) => 1 - binaryEntropy(share)));
  const counted = certainty.flatMap((row, i) => (pairs === 'all' ? row : row.slice(i + 1)));
  return { models: known.map(({ model }) => model), beats, certainty, value: mean(counted) };
}

/** In bits: 1 for a share of ½, 0 for 0 and 1. */
const binaryEntropy = (share: number): number =>
  share <= 0 || share >= 1 ? 0 : -(share * Math.log2(share) + (1 - share) * Math.log2(1 - share));
