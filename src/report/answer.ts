import { formatNumber } from '../display/numbers.js';
import { listed } from '../display/words.js';
import { armSummary, type Arm, type ScoreQuery } from '../statistics/arms.js';
import { compareArms, compareWithTrivial, type Comparison, type TrivialComparison } from './findings.js';
import { counted, markup, type Markup } from './html.js';
import { evaluationName, placePixels, type DatasetView, type SplitView } from './view.js';

const score = (value: number | null): string => formatNumber(value, 3);
const span = ({ difference }: Comparison): string =>
  `${score(difference.interval!.low)} to ${score(difference.interval!.high)}`;

/**
 * What the runs of one dataset say, in paragraphs: the question on the first split, how high the scores are
 * there, and the other splits. Every name, number and verdict is computed from the records.
 */
export function answerInWords(view: DatasetView): Markup[] {
  const [first, ...others] = view.splits;
  if (!first) return [markup`The runs on ${view.dataset} hold no scores.`];
  if (view.trained.length === 0) {
    return [markup`On ${view.dataset} only trivial predictors have run; they answer no question.`];
  }
  const comparisons = compareArms(view.arms, queryOf(view, first));
  const axes =
    comparisons.length > 0
      ? [sentences([opening(view, first, comparisons), ...byAxis(comparisons), ...chance(comparisons)])]
      : [];
  return [
    ...axes,
    sentences(heights(view, first, true)),
    ...others.map((split) =>
      sentences([
        ...heights(view, split, false),
        ...inOneSentence(compareArms(view.arms, queryOf(view, split))),
      ]),
    ),
  ];
}

const sentences = (parts: readonly Markup[]): Markup =>
  markup`${parts.map((part, i) => [i > 0 && ' ', part])}`;

const queryOf = (view: DatasetView, split: SplitView): ScoreQuery => ({
  split: split.name,
  evaluation: view.evaluations[0]!,
  metric: view.metric,
});

/** How many differences have an interval without 0, and what the differences are of. */
function opening(view: DatasetView, split: SplitView, comparisons: readonly Comparison[]): Markup {
  const of = markup`in ${view.metric} on <em>${split.name}</em> (${view.dataset},
    ${evaluationName(view.evaluations[0]!)})`;
  const judged = comparisons.filter(isJudged);
  if (comparisons.every(({ verdict }) => verdict === 'no-interval')) {
    return comparisons.length === 1
      ? markup`The one difference ${of} is of one seed.`
      : markup`The ${comparisons.length} differences ${of} are of one seed each.`;
  }
  if (judged.length === 0) return markup`No difference ${of} has an interval that could judge it.`;
  const clear = judged.filter(({ verdict }) => verdict === 'larger').length;
  const seeds = [...new Set(judged.map(({ difference }) => difference.seeds.length))].sort((a, b) => a - b);
  const over = seeds.length === 1 ? counted(seeds[0]!, 'seed') : `${seeds[0]!} to ${seeds.at(-1)!} seeds`;
  const brackets = markup`(in brackets, paired over ${over})`;
  if (judged.length === 1) {
    return markup`The 95&nbsp;% interval of the one difference ${of} ${clear === 1 ? 'excludes' : 'includes'} 0
    ${brackets}.`;
  }
  const some = clear === 0 ? 'None' : clear === judged.length ? 'All' : clear;
  return markup`${some} of ${judged.length} differences ${of} ${clear === 1 ? 'has' : 'have'} a 95&nbsp;% interval
  that excludes 0 ${brackets}.`;
}

const isJudged = ({ verdict }: Comparison): boolean => verdict === 'larger' || verdict === 'smaller';

/** Said once, after differences of one seed. */
function chance(comparisons: readonly Comparison[]): Markup[] {
  const single = comparisons.filter(({ verdict }) => verdict === 'no-interval').length;
  if (single === 0) return [];
  const subject =
    single < comparisons.length
      ? `${single === 1 ? 'the difference' : 'the differences'} on one common seed`
      : single === 1
        ? 'it'
        : 'each of them';
  return [markup`One seed gives no interval: ${subject} may be chance.`];
}

/** The highest and the lowest mean, and where trivial predictors stand. */
function heights(view: DatasetView, split: SplitView, isFirst: boolean): Markup[] {
  const query = queryOf(view, split);
  const ranked = rank(view.trained, query);
  const best = ranked[0];
  if (!best) return [markup`No learned arm has a ${view.metric} on <em>${split.name}</em>.`];
  const worst = ranked.at(-1)!;
  const spread = best.halfWidth === null ? '' : `\u00a0±\u00a0${score(best.halfWidth)}`;
  const range =
    worst.arm !== best.arm && markup`, the lowest that of “${worst.arm.name}” with ${score(worst.mean)}`;
  const name =
    best.halfWidth === null ? markup`“${best.arm.name}”` : markup`<strong>${best.arm.name}</strong>`;
  const what = ranked.every(({ count }) => count === 1) ? 'score' : 'mean';
  const parts = [
    markup`On <em>${split.name}</em>${!isFirst && placesInBrackets(view, split)} the highest ${what} is that of
      ${name}, ${score(best.mean)}${spread}${range}.`,
  ];
  const trivial = compareWithTrivial(view.arms, query);
  if (trivial)
    parts.push(
      markup`The best trivial predictor, “${trivial.best.name}”, has ${score(trivial.value)}: ${aboveTrivial(trivial)}.`,
    );
  return parts;
}

