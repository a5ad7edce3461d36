import type { Resamples } from './bootstrap.js';
import { InputError } from '../errors.js';
import { checkChoice } from './check-options.js';
import { ranks } from './ranks.js';
import { percentileInterval, summarizeResamples, type ResampleSummary } from './resample-summary.js';
import { isMissing } from './summary.js';

export interface RankingRow extends ResampleSummary {
  /** 1 for the best score; equal scores share the best of their places. null without a score. */
  readonly place: number | null;
  /**
   * Models that are not told apart from this one: the percentile interval of the difference of their resamples holds 0.
   * null where this model has no resamples, so that nothing is known of its spread.
   */
  readonly tiedWith: readonly string[] | null;
  /** Best and worst place that the data allow: one behind the models surely better, one ahead of those surely worse. */
  readonly places: { readonly best: number; readonly worst: number } | null;
}

export interface RankingOptions {
  /** Of the intervals, also of those that ties are told by; default 0.95. */
  readonly level?: number;
  /** What is ranked: the aggregate of the scores (default), or the mean over resamples, as GEO-Bench-2's leaderboard does. */
  readonly by?: 'estimate' | 'mean';
}

/**
 * Models from best to worst, each with its interval and the models it is tied with. A model without resamples is
 * placed by its score, and told apart from nobody. Models without a score come last. Which way is better comes with the
 * resamples: from the metrics of their datasets.
 * @throws InputError DIRECTIONS_MIXED where some of the datasets' scores are better high and some low; UsageError
 *   STATISTIC_OPTION
 */
export function ranking(resamples: Resamples, options: RankingOptions = {}): RankingRow[] {
  const { level = 0.95, by = 'estimate' } = options;
  checkChoice('by', by, ['estimate', 'mean']);
  const sign = signOf(resamples);
  const summaries = summarizeResamples(resamples, { level });
  const scores = summaries.map((row) => (by === 'mean' ? (row.mean ?? row.estimate) : row.estimate));
  const places = ranks(
    scores.map((score) => (isMissing(score) ? null : sign * score)),
    { ties: 'min' },
  );
  const scored = scores.filter((score) => !isMissing(score)).length;
  const rows = summaries.map((summary, row): RankingRow => {
    const own = resamples.values[row] ?? null;
    const place = places[row]!;
    if (!own || place === null) return { ...summary, place, tiedWith: null, places: null };
    const tiedWith: string[] = [];
    let [better, worse] = [0, 0];
    for (const [at, other] of resamples.models.entries()) {
      if (at === row || isMissing(scores[at])) continue;
      const above = sign * surelyAbove(own, resamples.values[at] ?? null, level);
      if (above > 0) worse++;
      else if (above < 0) better++;
      else tiedWith.push(other);
    }
    return { ...summary, place, tiedWith, places: { best: better + 1, worst: scored - worse } };
  });
  const last = rows.length + 1;
  return rows.toSorted((a, b) => (a.place ?? last) - (b.place ?? last));
}

/**
 * 1 where higher aggregates are better, −1 where lower ones are.
 * @throws InputError DIRECTIONS_MIXED
 */
export function signOf({ higherIsBetter }: Pick<Resamples, 'higherIsBetter'>): 1 | -1 {
  if (higherIsBetter !== null) return higherIsBetter ? 1 : -1;
  throw new InputError(
    'DIRECTIONS_MIXED',
    'Some of the datasets have scores that are better high, some low.',
    {
      where: 'resamples',
      hint: 'Aggregate what normalize() gives, or datasets of one direction.',
    },
  );
}

/** 1 where a is above b in the whole interval of their difference, −1 where below, 0 where the interval holds 0. */
function surelyAbove(a: Float64Array, b: Float64Array | null, level: number): -1 | 0 | 1 {
  if (!b) return 0;
  const { low, high } = percentileInterval(
    Array.from(a, (value, i) => value - b[i]!),
    level,
  )!;
  return low > 0 ? 1 : high < 0 ? -1 : 0;
}
