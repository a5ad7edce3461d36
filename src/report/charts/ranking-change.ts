import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import { kendall } from '../../statistics/kendall.js';
import type { RankingRow } from '../../statistics/ranking.js';
import { ranks } from '../../statistics/ranks.js';
import { isMissing } from '../../statistics/summary.js';
import { AVAILABLE, toSpec } from './chart.js';
import {
  brokenName,
  decimalsOf,
  MAXIMUM_MODELS,
  models,
  requireSome,
  ROW_CHARACTERS,
  rowLabels,
  rowsHeight,
  someOf,
} from './rows.js';

export interface RankingChangeChartOptions {
  /** Names of the two conditions, e.g. `['frozen', 'fine-tuned']`; default `before` and `after`. */
  readonly names?: readonly [string, string];
  /** What is ranked, e.g. `Core`. */
  readonly of?: string;
}

interface Line {
  readonly model: string;
  readonly before: Side;
  readonly after: Side;
  /** Places gained; below 0 lost. */
  readonly gain: number;
  /** The places that the data allow before and after do not meet; null where they are not known. */
  readonly isSure: boolean | null;
}

interface Side {
  /** Among the models that both rankings have. */
  readonly place: number;
  /** Row from the top; models of equal place have rows of their own. */
  readonly row: number;
  readonly score: number;
}

/**
 * How places change between two rankings, over the models that both have: a line a model, blue where it rises, orange where it
 * falls. Strong lines are those whose places before and after, as far as the data allow, do not meet.
 * @throws InputError CHART_INPUT where no model has a score in both
 */
export function rankingChangeChart(
  before: readonly RankingRow[],
  after: readonly RankingRow[],
  options: RankingChangeChartOptions = {},
): ChartSpec {
  const { names = ['before', 'after'], of } = options;
  const every = linesOf(before, after);
  requireSome(
    every,
    'no model has a score in both rankings',
    'Pass two results of ranking() over the same models.',
  );
  const lines = every.slice(0, MAXIMUM_MODELS);
  const { distance } = kendall(
    every.map((line) => line.before.score),
    every.map((line) => line.after.score),
  );
  const shared = new Set(every.map(({ model }) => model));
  const single = [...new Set([...before, ...after].map(({ model }) => model))].filter(
    (model) => !shared.has(model),
  );
  const hasIntervals = every.some(({ isSure }) => isSure !== null);
  const decimals = decimalsOf(every.flatMap((line) => [line.before.score, line.after.score])) + 1;
  const [from, to] = names;
  const on = of === undefined ? '' : ` on ${of}`;
  return toSpec({
    title: titleOf(distance, names, on),
    context: `Places of ${models(every.length)}${on}. Blue: rises, orange: falls${hasIntervals ? '. Strong: the places that the data allow do not meet' : ''}`,
    notes: [
      ...(single.length > 0
        ? [`${models(single.length, ['is', 'are'])} in one ranking only and left out: ${someOf(single)}.`]
        : []),
      ...(single.length > 0 && !hasIntervals && before.some(({ places }) => places)
        ? ['Which changes are sure shows only between rankings of the same models.']
        : []),
      ...(every.length > lines.length
        ? [`The first ${lines.length} of ${models(every.length)} are drawn.`]
        : []),
    ],
    description: `Places of ${models(every.length)} under ${from} and ${to}${on}.`,
    rows: every.map((line) => ({
      model: line.model,
      [`place, ${from}`]: line.before.place,
      [`place, ${to}`]: line.after.place,
      [`score, ${from}`]: line.before.score,
      [`score, ${to}`]: line.after.score,
      placesGained: line.gain,
      isSure: line.isSure,
    })),
    body: body(lines, names, decimals),
  });
}

function titleOf(distance: number | null, [from, to]: readonly [string, string], on: string): string {
  if (distance === null) return `One model${on}: no order that could change from ${from} to ${to}`;
  if (distance === 0) return `No two models change their order${on} from ${from} to ${to}`;
  return `${formatNumber(100 * distance, 1)} % of pairs of models change their order${on} from ${from} to ${to}`;
}

function linesOf(before: readonly RankingRow[], after: readonly RankingRow[]): Line[] {
  const pairs = before.flatMap((first) => {
    const second = after.find(({ model }) => model === first.model);
    const isKnown = second && !isMissing(first.estimate) && !isMissing(second.estimate);
    return isKnown ? [{ first, second }] : [];
  });
  // places are counted over all models of a ranking: those of other models do not compare
  const scored = [before, after].map((rows) => rows.filter(({ place }) => place !== null).length);
  const isComparable = scored.every((count) => count === pairs.length);
  const sides = [
    sidesOf(pairs.map(({ first }) => first)),
    sidesOf(pairs.map(({ second }) => second)),
  ] as const;
  return pairs
    .map(({ first, second }, i): Line => {
      const [own, other] = [sides[0][i]!, sides[1][i]!];
      const [a, b] = [first.places, second.places];
      return {
        model: first.model,
        before: own,
        after: other,
        gain: own.place - other.place,
        isSure: isComparable && a && b ? a.worst < b.best || b.worst < a.best : null,
      };
    })
    .sort((a, b) => a.before.row - b.before.row);
}

