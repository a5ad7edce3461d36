import { formatNumber } from '../display/numbers.js';
import { listed } from '../display/words.js';
import { armSummary, type Arm, type ScoreQuery } from '../statistics/arms.js';
import { compareArms, compareWithTrivial, type Comparison } from './findings.js';
import { counted, markup, type Markup } from './html.js';
import { evaluationName, type DatasetView, type SplitView } from './view.js';

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
    comparisons.length > 0 ? [sentences([opening(view, first, comparisons), ...byAxis(comparisons)])] : [];
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

/** How many differences are larger than their interval, and what the differences are of. */
function opening(view: DatasetView, split: SplitView, comparisons: readonly Comparison[]): Markup {
  const of = markup`in ${view.metric} on <em>${split.name}</em> (${view.dataset},
    ${evaluationName(view.evaluations[0]!)})`;
  const judged = comparisons.filter(({ verdict }) => verdict === 'larger' || verdict === 'smaller');
  if (judged.length === 0)
    return markup`No difference ${of} has an interval yet, so that none can be told from chance.`;
  const larger = judged.filter(({ verdict }) => verdict === 'larger').length;
  const seeds = [...new Set(judged.map(({ difference }) => difference.seeds.length))].sort((a, b) => a - b);
  const over = seeds.length === 1 ? counted(seeds[0]!, 'seed') : `${seeds[0]!} to ${seeds.at(-1)!} seeds`;
  if (judged.length === 1) {
    return markup`The one difference ${of} is ${larger === 0 && 'not '}larger than its 95&nbsp;% interval (in
    brackets, paired over ${over}).`;
  }
  return markup`${larger === 0 ? 'None' : larger === judged.length ? 'All' : larger} of ${judged.length}
  differences ${of} ${larger === 1 ? 'is' : 'are'} larger than ${larger === 1 ? 'its' : 'their'} 95&nbsp;% interval
  (in brackets, paired over ${over}).`;
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
  const places = !isFirst && split.places.length > 1 && ` (${counted(split.places.length, 'place')})`;
  const parts = [
    markup`On <em>${split.name}</em>${places} the highest mean is that of <strong>${best.arm.name}</strong>,
      ${score(best.mean)}${spread}${range}.`,
  ];
  const trivial = compareWithTrivial(view.arms, query);
  if (trivial) {
    const { above, unclear, below, best: constant, value } = trivial;
    const total = above.length + unclear.length + below.length;
    const clauses: string[] = [];
    const hasIntervals =
      total > unclear.length || unclear.some((arm) => armSummary(arm, query).interval !== null);
    if (hasIntervals) {
      const all = everyArm(total);
      const some = `${above.length} of ${counted(total, 'learned arm')} ${above.length === 1 ? 'lies' : 'lie'}`;
      clauses.push(`${above.length === total ? all : some} above it with the whole interval`);
      if (unclear.length > 0) clauses.push(`${listed(names(unclear))} with the mean only`);
    } else {
      clauses.push(`${everyArm(total)} above it, without an interval to judge that by`);
    }
    if (below.length > 0) clauses.push(`${listed(names(below))} not at all`);
    parts.push(
      markup`The best trivial predictor, “${constant.name}”, has ${score(value)}: ${clauses.join('; ')}.`,
    );
  }
  return parts;
}

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

/** ` with normalization z-score`: what tells this comparison from the others of its axis. */
function contextAmong(comparison: Comparison, others: readonly Comparison[]): string {
  const telling = comparison.context.filter(
    ({ name, value }) =>
      !others.every((other) => other.context.some((entry) => entry.name === name && entry.value === value)),
  );
  return telling.length === 0 ? '' : ` with ${listed(telling.map(({ name, value }) => `${name} ${value}`))}`;
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
      return markup`${higher} scores ${by} higher than ${lower}${context} on one common seed, which may be
      chance`;
    case 'no-spread':
      return markup`${higher} differs from ${lower} by exactly ${by} on every seed${context}, so that no
      interval can be given`;
    case 'no-value':
      return markup`${higher} and ${lower} have no common seed with a score${context}`;
  }
}

function inOneSentence(comparisons: readonly Comparison[]): Markup[] {
  if (comparisons.length === 0) return [];
  const larger = comparisons.filter(({ verdict }) => verdict === 'larger');
  const judged = comparisons.filter(({ verdict }) => verdict === 'larger' || verdict === 'smaller');
  if (judged.length === 0) return [];
  const pairs = counted(judged.length, 'difference');
  if (larger.length === 0)
    return [
      markup`${judged.length === 1 ? 'The difference' : `None of the ${pairs}`} between arms there is
      ${judged.length === 1 ? 'not ' : ''}larger than its interval.`,
    ];
  const details = larger.map(
    (c) =>
      `${c.values[0]} over ${c.values[1]}${contextAmong(
        c,
        comparisons.filter(({ axis }) => axis === c.axis),
      )} by ${score(c.difference.mean)} (${span(c)})`,
  );
  return [
    markup`${larger.length} of the ${pairs} between arms there ${larger.length === 1 ? 'is' : 'are'} larger than
    ${larger.length === 1 ? 'its' : 'their'} interval: ${listed(details)}.`,
  ];
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
