import { groupBy } from '../../collections.js';
import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import { isHigherBetter } from '../../results/main-score.js';
import { isMissing, type Interval } from '../../statistics/summary.js';
import { leftOutNote, paddedDomain, toSpec } from './chart.js';
import { highlightEncoding, MAXIMUM_COLOURS } from './highlights.js';
import { decimalsOf, models, requireSome, someOf } from './rows.js';

/** A model's score with a part of the training labels. */
export interface LabelFractionRow {
  readonly model: string;
  /** Above 0, at most 1. */
  readonly labelFraction: number;
  readonly score: number | null;
  readonly interval?: Interval | null | undefined;
}

export interface LabelFractionsOptions {
  /** What was scored, e.g. a dataset. */
  readonly of?: string;
  /** Name of the score; default `score`. A known error is better when it is lower. */
  readonly score?: string;
  /** Models in colour, six at most; default the best with the most labels. */
  readonly highlight?: readonly string[];
}

/**
 * Score by share of the training labels, on a logarithmic axis: a line a model, six in colour, with a bar for each interval.
 * @throws InputError CHART_INPUT where no row has a score and a fraction above 0
 */
export function labelFractionsChart(
  rows: readonly LabelFractionRow[],
  options: LabelFractionsOptions = {},
): ChartSpec {
  const { score = 'score', of } = options;
  const sign = isHigherBetter(score) ? 1 : -1;
  const known = rows.flatMap((row) =>
    isMissing(row.score) || !(row.labelFraction > 0 && row.labelFraction <= 1)
      ? []
      : [{ ...row, score: row.score }],
  );
  requireSome(known, 'no row has a score and a fraction above 0', 'Pass { model, labelFraction, score }.');
  const decimals = decimalsOf(known.map((row) => row.score));
  const fractions = [...new Set(known.map(({ labelFraction }) => labelFraction))].sort((a, b) => a - b);
  const byFraction = groupBy(known, ({ labelFraction }) => labelFraction);
  const bestFirst = (fraction: number) =>
    byFraction.get(fraction)!.toSorted((a, b) => sign * (b.score - a.score));
  // a model without the largest fraction comes behind those that have it
  const order = [
    ...new Set(fractions.toReversed().flatMap((fraction) => bestFirst(fraction).map(({ model }) => model))),
  ];
  const asked = options.highlight?.filter((model) => order.includes(model)) ?? order;
  const coloured = asked.slice(0, MAXIMUM_COLOURS);
  const points = known
    .toSorted((a, b) => a.labelFraction - b.labelFraction)
    .map(({ model, labelFraction, score: value, interval }) => ({
      model,
      labelFraction,
      value,
      low: interval?.low ?? null,
      high: interval?.high ?? null,
      labels: percent(labelFraction),
      text:
        formatNumber(value, decimals + 1) +
        (interval
          ? ` (${formatNumber(interval.low, decimals + 1)} … ${formatNumber(interval.high, decimals + 1)})`
          : ''),
    }));
  const grey = order.length - coloured.length;
  return toSpec({
    title: titleOf(
      fractions.map((fraction) => ({ fraction, best: bestFirst(fraction)[0]!.model })),
      order,
      of,
    ),
    context: `${score} of ${models(order.length)}, ${sign > 0 ? 'higher' : 'lower'} is better${grey > 0 ? `. Grey: ${grey} other${grey === 1 ? '' : 's'}` : ''}`,
    notes: leftOutNote(rows.length - known.length),
    description: `${score} by share of the training labels for ${models(order.length)}: ${someOf(order, 5)}.`,
    rows: points.map(({ model, labelFraction, value, low, high }) => ({
      model,
      labelFraction,
      score: value,
      low,
      high,
    })),
    body: body(points, fractions, coloured, score, decimals),
  });
}

const percent = (fraction: number): string => `${Number((100 * fraction).toPrecision(3))} %`;

function titleOf(
  best: readonly { readonly fraction: number; readonly best: string }[],
  order: readonly string[],
  of: string | undefined,
): string {
  const on = of === undefined ? '' : ` on ${of}`;
  const [least, most] = [best[0]!, best.at(-1)!];
  if (order.length === 1)
    return `${order[0]!}${on} from ${percent(least.fraction)} to ${percent(most.fraction)} of the labels`;
  if (best.length === 1) return `${most.best} is best${on} with ${percent(most.fraction)} of the labels`;
  if (best.every((row) => row.best === most.best))
    return `${most.best} is best${on} with every share of the labels`;
  const ends = `${least.best} is best${on} with ${percent(least.fraction)} of the labels`;
  return least.best === most.best
    ? `${ends} and with ${percent(most.fraction)}, not always between`
    : `${ends}, ${most.best} with ${percent(most.fraction)}`;
}

interface Point {
  readonly model: string;
  readonly labelFraction: number;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

function body(
  points: readonly Point[],
  fractions: readonly number[],
  coloured: readonly string[],
  score: string,
  decimals: number,
): ChartSpec {
  const [least, most] = [fractions[0]!, fractions.at(-1)!];
  const labels = Object.fromEntries(fractions.map((fraction) => [fraction, percent(fraction)]));
  const x = {
    field: 'labelFraction',
    type: 'quantitative',
    title: 'share of the training labels',
    scale: { type: 'log', domain: [least / 1.15, most * 1.15], nice: false },
    axis: {
      grid: false,
      values: fractions,
      labelExpr: `${JSON.stringify(labels)}[datum.value]`,
      labelOverlap: 'greedy',
    },
  };
  const ends = points.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const y = {
    field: 'value',
    type: 'quantitative',
    title: score,
    scale: { domain: paddedDomain(ends), zero: false, nice: false },
    axis: { tickCount: 5, ...(decimals === 3 && { format: '.2f' }) },
  };
  const tooltip = [{ field: 'model' }, { field: 'labels' }, { field: 'text', title: score }];
  const isColoured = ({ model }: Point): boolean => coloured.includes(model);
  const grey = points.filter((point) => !isColoured(point));
  const shown = points.filter(isColoured);
  const { color, shape } = highlightEncoding('model', coloured, 60);
  return {
    height: 260,
    layer: [
      {
        data: { values: grey },
        mark: { type: 'line', style: 'quiet', strokeWidth: 1, opacity: 0.5 },
        encoding: { x, y, detail: { field: 'model' }, tooltip: [{ field: 'model' }] },
      },
      {
        data: { values: shown.filter(({ low }) => low !== null) },
        mark: { type: 'rule', strokeWidth: 2, opacity: 0.5 },
        encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' }, color, tooltip },
      },
      { data: { values: shown }, mark: { type: 'line', strokeWidth: 2 }, encoding: { x, y, color } },
      {
        data: { values: shown },
        mark: { type: 'point', filled: true, size: 55, opacity: 1 },
        encoding: { x, y, color, shape, tooltip },
      },
    ],
  };
}