function sidesOf(rows: readonly RankingRow[]): Side[] {
  const places = ranks(
    rows.map(({ estimate }) => estimate),
    { ties: 'min' },
  );
  const order = rows.map((_, i) => i).sort((a, b) => places[a]! - places[b]! || a - b);
  return rows.map(({ estimate }, i) => ({ place: places[i]!, score: estimate!, row: order.indexOf(i) + 1 }));
}

/** Pixels of a chart's width from which on names stand on both sides. */
const WIDE = 460;

function body(lines: readonly Line[], [from, to]: readonly [string, string], decimals: number): ChartSpec {
  const labels = rowLabels(
    lines.map(({ model }) => model),
    (_, i) => `${lines[i]!.before.place}\u2002`,
  );
  const left = Object.fromEntries(lines.map(({ model, before }) => [before.row, labels[model]!]));
  const right = Object.fromEntries(
    lines.map(({ model, after }) => {
      const [first, ...rest] = brokenName(model, ROW_CHARACTERS);
      return [after.row, [`${after.place}\u2002${first!}`, ...rest]];
    }),
  );
  const places = Object.fromEntries(lines.map(({ after }) => [after.row, `${after.place}`]));
  const rows = lines.length;
  const y = (axis: object): object => ({
    type: 'quantitative',
    scale: { domain: [0.5, rows + 0.5], reverse: true, nice: false, zero: false },
    axis: {
      values: lines.map((_, i) => i + 1),
      title: null,
      ticks: false,
      domain: false,
      grid: false,
      labelPadding: 10,
      labelOverlap: false,
      ...axis,
    },
  });
  const lift = (side: Readonly<Record<string, readonly string[]>>): string =>
    `${JSON.stringify(Object.fromEntries(Object.entries(side).map(([row, { length }]) => [row, -7 * (length - 1)])))}[datum.value] || 0`;
  const leftY = y({
    labelExpr: `${JSON.stringify(left)}[datum.value]`,
    encoding: { labels: { dy: { value: { expr: lift(left) } } } },
  });
  const isWide = `${AVAILABLE} >= ${WIDE}`;
  const rightY = y({
    orient: 'right',
    labelExpr: `${isWide} ? ${JSON.stringify(right)}[datum.value] : ${JSON.stringify(places)}[datum.value]`,
    encoding: { labels: { dy: { value: { expr: `${isWide} ? (${lift(right)}) : 0` } } } },
  });
  const x = {
    type: 'quantitative',
    scale: { domain: [0, 1], nice: false, padding: 4 },
    axis: {
      orient: 'top',
      values: [0, 1],
      labelExpr: `datum.value === 0 ? ${JSON.stringify(from)} : ${JSON.stringify(to)}`,
      labelOverlap: false,
      title: null,
      ticks: false,
      domain: false,
      grid: false,
    },
  };
  const data = lines.map((line) => ({
    model: line.model,
    start: 0,
    end: 1,
    before: line.before.row,
    after: line.after.row,
    gain: line.gain,
    from: `place ${line.before.place}, ${formatNumber(line.before.score, decimals)}`,
    to: `place ${line.after.place}, ${formatNumber(line.after.score, decimals)}`,
    isSure: line.isSure,
  }));
  const tooltip = [
    { field: 'model' },
    { field: 'from', title: from },
    { field: 'to', title: to },
    { field: 'gain', title: 'places gained' },
  ];
  const hasIntervals = lines.some(({ isSure }) => isSure !== null);
  const layers = [-1, 0, 1].flatMap((sign) => {
    const style = ['opposite', 'quiet', 'strong'][sign + 1]!;
    return [false, true].flatMap((isStrong) => {
      const own = data.filter(
        (line) => Math.sign(line.gain) === sign && (line.isSure !== false) === isStrong,
      );
      const mark = { style, opacity: isStrong ? 1 : 0.6 };
      return own.length === 0
        ? []
        : [
            {
              data: { values: own },
              mark: { type: 'rule', ...mark, strokeWidth: isStrong && hasIntervals ? 3 : 1.5 },
              encoding: {
                x: { ...x, field: 'start' },
                x2: { field: 'end' },
                y: { ...leftY, field: 'before' },
                y2: { field: 'after' },
                tooltip,
              },
            },
            ...(['before', 'after'] as const).map((side, end) => ({
              data: { values: own },
              mark: { type: 'point', ...mark, filled: true, size: 40 },
              encoding: {
                x: { ...x, field: ['start', 'end'][end]! },
                y: { ...leftY, field: side },
                tooltip,
              },
            })),
          ];
    });
  });
  const withRightNames = {
    data: { values: data },
    mark: { type: 'point', opacity: 0 },
    encoding: { x: { ...x, field: 'end' }, y: { ...rightY, field: 'after' }, tooltip },
  };
  return {
    height: rowsHeight(labels, 22),
    resolve: { axis: { y: 'independent' } },
    layer: [{ layer: layers }, withRightNames],
  };
}
