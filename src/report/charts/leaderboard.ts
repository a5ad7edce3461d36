import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import type { RankingRow } from '../../statistics/ranking.js';
import { isMissing } from '../../statistics/summary.js';
import { scoreDomain, toSpec, type ChartRow } from './chart.js';
import {
  decimalsOf,
  labelledRows,
  MAXIMUM_MODELS,
  models,
  requireSome,
  rowEncoding,
  rowLabels,
  rowsHeight,
  someOf,
} from './rows.js';

export interface LeaderboardChartOptions {
  /** What is ranked, e.g. `Core`; default `the datasets`. */
  readonly of?: string;
  /** Name of the score; default `normalised score`. */
  readonly score?: string;
  /** As for `ranking`: which number is the score. */
  readonly by?: 'estimate' | 'mean';
}

/** A row of the ranking as it is drawn; `places` is the range that the data allow. */
type DrawnRow = ChartRow & {
  readonly model: string;
  readonly score: number;
  readonly places: string;
};

/**
 * Models from best to worst: a dot for the score, a bar for its interval, the places that the data allow in front of the
 * name. Models that are not told apart from the first are blue. The best 60 are drawn, the table has all.
 * @throws InputError CHART_INPUT where no model has a score
 */
export function leaderboardChart(
  rows: readonly RankingRow[],
  options: LeaderboardChartOptions = {},
): ChartSpec {
  const { of = 'the datasets', score = 'normalised score', by = 'estimate' } = options;
  const scoreOf = (row: RankingRow): number | null =>
    by === 'mean' ? (row.mean ?? row.estimate) : row.estimate;
  const scored = rows.filter((row) => row.place !== null && !isMissing(scoreOf(row)));
  requireSome(scored, 'no model has a score', 'Pass what ranking() gives, of models that have all datasets.');
  const decimals = decimalsOf(scored.map(scoreOf));
  const first = scored[0]!;
  const isWithFirst = (row: RankingRow): boolean =>
    row.place === first.place || row.tiedWith?.includes(first.model) === true;
  const table = scored.map((row): DrawnRow => ({
    place: row.place,
    places: placesText(row),
    model: row.model,
    score: scoreOf(row)!,
    low: row.interval?.low ?? null,
    high: row.interval?.high ?? null,
    tiedWith: row.tiedWith?.join(', ') ?? null,
    isTiedWithFirst: isWithFirst(row),
    text: intervalText(scoreOf(row)!, row, decimals),
  }));
  const drawn = table.slice(0, MAXIMUM_MODELS);
  const unscored = rows.filter((row) => !scored.includes(row)).map(({ model }) => model);
  const interval = scored.some((row) => row.interval)
    ? `Bar: ${formatNumber(first.level * 100, 0)} % interval. Blue: not told apart from the first. In front: places that the data allow`
    : 'One run a model: no intervals';
  return toSpec({
    title: titleOf(scored, of),
    context: `${score} of ${models(scored.length)}, higher is better. ${interval}`,
    notes: [
      ...(unscored.length > 0
        ? [`${models(unscored.length, ['has', 'have'])} no score and no place: ${someOf(unscored)}.`]
        : []),
      ...(table.length > drawn.length
        ? [`The best ${drawn.length} of ${models(table.length)} are drawn.`]
        : []),
    ],
    description: `Ranking of ${models(scored.length)} by ${score} on ${of}, best first: ${someOf(
      scored.map(({ model }) => model),
      5,
    )}.`,
    rows: table.map(({ text: _, ...row }) => row),
    body: body(drawn, score, decimals),
  });
}

const placesText = ({ place, places }: RankingRow): string =>
  places && places.best !== places.worst ? `${places.best}–${places.worst}` : `${place!}`;

const intervalText = (score: number, { interval }: RankingRow, decimals: number): string =>
  formatNumber(score, decimals + 1) +
  (interval
    ? ` (${formatNumber(interval.low, decimals + 1)} … ${formatNumber(interval.high, decimals + 1)})`
    : ', no interval');

function titleOf(scored: readonly RankingRow[], of: string): string {
  const [first] = scored;
  if (scored.length === 1) return `${first!.model} alone has a score on ${of}`;
  const shared = scored.filter(({ place }) => place === first!.place).map(({ model }) => model);
  if (shared.length > 1) return `${someOf(shared)} share the first place on ${of}`;
  const { tiedWith } = first!;
  if (tiedWith === null) return `${first!.model} has the highest score on ${of}`;
  const tie = tiedWith.length === 0 ? 'ahead of all others' : `not told apart from ${someOf(tiedWith, 2)}`;
  return `${first!.model} leads ${of}, ${tie}`;
}

function body(rows: readonly DrawnRow[], score: string, decimals: number): ChartSpec {
  const names = rows.map(({ model }) => model);
  const labels = rowLabels(names, (_, i) => `${rows[i]!.places}\u2002`);
  const left = rowEncoding('model', names, labelledRows(labels));
  const numbers = Object.fromEntries(rows.map((row) => [row.model, formatNumber(row.score, decimals)]));
  const right = rowEncoding('model', names, {
    orient: 'right',
    grid: false,
    labelExpr: `${JSON.stringify(numbers)}[datum.value]`,
  });
  const values = rows.flatMap((row) => [row.score, row.low as number | null, row.high as number | null]);
  const known = values.filter((value) => value !== null);
  const x = {
    type: 'quantitative',
    title: score,
    scale: { domain: scoreDomain('', known, known), zero: false, nice: false },
    axis: { tickCount: 5, grid: false, ...(decimals === 3 && { format: '.2f' }) },
  };
  const tooltip = [
    { field: 'model' },
    { field: 'text', title: score },
    { field: 'places' },
    { field: 'tiedWith', title: 'tied with' },
  ];
  const layers = [true, false].flatMap((isTied) => {
    const own = rows.filter((row) => row.isTiedWithFirst === isTied);
    const style = isTied ? 'strong' : 'quiet';
    return [
      {
        data: { values: own.filter(({ low }) => low !== null) },
        mark: { type: 'rule', style, strokeWidth: 3, strokeCap: 'round', opacity: 0.6 },
        encoding: { x: { ...x, field: 'low' }, x2: { field: 'high' }, y: left, tooltip },
      },
      {
        data: { values: own },
        mark: { type: 'point', style, filled: true, size: 40, opacity: 1 },
        encoding: { x: { ...x, field: 'score' }, y: left, tooltip },
      },
    ];
  });
  return {
    height: rowsHeight(labels, 20),
    resolve: { axis: { y: 'independent' } },
    layer: [
      { layer: layers },
      {
        data: { values: rows },
        mark: { type: 'point', opacity: 0 },
        encoding: { x: { ...x, field: 'score' }, y: right, tooltip },
      },
    ],
  };
}
