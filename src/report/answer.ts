import { formatNumber } from '../display/numbers.js';
import { listed } from '../display/words.js';
import { isHigherBetter } from '../results/main-score.js';
import { armSummary, type Arm } from '../statistics/arms.js';
import { compareArms, compareWithTrivial, type Comparison, type TrivialComparison } from './findings.js';
import { counted, markup, type Markup } from './html.js';
import {
  directionNote,
  evaluationName,
  mainQuery,
  placeAnswers,
  scoreDecimals,
  type DatasetView,
  type MainQuery,
  type SplitView,
} from './view.js';

/** A number of the main score in words. */
type ScoreText = (value: number | null) => string;

const scoreText = (view: DatasetView): ScoreText => {
  const decimals = scoreDecimals(view.records, view.metric);
  return (value) => formatNumber(value, decimals);
};
const span = ({ difference }: Comparison, score: ScoreText): string =>
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
  const comparisons = compareArms(view.arms, mainQuery(view, first.name));
  const axes =
    comparisons.length > 0
      ? [sentences([opening(view, first, comparisons), ...byAxis(comparisons, view), ...chance(comparisons)])]
      : [];
  return [
    ...axes,
    sentences(heights(view, first, true)),
    ...others.map((split) =>
      sentences([
        ...heights(view, split, false),
        ...inOneSentence(compareArms(view.arms, mainQuery(view, split.name)), view),
      ]),
    ),
  ];
}

const sentences = (parts: readonly Markup[]): Markup =>
  markup`${parts.map((part, i) => [i > 0 && ' ', part])}`;

