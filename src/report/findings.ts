import { isHigherBetter, mainScoreOf } from '../results/main-score.js';
import type { ScoreQuery } from '../results/score-of.js';
import { armSummary, seedScores, type Arm } from '../statistics/arms.js';
import { pairedDifference, type PairedDifference } from '../statistics/summary.js';
import { settingName, settingText } from './view.js';

/** What a difference between two arms lets one say. */
export type Verdict =
  /** The interval lies on one side of 0. */
  | 'larger'
  /** The interval holds 0. */
  | 'smaller'
  /** Fewer than two common seeds: no interval. */
  | 'no-interval'
  /** All common seeds differ by exactly the same amount: an interval would say nothing. */
  | 'no-spread'
  /** No common seed with a value on both sides. */
  | 'no-value';

/** Two arms that differ in one thing. */
export interface Comparison {
  /** What differs: `encoder mode`, `normalisation`, `encoder`; several joined where no arm differs in one. */
  readonly axis: string;
  /** Value of the axis in `better` and `worse`. */
  readonly values: readonly [better: string, worse: string];
  /** The other things in which arms of this study differ, e.g. normalisation `z-score`; the same in both arms. */
  readonly context: readonly { readonly name: string; readonly value: string }[];
  /** The arm of the better mean: the higher one, of errors the lower one. */
  readonly better: Arm;
  readonly worse: Arm;
  /** By how much `better` is better, paired by seed: of errors `worse` − `better`; mean at least 0 or null. */
  readonly difference: PairedDifference;
  readonly verdict: Verdict;
}

/**
 * Pairs of learned arms that differ in exactly one of encoder, decoder, mode and settings. An arm without
 * such a partner is compared with the nearest one, and all that differs is named.
 */
export function compareArms(arms: readonly Arm[], query: ScoreQuery, level = 0.95): Comparison[] {
  const trained = arms.filter((arm) => !arm.isTrivial);
  const traits = new Map(trained.map((arm) => [arm, traitsOf(arm)]));
  const varying = varyingTraits([...traits.values()]);
  const differing = (a: Arm, b: Arm): string[] =>
    varying.filter((name) => traits.get(a)![name] !== traits.get(b)![name]);

  const pairs: [Arm, Arm][] = [];
  const all = trained.flatMap((a, i) => trained.slice(i + 1).map((b): [Arm, Arm] => [a, b]));
  pairs.push(...all.filter(([a, b]) => differing(a, b).length === 1));
  for (const alone of trained.filter((arm) => !pairs.some((pair) => pair.includes(arm)))) {
    const others = trained.filter((arm) => arm !== alone);
    const partner = others.toSorted((a, b) => differing(alone, a).length - differing(alone, b).length)[0];
    if (partner) pairs.push([alone, partner]);
  }

  return pairs.map(([a, b]) => {
    const names = differing(a, b);
    const scores = [seedScores(a, query), seedScores(b, query)] as const;
    const [left, right] = isHigherBetterIn(query, a) ? scores : scores.toReversed();
    const difference = pairedDifference(left!, right!, { level });
    const [better, worse] = (difference.mean ?? 0) < 0 ? [b, a] : [a, b];
    const valueOf = (arm: Arm): string =>
      names.map((name) => traits.get(arm)![name] ?? 'not set').join(', ') || arm.name;
    return {
      axis: names.map(settingName).join(', ') || 'arm',
      values: [valueOf(better), valueOf(worse)],
      context: varying
        .filter((name) => !names.includes(name))
        .flatMap((name) => {
          const value = traits.get(a)![name];
          return value === undefined ? [] : [{ name: settingName(name), value }];
        }),
      better,
      worse,
      difference: better === a ? difference : negated(difference),
      verdict: verdictOf(difference),
    };
  });
}

const isHigherBetterIn = ({ metric }: ScoreQuery, { runs }: Arm): boolean =>
  isHigherBetter(metric ?? mainScoreOf(runs[0]!));

type Traits = Readonly<Record<string, string | undefined>>;

const traitsOf = ({ encoder, decoder, mode, settings }: Arm): Traits => ({
  encoder,
  decoder,
  mode,
  ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, settingText(name, value)])),
});

function varyingTraits(traits: readonly Traits[]): string[] {
  const names = [...new Set(traits.flatMap(Object.keys))];
  return names.filter((name) => new Set(traits.map((of) => of[name])).size > 1);
}

function verdictOf({ mean, interval, standardDeviation }: PairedDifference): Verdict {
  if (mean === null) return 'no-value';
  if (interval === null) return 'no-interval';
  if (standardDeviation === 0) return 'no-spread';
  return interval.low > 0 || interval.high < 0 ? 'larger' : 'smaller';
}

const negated = (difference: PairedDifference): PairedDifference => ({
  ...difference,
  mean: difference.mean === null ? null : -difference.mean,
  interval: difference.interval && { low: -difference.interval.high, high: -difference.interval.low },
});

/** How the learned arms stand to the best trivial predictor. */
export interface TrivialComparison {
  readonly best: Arm;
  readonly value: number;
  /** Learned arms whose whole interval is better: above it, of errors below it. */
  readonly better: readonly Arm[];
  /** Learned arms whose mean is better, but not the whole interval. */
  readonly unclear: readonly Arm[];
  /** Learned arms whose mean is better and that have no interval. */
  readonly single: readonly Arm[];
  readonly notBetter: readonly Arm[];
}

/** @returns undefined where there is no trivial predictor or no learned arm with a value */
export function compareWithTrivial(arms: readonly Arm[], query: ScoreQuery): TrivialComparison | undefined {
  if (arms.length === 0) return undefined;
  const sign = isHigherBetterIn(query, arms[0]!) ? 1 : -1;
  const summaries = arms.map((arm) => ({ arm, summary: armSummary(arm, query) }));
  const known = summaries.filter(({ summary }) => summary.mean !== null);
  const trivial = known
    .filter(({ arm }) => arm.isTrivial)
    .toSorted((a, b) => sign * (b.summary.mean! - a.summary.mean!))[0];
  const trained = known.filter(({ arm }) => !arm.isTrivial);
  if (!trivial || trained.length === 0) return undefined;
  const value = trivial.summary.mean!;
  const better = trained.filter(
    ({ summary: { interval } }) => interval && (sign > 0 ? interval.low > value : interval.high < value),
  );
  const notBetter = trained.filter(({ summary }) => sign * (summary.mean! - value) <= 0);
  const others = trained.filter((entry) => !better.includes(entry) && !notBetter.includes(entry));
  const unclear = others.filter(({ summary }) => summary.interval !== null);
  const single = others.filter(({ summary }) => summary.interval === null);
  const armsOf = (entries: readonly { arm: Arm }[]): Arm[] => entries.map(({ arm }) => arm);
  return {
    best: trivial.arm,
    value,
    better: armsOf(better),
    unclear: armsOf(unclear),
    single: armsOf(single),
    notBetter: armsOf(notBetter),
  };
}
