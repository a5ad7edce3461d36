import { armSummary, seedScores, type Arm, type ScoreQuery } from '../statistics/arms.js';
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

/** Two arms that differ in one thing. The better mean is `higher`. */
export interface Comparison {
  /** What differs: `encoder mode`, `normalisation`, `encoder`; several joined where no arm differs in one. */
  readonly axis: string;
  /** Value of the axis in `higher` and `lower`. */
  readonly values: readonly [higher: string, lower: string];
  /** The other things in which arms of this study differ, e.g. normalisation `z-score`; the same in both arms. */
  readonly context: readonly { readonly name: string; readonly value: string }[];
  readonly higher: Arm;
  readonly lower: Arm;
  /** `higher` − `lower`, paired by seed; mean at least 0 or null. */
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
    const difference = pairedDifference(seedScores(a, query), seedScores(b, query), { level });
    const [higher, lower] = (difference.mean ?? 0) < 0 ? [b, a] : [a, b];
    const valueOf = (arm: Arm): string =>
      names.map((name) => traits.get(arm)![name] ?? 'not set').join(', ') || arm.name;
    return {
      axis: names.map(settingName).join(', ') || 'arm',
      values: [valueOf(higher), valueOf(lower)],
      context: varying
        .filter((name) => !names.includes(name))
        .flatMap((name) => {
          const value = traits.get(a)![name];
          return value === undefined ? [] : [{ name: settingName(name), value }];
        }),
      higher,
      lower,
      difference: higher === a ? difference : negated(difference),
      verdict: verdictOf(difference),
    };
  });
}

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
  /** Learned arms whose whole interval lies above it. */
  readonly above: readonly Arm[];
  /** Learned arms whose mean lies above it, but not the whole interval. */
  readonly unclear: readonly Arm[];
  /** Learned arms whose mean lies above it and that have no interval. */
  readonly single: readonly Arm[];
  readonly below: readonly Arm[];
}

/** @returns undefined where there is no trivial predictor or no learned arm with a value */
export function compareWithTrivial(arms: readonly Arm[], query: ScoreQuery): TrivialComparison | undefined {
  const summaries = arms.map((arm) => ({ arm, summary: armSummary(arm, query) }));
  const known = summaries.filter(({ summary }) => summary.mean !== null);
  const trivial = known
    .filter(({ arm }) => arm.isTrivial)
    .toSorted((a, b) => b.summary.mean! - a.summary.mean!)[0];
  const trained = known.filter(({ arm }) => !arm.isTrivial);
  if (!trivial || trained.length === 0) return undefined;
  const value = trivial.summary.mean!;
  const above = trained.filter(({ summary }) => summary.interval !== null && summary.interval.low > value);
  const below = trained.filter(({ summary }) => summary.mean! <= value);
  const others = trained.filter((entry) => !above.includes(entry) && !below.includes(entry));
  const unclear = others.filter(({ summary }) => summary.interval !== null);
  const single = others.filter(({ summary }) => summary.interval === null);
  const armsOf = (entries: readonly { arm: Arm }[]): Arm[] => entries.map(({ arm }) => arm);
  return {
    best: trivial.arm,
    value,
    above: armsOf(above),
    unclear: armsOf(unclear),
    single: armsOf(single),
    below: armsOf(below),
  };
}