/** How many differences have an interval without 0, and what the differences are of. */
function opening(view: DatasetView, split: SplitView, comparisons: readonly Comparison[]): Markup {
  const details = [view.dataset, evaluationName(view, view.evaluation), directionNote(view.metric)];
  const of = markup`in ${view.metric} on <em>${split.name}</em> (${details.filter(Boolean).join(', ')})`;
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

/** The best and the worst mean, and where trivial predictors stand. */
function heights(view: DatasetView, split: SplitView, isFirst: boolean): Markup[] {
  const query = mainQuery(view, split.name);
  const score = scoreText(view);
  const [bestIs, worstIs, side] = isHigherBetter(view.metric)
    ? (['highest', 'lowest', 'above'] as const)
    : (['lowest', 'highest', 'below'] as const);
  const ranked = rank(view.trained, query);
  const best = ranked[0];
  if (!best) return [markup`No learned arm has a ${view.metric} on <em>${split.name}</em>.`];
  const worst = ranked.at(-1)!;
  const spread = best.halfWidth === null ? '' : `\u00a0±\u00a0${score(best.halfWidth)}`;
  const range =
    worst.arm !== best.arm && markup`, the ${worstIs} that of “${worst.arm.name}” with ${score(worst.mean)}`;
  const name =
    best.halfWidth === null ? markup`“${best.arm.name}”` : markup`<strong>${best.arm.name}</strong>`;
  const what = ranked.every(({ count }) => count === 1) ? 'score' : 'mean';
  const parts = [
    markup`On <em>${split.name}</em>${!isFirst && placesInBrackets(view, split)} the ${bestIs} ${what} is that of
      ${name}, ${score(best.mean)}${spread}${range}.`,
  ];
  const trivial = compareWithTrivial(view.arms, query);
  if (trivial)
    parts.push(
      markup`The best trivial predictor, “${trivial.best.name}”, has ${score(trivial.value)}: ${besideTrivial(trivial, side)}.`,
    );
  return parts;
}

/** ` (3 places; YELL 541000 holds 91 % of the pixels)`: one large place can decide a score of all pixels. */
function placesInBrackets(view: DatasetView, { name, places }: SplitView): string {
  if (places.length < 2) return '';
  const sizes = places.map((place) => ({ place, count: placeAnswers(view, name, place) ?? 0 }));
  const total = sizes.reduce((sum, { count }) => sum + count, 0);
  const large = sizes.find(({ count }) => count > total / 2);
  const share = large && Math.round((100 * large.count) / total);
  return ` (${counted(places.length, 'place')}${large ? `; ${large.place} holds ${share!}\u00a0% of the ${view.answerNoun ?? 'pixel'}s` : ''})`;
}

/**
 * Where the learned arms stand, each judged by its own interval; one with a single run has none.
 * @param side where scores are better
 */
function besideTrivial(
  { better, unclear, single, notBetter }: TrivialComparison,
  side: 'above' | 'below',
): string {
  const total = better.length + unclear.length + single.length + notBetter.length;
  const onSide = total - notBetter.length;
  const whole = total === 1 ? 'its whole interval' : 'the whole interval';
  if (onSide === 0)
    return total === 1 ? `the learned arm does not lie ${side} it` : `no learned arm lies ${side} it`;
  if (single.length === onSide) {
    const lie =
      notBetter.length === 0
        ? everyArm(total)
        : `${onSide} of ${counted(total, 'learned arm')} ${onSide === 1 ? 'lies' : 'lie'}`;
    return [`${lie} ${side} it`, ...doNot(notBetter)].join(', ');
  }
  if (better.length === total) return `${everyArm(total)} ${side} it with ${whole}`;
  if (unclear.length === total) return `${everyArm(total)} ${side} it with the mean, but not with ${whole}`;
  const clauses: string[] = [];
  if (better.length > 0)
    clauses.push(
      `${better.length} of ${counted(total, 'learned arm')} ${better.length === 1 ? 'lies' : 'lie'} ${side} it with ${whole}`,
    );
  if (unclear.length > 0)
    clauses.push(
      better.length > 0
        ? `${listed(names(unclear))} with the mean only`
        : `${listed(names(unclear))} ${unclear.length === 1 ? 'lies' : 'lie'} ${side} it with the mean only`,
    );
  if (single.length > 0) clauses.push(`${listed(names(single))} with a single run`);
  return [...clauses, ...doNot(notBetter)].join('; ');
}

const doNot = (arms: readonly Arm[]): string[] =>
  arms.length === 0 ? [] : [`${listed(names(arms))} ${arms.length === 1 ? 'does' : 'do'} not`];

const everyArm = (count: number): string =>
  count === 1 ? 'the learned arm lies' : `${count === 2 ? 'both' : `all ${count}`} learned arms lie`;

const names = (arms: readonly Arm[]): string[] => arms.map((arm) => `“${arm.name}”`);

/** Arms with a mean, the best first. */
function rank(arms: readonly Arm[], query: MainQuery) {
  const sign = isHigherBetter(query.metric) ? 1 : -1;
  return arms
    .map((arm) => ({ arm, ...armSummary(arm, query) }))
    .filter((entry) => entry.mean !== null)
    .toSorted((a, b) => sign * (b.mean! - a.mean!));
}

/** A sentence for each thing that was varied. */
function byAxis(comparisons: readonly Comparison[], view: DatasetView): Markup[] {
  const axes = [...new Set(comparisons.map((comparison) => comparison.axis))];
  return axes.map((axis) => {
    const own = comparisons.filter((comparison) => comparison.axis === axis);
    const clauses = own.map((comparison) => clause(comparison, contextAmong(comparison, own), view));
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

function clause(comparison: Comparison, context: string, view: DatasetView): Markup {
  const { values, difference, verdict } = comparison;
  const [better, worse] = values;
  const score = scoreText(view);
  const by = score(difference.mean);
  switch (verdict) {
    case 'larger':
      return markup`<strong>${better} beats ${worse}</strong> by ${by} (${span(comparison, score)})${context}`;
    case 'smaller':
      return markup`${better} and ${worse} cannot be told apart${context}, ${by} (${span(comparison, score)})`;
    case 'no-interval':
      return markup`${better} scores ${by} ${isHigherBetter(view.metric) ? 'higher' : 'lower'} than ${worse}${context}`;
    case 'no-spread':
      return markup`${better} differs from ${worse} by exactly ${by} on every seed${context}, so that no
      interval can be given`;
    case 'no-value':
      return markup`${better} and ${worse} have no common seed with a score${context}`;
  }
}

function inOneSentence(comparisons: readonly Comparison[], view: DatasetView): Markup[] {
  const score = scoreText(view);
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
      )} by ${score(c.difference.mean)} (${span(c, score)})`,
  );
  return [
    markup`${clear.length} of the ${counted(judged.length, 'difference')} between arms there
    ${clear.length === 1 ? 'has' : 'have'} an interval that excludes 0: ${listed(details)}.`,
  ];
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
