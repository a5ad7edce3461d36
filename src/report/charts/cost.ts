import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import { isOnCostFront, type CostPoint } from '../../statistics/cost.js';
import { isMissing, type Interval } from '../../statistics/summary.js';
import { leftOutNote, paddedDomain, toSpec } from './chart.js';
import { decimalsOf, models, requireSome, someOf } from './rows.js';

/** A model's score and cost; one that lacks either is left out. */
export interface CostRow extends Omit<CostPoint, 'cost' | 'score'> {
  readonly cost: number | null;
  readonly score: number | null;
  readonly interval?: Interval | null | undefined;
}

export interface CostChartOptions {
  /** Name of the cost with its unit, e.g. `parameters (millions)`; default `cost`. */
  readonly cost?: string;
  /** Name of the score; default `score`. */
  readonly score?: string;
}

/**
 * Score against cost. Models that are worth their cost are blue, named and joined: no other scores at least as much for less. The
 * axis of costs is logarithmic where they differ tenfold.
 * @throws InputError CHART_INPUT where no model has both
 */
export function costChart(rows: readonly CostRow[], options: CostChartOptions = {}): ChartSpec {
  const { cost = 'cost', score = 'score' } = options;
  const known = rows.flatMap((row) =>
    isMissing(row.cost) || isMissing(row.score) ? [] : [{ ...row, cost: row.cost, score: row.score }],
  );
  requireSome(known, 'no model has a cost and a score', 'Pass { model, cost, score } of each.');
  const onFront = isOnCostFront(known);
  const [scores, costs] = [known.map((row) => row.score), known.map((row) => row.cost)];
  const [decimals, costDecimals] = [decimalsOf(scores), decimalsOf(costs)];
  const points = known
    .map((row, i): Point => ({
      model: row.model,
      cost: row.cost,
      score: row.score,
      low: row.interval?.low ?? null,
      high: row.interval?.high ?? null,
      isOnFront: onFront[i]!,
      costText: formatNumber(row.cost, Math.min(costDecimals, 3)),
      scoreText: formatNumber(row.score, decimals + 1),
    }))
    .sort((a, b) => a.cost - b.cost || a.score - b.score);
  const front = points.filter(({ isOnFront }) => isOnFront);
  const names = someOf(front.map(({ model }) => model));
  return toSpec({
    title:
      points.length === 1
        ? `${names}: ${score} against ${cost}`
        : `${front.length} of ${models(points.length)} ${front.length === 1 ? 'is' : 'are'} worth the cost: ${names}`,
    context: `${score}, higher is better, against ${cost}. Blue: no other model scores as much for less`,
    notes: leftOutNote(rows.length - known.length),
    description: `${score} of ${models(points.length)} against ${cost}.`,
    rows: points.map(({ costText: _, scoreText: _text, ...row }) => row),
    body: body(points, cost, score, decimals),
  });
}

interface Point {
  readonly model: string;
  readonly cost: number;
  readonly score: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly isOnFront: boolean;
  readonly costText: string;
  readonly scoreText: string;
}

function body(points: readonly Point[], cost: string, score: string, decimals: number): ChartSpec {
  const costs = points.map((point) => point.cost);
  const [least, most] = [Math.min(...costs), Math.max(...costs)];
  const isLogarithmic = least > 0 && most / least >= 10;
  const costDomain = isLogarithmic ? [least / 1.4, most * 1.4] : paddedDomain(costs);
  const x = {
    field: 'cost',
    type: 'quantitative',
    title: cost,
    scale: { domain: costDomain, nice: false, ...(isLogarithmic ? { type: 'log' } : { zero: false }) },
    axis: { grid: false, tickCount: 4, format: most >= 1000 ? '~s' : '~g', labelFlush: false },
  };
  const scores = points.flatMap(({ score: value, low, high }) => [value, low ?? value, high ?? value]);
  const [bottom, top] = paddedDomain(scores);
  // room for the names above the highest
  const domain = [bottom, top + 0.08 * (top - bottom)] as const;
  const y = {
    field: 'score',
    type: 'quantitative',
    title: score,
    scale: { domain, zero: false, nice: false },
    axis: { tickCount: 5, ...(decimals === 3 && { format: '.2f' }) },
  };
  const tooltip = [
    { field: 'model' },
    { field: 'costText', title: cost },
    { field: 'scoreText', title: score },
  ];
  const place = (value: number): number =>
    isLogarithmic
      ? Math.log(value / costDomain[0]!) / Math.log(costDomain[1]! / costDomain[0]!)
      : (value - costDomain[0]!) / (costDomain[1]! - costDomain[0]!);
  const front = points.filter(({ isOnFront }) => isOnFront);
  const named = namedOf(front, domain);
  // a letter of 11 px is about 6.2 px wide, a narrow plot 290 px
  const fitsLeft = ({ model, cost: own }: Point): boolean => place(own) * 290 > 6.2 * model.length;
  const dots = (isOnFront: boolean): object[] => {
    const own = points.filter((point) => point.isOnFront === isOnFront);
    const style = isOnFront ? 'strong' : 'quiet';
    return [
      {
        data: { values: own.filter(({ low }) => low !== null) },
        mark: { type: 'rule', style, opacity: 0.6, strokeWidth: 2 },
        encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' }, tooltip },
      },
      {
        data: { values: own },
        mark: { type: 'point', style, filled: true, size: 50, opacity: isOnFront ? 1 : 0.7 },
        encoding: { x, y, tooltip },
      },
    ];
  };
  return {
    height: 280,
    layer: [
      {
        data: { values: front },
        mark: { type: 'line', style: 'strong', interpolate: 'step-after', strokeWidth: 1.2, opacity: 0.6 },
        encoding: { x, y },
      },
      ...dots(false),
      ...dots(true),
      // left of a point on the front and above it there is no other: names stand there where a narrow plot has room
      ...[false, true].map((isRight) => ({
        data: { values: named.filter((point) => fitsLeft(point) !== isRight) },
        mark: {
          type: 'text',
          style: 'on-faint',
          fontSize: 11,
          baseline: 'bottom',
          align: isRight ? 'left' : 'right',
          dx: isRight ? -4 : 4,
          dy: -6,
        },
        encoding: { x, y, text: { field: 'model' }, tooltip },
      })),
    ],
  };
}

/** Of the front those whose name has a line of its own, from the best down; the others are named on hover. */
function namedOf(front: readonly Point[], [bottom, top]: readonly [number, number]): Point[] {
  const named: Point[] = [];
  for (const point of front.toReversed()) {
    const last = named.at(-1);
    // 14 of the plot's 280 pixels
    if (!last || last.score - point.score > 0.05 * (top - bottom)) named.push(point);
  }
  return named;
}
