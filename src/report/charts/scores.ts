import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import { InputError } from '../../errors.js';
import { isError, type Evaluation } from '../../results/main-score.js';
import type { RunRecord } from '../../results/run-record.js';
import { scoreOf, type ScoreQuery } from '../../results/score-of.js';
import type { Arm } from '../../statistics/arms.js';
import { meanInterval } from '../../statistics/summary.js';
import {
  datasetViews,
  directionNote,
  evaluationName,
  runCount,
  scoreDecimals,
  type DatasetView,
} from '../view.js';
import {
  LEGEND_CHARACTERS,
  leftOutNote,
  legendColumns,
  scoreDomain,
  toSpec,
  wrapped,
  wrappedLabels,
} from './chart.js';
import { labelledRows, rowEncoding, rowsHeight } from './rows.js';

export interface ScoresChartOptions {
  /** Default the only dataset of the records. */
  readonly dataset?: string;
  /** Default the first split of the report, `test` where there is one. */
  readonly split?: string;
  /** Default the main score of the dataset's task. */
  readonly metric?: string;
  /** `evaluation`: ways of evaluation side by side; `place`: places of the split. Default `evaluation`. */
  readonly by?: 'evaluation' | 'place';
  /** Ends of the score axis; default around the values. Charts to be compared take the same. */
  readonly domain?: readonly [number, number];
}

/**
 * Scores by arm: a dot for each mean, a bar for its 95 % interval (Student's t), a tick for each seed;
 * trivial predictors are dashed lines. One row an evaluation or a place inside each arm.
 * @throws InputError CHART_INPUT where the records hold no such scores
 */
export function scoresChart(records: readonly RunRecord[], options: ScoresChartOptions = {}): ChartSpec {
  const view = viewOf(records, options.dataset);
  const split = view.splits.find(({ name }) => options.split === undefined || name === options.split);
  if (!split) throw nothing(`There are no scores of split "${options.split ?? ''}".`);
  const metric = options.metric ?? view.metric;
  const by = options.by ?? 'evaluation';
  const groups =
    by === 'place'
      ? split.places.map((place) => ({
          group: place,
          query: queryOf(split.name, view.evaluation, metric, place),
        }))
      : view.evaluations.map((e) => ({
          group: evaluationName(view, e),
          query: queryOf(split.name, e, metric),
        }));
  const decimals = scoreDecimals(view.records, metric);
  const { means, seeds, missing } = collect(view.trained, groups, decimals);
  const trivial = view.trivial.flatMap((arm) => {
    const value = scoreOf(arm.runs[0]!, groups[0]?.query ?? queryOf(split.name, view.evaluation, metric));
    return value === null || by === 'place'
      ? []
      : [{ arm: arm.name, value, label: `${arm.name} ${formatNumber(value, decimals)}` }];
  });
  const scores = [...seeds, ...trivial].map(({ value }) => value);
  const ends = means.flatMap(({ mean, low, high }) => [low ?? mean, high ?? mean]);
  const domain = options.domain ?? scoreDomain(metric, [...ends, ...scores], scores);
  const cut = means.filter(
    ({ low, high }) => (low !== null && low < domain[0]) || (high !== null && high > domain[1]),
  );
  const labels = trivial
    .toSorted((a, b) => a.value - b.value)
    .map((row, i) => ({ ...row, line: i % 3, isRight: row.value > (domain[0] + domain[1]) / 2 }));
  const evaluation = by === 'place' ? `, ${evaluationName(view, view.evaluation)}` : '';
  return toSpec({
    title: `${metric} on ${split.name}${by === 'place' ? ', by place' : ''}`,
    context: `${view.dataset}, ${split.name}${evaluation}, ${runCount(view.trained)}. ${means.some(({ low }) => low !== null) ? 'Dot: mean, bar: 95 % interval (Student’s t), ticks: seeds' : 'Dot: the score of one seed, which has no interval'}`,
    notes: [...leftOutNote(missing), ...cutNote(cut.length)],
    description: `Mean ${metric} of each arm on ${split.name} of ${view.dataset} with its 95 % interval.`,
    body: scoresBody({
      metric,
      decimals,
      domain,
      arms: view.trained.map((arm) => arm.name),
      groups: groups.map(({ group }) => group),
      means,
      seeds,
      labels,
    }),
  });
}

/** A share lies within 0 … 1 and an error above 0, but an interval by Student's t can reach outside. */
const cutNote = (count: number): string[] =>
  count === 0
    ? []
    : [
        count === 1
          ? '1 interval is longer than the axis and cut at its end; the table has its width.'
          : `${count} intervals are longer than the axis and cut at its ends; the table has their widths.`,
      ];

const queryOf = (
  split: string,
  evaluation: Evaluation | undefined,
  metric: string,
  place = 'all',
): ScoreQuery => ({
  split,
  ...(evaluation && { evaluation }),
  metric,
  place,
  className: null,
});

interface MeanRow {
  readonly arm: string;
  readonly group: string;
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly text: string;
}

function collect(
  arms: readonly Arm[],
  groups: readonly { group: string; query: ScoreQuery }[],
  decimals: number,
) {
  const means: MeanRow[] = [];
  const seeds: { arm: string; group: string; seed: number | null; value: number }[] = [];
  let missing = 0;
  for (const arm of arms) {
    for (const { group, query } of groups) {
      const scores = arm.runs.map((run) => ({ seed: run.definition.seed, value: scoreOf(run, query) }));
      const { mean, interval, halfWidth, missing: absent } = meanInterval(scores.map(({ value }) => value));
      missing += absent;
      if (mean === null) continue;
      const text =
        formatNumber(mean, decimals) +
        (halfWidth === null ? ', no interval' : ` ± ${formatNumber(halfWidth, decimals)}`);
      means.push({
        arm: arm.name,
        group,
        mean,
        low: interval?.low ?? null,
        high: interval?.high ?? null,
        text,
      });
      for (const { seed, value } of scores)
        if (value !== null && Number.isFinite(value)) seeds.push({ arm: arm.name, group, seed, value });
    }
  }
  return { means, seeds, missing };
}

