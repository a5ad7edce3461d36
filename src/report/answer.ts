import { formatNumber } from '../display/numbers.js';
import { armSummary, type Arm, type ScoreQuery } from '../statistics/arms.js';
import { compareArms, compareWithTrivial, type Comparison } from './findings.js';
import { counted, html, listed, type Markup } from './html.js';
import { evaluationName, type DatasetView, type SplitView } from './view.js';

/** The answer in words: every name, number and verdict comes from the records. */
export interface Answer {
  /** Sentences on the first split. */
  readonly lead: readonly Markup[];
  /** Sentences on the other splits. */
  readonly elsewhere: readonly Markup[];
}

const score = (value: number | null): string => formatNumber(value, 3);
const span = ({ difference }: Comparison): string =>
  `${score(difference.interval!.low)} to ${score(difference.interval!.high)}`;

/** What the runs of one dataset say, in two paragraphs. */
export function answerInWords(view: DatasetView): Answer {
  const [first, ...others] = view.splits;
  if (!first) return { lead: [html`The runs hold no scores.`], elsewhere: [] };
  if (view.trained.length === 0) return { lead: [html`Only trivial predictors have run; they answer no question.`], elsewhere: [] };
  return { lead: aboutSplit(view, first, true), elsewhere: others.flatMap((split) => aboutSplit(view, split, false)) };
}

function aboutSplit(view: DatasetView, split: SplitView, isFirst: boolean): Markup[] {
  const evaluation = view.evaluations[0]!;
  const query: ScoreQuery = { split: split.name, evaluation, metric: view.metric };
  const ranked = rank(view.trained, query);
  const best = ranked[0];
  if (!best) return [html`No learned arm has a ${view.metric} on <em>${split.name}</em>.`];
  const where = isFirst
    ? html`On <em>${split.name}</em> (${view.dataset}, ${evaluationName(evaluation)})`
    : html`On <em>${split.name}</em>${split.places.length > 1 ? ` (${counted(split.places.length, 'other place')})` : ''}`;
  const spread = best.halfWidth === null ? '' : ` ± ${score(best.halfWidth)}`;
  const worst = ranked.at(-1)!;
  const range = worst.arm === best.arm ? '' : html`, the lowest <strong>${worst.arm.name}</strong> with ${score(worst.mean)}`;
  const sentences = [
    html`${where} the highest mean ${view.metric} is that of <strong>${best.arm.name}</strong> with ${score(best.mean)}${spread}${range}.`,
  ];
  const comparisons = compareArms(view.arms, query);
  sentences.push(...(isFirst ? byAxis(comparisons) : inOneSentence(comparisons)));
  const trivial = compareWithTrivial(view.arms, query);
  if (trivial) {
    const { above, unclear, below, best: constant, value } = trivial;
    const total = above.length + unclear.length + below.length;
    const parts = [`${above.length} of ${counted(total, 'learned arm')} ${above.length === 1 ? 'lies' : 'lie'} above it with the whole interval`];
    if (unclear.length > 0) parts.push(`${listed(names(unclear))} only with the mean`);
    if (below.length > 0) parts.push(`${listed(names(below))} ${below.length === 1 ? 'does' : 'do'} not`);
    sentences.push(html`The best trivial predictor, ${constant.name}, has ${score(value)}: ${parts.join('; ')}.`);
  }
  return sentences;
}

const names = (arms: readonly Arm[]): string[] => arms.map((arm) => arm.name);

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
    const clauses = comparisons.filter((comparison) => comparison.axis === axis).map(clause);
    return html`${capital(axis)}: ${clauses.map((part, i) => (i === 0 ? part : html`; ${part}`))}.`;
  });
}

function clause(comparison: Comparison): Markup {
  const { values, context, difference, verdict } = comparison;
  const [higher, lower] = values;
  const under = context && html` (with ${context})`;
  const by = score(difference.mean);
  switch (verdict) {
    case 'larger':
      return html`<strong>${higher}</strong> scores higher than ${lower} by ${by}${under}, more than its interval allows for chance (${span(comparison)})`;
    case 'smaller':
      return html`${higher} and ${lower} cannot be told apart${under}: the difference, ${by}, is smaller than its interval (${span(comparison)})`;
    case 'no-interval':
      return html`${higher} scores ${by} higher than ${lower}${under}, on one common seed: without an interval, this may be chance`;
    case 'no-spread':
      return html`${higher} differs from ${lower} by exactly ${by} on every seed${under}, so that no interval can be given`;
    case 'no-value':
      return html`${higher} and ${lower} have no common seed with a score${under}`;
  }
}

function inOneSentence(comparisons: readonly Comparison[]): Markup[] {
  if (comparisons.length === 0) return [];
  const larger = comparisons.filter(({ verdict }) => verdict === 'larger');
  const judged = comparisons.filter(({ verdict }) => verdict === 'larger' || verdict === 'smaller');
  if (judged.length === 0) return [html`No difference has an interval here.`];
  const pairs = counted(judged.length, 'difference');
  if (larger.length === 0) return [html`None of the ${pairs} between arms there is larger than its interval.`];
  const details = larger.map((c) => `${c.values[0]} over ${c.values[1]}${c.context && ` with ${c.context}`} by ${score(c.difference.mean)} (${span(c)})`);
  return [html`${larger.length} of the ${pairs} between arms there ${larger.length === 1 ? 'is' : 'are'} larger than the interval: ${listed(details)}.`];
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