/** ` (3 places; YELL 541000 holds 91 % of the pixels)`: one large place can decide a score of all pixels. */
function placesInBrackets(view: DatasetView, { name, places }: SplitView): string {
  if (places.length < 2) return '';
  const sizes = places.map((place) => ({ place, pixels: placePixels(view, name, place) ?? 0 }));
  const total = sizes.reduce((sum, { pixels }) => sum + pixels, 0);
  const large = sizes.find(({ pixels }) => pixels > total / 2);
  const share = large && Math.round((100 * large.pixels) / total);
  return ` (${counted(places.length, 'place')}${large ? `; ${large.place} holds ${share!}\u00a0% of the pixels` : ''})`;
}

/** Where the learned arms stand, each judged by its own interval; one with a single run has none. */
function aboveTrivial({ above, unclear, single, below }: TrivialComparison): string {
  const total = above.length + unclear.length + single.length + below.length;
  const higher = total - below.length;
  const whole = total === 1 ? 'its whole interval' : 'the whole interval';
  if (higher === 0)
    return total === 1 ? 'the learned arm does not lie above it' : 'no learned arm lies above it';
  if (single.length === higher) {
    const lie =
      below.length === 0
        ? everyArm(total)
        : `${higher} of ${counted(total, 'learned arm')} ${higher === 1 ? 'lies' : 'lie'}`;
    return [`${lie} above it`, ...notAbove(below)].join(', ');
  }
  if (above.length === total) return `${everyArm(total)} above it with ${whole}`;
  if (unclear.length === total) return `${everyArm(total)} above it with the mean, but not with ${whole}`;
  const clauses: string[] = [];
  if (above.length > 0)
    clauses.push(
      `${above.length} of ${counted(total, 'learned arm')} ${above.length === 1 ? 'lies' : 'lie'} above it with ${whole}`,
    );
  if (unclear.length > 0)
    clauses.push(
      above.length > 0
        ? `${listed(names(unclear))} with the mean only`
        : `${listed(names(unclear))} ${unclear.length === 1 ? 'lies' : 'lie'} above it with the mean only`,
    );
  if (single.length > 0) clauses.push(`${listed(names(single))} with a single run`);
  return [...clauses, ...notAbove(below)].join('; ');
}

const notAbove = (below: readonly Arm[]): string[] =>
  below.length === 0 ? [] : [`${listed(names(below))} ${below.length === 1 ? 'does' : 'do'} not`];

const everyArm = (count: number): string =>
  count === 1 ? 'the learned arm lies' : `${count === 2 ? 'both' : `all ${count}`} learned arms lie`;

const names = (arms: readonly Arm[]): string[] => arms.map((arm) => `“${arm.name}”`);

function rank(arms: readonly Arm[], query: ScoreQuery) {
  return arms
    .map((arm) => ({ arm, ...armSummary(arm, query) }))
    .filter((entry) => entry.mean !== null)
    .toSorted((a, b) => b.mean! - a.mean!);
}

/** A sentence for each thing that was varied. */
function byAxis(comparisons: readonly Comparison[]): Markup[] {
  const axes = [...new Set(comparisons.map((comparison) => comparison.axis))];
  return axes.map((axis) => {
    const own = comparisons.filter((comparison) => comparison.axis === axis);
    const clauses = own.map((comparison) => clause(comparison, contextAmong(comparison, own)));
    return markup`${capital(axis)}: ${clauses.map((part, i) => (i === 0 ? part : markup`; ${part}`))}.`;
  });
}

/** ` with normalisation z-score`: what tells this comparison from the others of its axis. */
function contextAmong(comparison: Comparison, others: readonly Comparison[]): string {
  const telling = comparison.context.filter(
    ({ name, value }) =>
      !others.every((other) => other.context.some((entry) => entry.name === name && entry.value === value)),
  );
  // a value that says what it is of, like `no normalisation`, stands alone
  const words = telling.map(({ name, value }) => (value.endsWith(name) ? value : `${name} ${value}`));
  return words.length === 0 ? '' : ` with ${listed(words)}`;
}

function clause(comparison: Comparison, context: string): Markup {
  const { values, difference, verdict } = comparison;
  const [higher, lower] = values;
  const by = score(difference.mean);
  switch (verdict) {
    case 'larger':
      return markup`<strong>${higher} beats ${lower}</strong> by ${by} (${span(comparison)})${context}`;
    case 'smaller':
      return markup`${higher} and ${lower} cannot be told apart${context}, ${by} (${span(comparison)})`;
    case 'no-interval':
      return markup`${higher} scores ${by} higher than ${lower}${context}`;
    case 'no-spread':
      return markup`${higher} differs from ${lower} by exactly ${by} on every seed${context}, so that no
      interval can be given`;
    case 'no-value':
      return markup`${higher} and ${lower} have no common seed with a score${context}`;
  }
}

function inOneSentence(comparisons: readonly Comparison[]): Markup[] {
  const judged = comparisons.filter(isJudged);
  const clear = judged.filter(({ verdict }) => verdict === 'larger');
  if (judged.length === 0) return [];
  if (clear.length === 0) {
    return judged.length === 1
      ? [markup`The interval of the difference between arms there includes 0.`]
      : [
          markup`None of the ${judged.length} differences between arms there has an interval that excludes 0.`,
        ];
  }
  const details = clear.map(
    (c) =>
      `${c.values[0]} over ${c.values[1]}${contextAmong(
        c,
        comparisons.filter(({ axis }) => axis === c.axis),
      )} by ${score(c.difference.mean)} (${span(c)})`,
  );
  return [
    markup`${clear.length} of the ${counted(judged.length, 'difference')} between arms there
    ${clear.length === 1 ? 'has' : 'have'} an interval that excludes 0: ${listed(details)}.`,
  ];
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