/** Characters in a line of an arm's label: a narrow page has room for them beside the chart. */
const ARM_CHARACTERS = 20;

interface ScoresBody {
  readonly metric: string;
  readonly decimals: number;
  readonly domain: readonly [number, number];
  readonly arms: readonly string[];
  readonly groups: readonly string[];
  readonly means: readonly object[];
  readonly seeds: readonly object[];
  readonly labels: readonly { arm: string; value: number; label: string; line: number; isRight: boolean }[];
}

function scoresBody({ metric, decimals, domain, arms, groups, means, seeds, labels }: ScoresBody): ChartSpec {
  const rowLabels = Object.fromEntries(arms.map((arm) => [arm, wrapped(arm, ARM_CHARACTERS)]));
  const y = rowEncoding('arm', arms, labelledRows(rowLabels));
  const yOffset = {
    field: 'group',
    type: 'nominal',
    sort: groups,
    scale: { domain: groups, paddingOuter: 0.3 },
  };
  const color = { field: 'arm', type: 'nominal', sort: arms, scale: { domain: arms }, legend: null };
  const shape = {
    field: 'group',
    type: 'nominal',
    sort: groups,
    scale: { domain: groups, range: ['circle', 'diamond', 'square', 'triangle-up', 'cross'] },
    legend:
      groups.length > 1
        ? {
            title: null,
            columns: legendColumns(groups, ARM_CHARACTERS * 6.7 + 12),
            labelExpr: wrappedLabels(groups, LEGEND_CHARACTERS),
            symbolFillColor: 'gray',
            symbolStrokeColor: 'gray',
          }
        : null,
  };
  // intervals of few seeds can be far wider than the spread of the means: they end at the axis' ends
  const x = {
    type: 'quantitative',
    scale: { domain, zero: false, nice: false },
    axis: { tickCount: 6, ...(!isError(metric) && { format: '.2f' }) },
    title: [metric, directionNote(metric)].filter(Boolean).join(', '),
  };
  const inside = (values: readonly object[], bounds: readonly [string, string]): object[] =>
    (values as Record<string, number | null>[])
      .filter((row) => row[bounds[0]] !== null && row[bounds[1]] !== null)
      .map((row) => ({
        ...row,
        from: Math.max(domain[0], row[bounds[0]]!),
        to: Math.min(domain[1], row[bounds[1]]!),
      }));
  const layers: object[] = [
    {
      data: { values: seeds },
      mark: { type: 'tick', thickness: 1.5, size: 13, opacity: 0.55 },
      encoding: {
        x: { ...x, field: 'value' },
        y,
        yOffset,
        color,
        tooltip: [
          { field: 'arm' },
          { field: 'group' },
          { field: 'seed' },
          { field: 'value', format: `.${decimals + 1}f`, title: metric },
        ],
      },
    },
    {
      data: { values: inside(means, ['low', 'high']) },
      mark: { type: 'rule', strokeWidth: 2, strokeCap: 'round' },
      encoding: { x: { ...x, field: 'from' }, x2: { field: 'to' }, y, yOffset, color },
    },
    {
      data: { values: means },
      mark: { type: 'point', filled: true, size: 55, opacity: 1 },
      encoding: {
        x: { ...x, field: 'mean' },
        y,
        yOffset,
        color,
        shape,
        tooltip: [{ field: 'arm' }, { field: 'group' }, { field: 'text', title: metric }],
      },
    },
  ];
  if (labels.length > 0) {
    layers.unshift({
      data: { values: labels },
      mark: { type: 'rule', strokeDash: [4, 3] },
      encoding: { x: { ...x, field: 'value' }, tooltip: [{ field: 'label', title: 'trivial predictor' }] },
    });
    for (const label of labels) {
      layers.push({
        data: { values: [label] },
        mark: {
          type: 'text',
          align: label.isRight ? 'right' : 'left',
          dx: label.isRight ? 3 : -3,
          baseline: 'bottom',
        },
        encoding: {
          x: { ...x, field: 'value' },
          y: { value: -4 - 14 * label.line },
          text: { field: 'label' },
        },
      });
    }
  }
  const step = groups.length > 2 ? 15 : 18;
  return { height: rowsHeight(rowLabels, groups.length * step + 10), layer: layers };
}

/** @throws InputError CHART_INPUT where the dataset is not there, or not told among several */
export function viewOf(records: readonly RunRecord[], dataset: string | undefined): DatasetView {
  const views = datasetViews(records).filter((view) => dataset === undefined || view.dataset === dataset);
  if (views.length === 1) return views[0]!;
  if (views.length === 0)
    throw nothing(
      dataset === undefined ? 'There are no records.' : `There are no records of dataset "${dataset}".`,
    );
  throw new InputError('CHART_INPUT', 'The records are of several datasets, and a chart shows one.', {
    hint: `Pass { dataset }: one of ${views.map((view) => view.dataset).join(', ')}.`,
  });
}

const nothing = (message: string): InputError =>
  new InputError('CHART_INPUT', message, {
    hint: 'Pass the records of finished runs, e.g. store.readAll().records.',
  });
