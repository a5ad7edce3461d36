import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import { InputError, nearest } from '../../errors.js';
import type { Resamples } from '../../statistics/bootstrap.js';
import { gaussianDensity, scottFactor } from '../../statistics/density.js';
import { quantileOfSorted } from '../../statistics/quantile.js';
import type { ScoreMatrix } from '../../statistics/score-matrix.js';
import { standardDeviation } from '../../statistics/summary.js';
import { paddedDomain, toSpec } from './chart.js';
import {
  brokenName,
  decimalsOf,
  MAXIMUM_MODELS,
  models,
  requireSome,
  ROW_CHARACTERS,
  rowsHeight,
  someOf,
} from './rows.js';

export interface ViolinOptions {
  /** Of a matrix: which dataset. Default its only one. */
  readonly dataset?: string;
  /** Of resamples: what was aggregated, e.g. `Core`; default `the datasets`. */
  readonly of?: string;
  /** Name of the score; default `score`. */
  readonly score?: string;
}

/** Sorted values of a model, one at least. */
interface Spread {
  readonly model: string;
  readonly values: Float64Array;
  readonly median: number;
}

/** Points of an outline. */
const POINTS = 41;
/** Up to so many values are drawn as ticks. */
const MAXIMUM_TICKS = 25;

/**
 * How scores of models spread: the runs of a score matrix on one dataset, or the resamples of an aggregate. Outline: density
 * by a Gaussian kernel, each as high as the others; dot: median; bar: middle half; few values are ticks.
 * @throws InputError CHART_INPUT where there are no values, no such dataset, or several and none is named
 */
export function violinChart(source: ScoreMatrix | Resamples, options: ViolinOptions = {}): ChartSpec {
  const isRuns = 'cells' in source;
  const { score = 'score' } = options;
  const column = isRuns ? columnOf(source, options.dataset) : 0;
  const of = isRuns ? source.datasets[column]! : (options.of ?? 'the datasets');
  const isHigherBetter = isRuns ? source.higherIsBetter[column]! : true;
  const given = source.models.map((model, row) => ({
    model,
    values: Float64Array.from(
      isRuns ? source.cells[row]![column]!.values : (source.values[row] ?? []),
    ).sort(),
  }));
  const every = given
    .flatMap(({ model, values }): Spread[] =>
      values.length === 0 ? [] : [{ model, values, median: quantileOfSorted(values, 0.5) }],
    )
    .sort((a, b) => (isHigherBetter ? b.median - a.median : a.median - b.median));
  requireSome(
    every,
    `no model has values on ${of}`,
    'Pass a score matrix, or what bootstrap() gives of several runs.',
  );
  const drawn = every.slice(0, MAXIMUM_MODELS);
  const missing = given.filter(({ values }) => values.length === 0).map(({ model }) => model);
  const alone = every.filter(({ values }) => values[0] === values.at(-1)).length;
  const counts = [...new Set(every.map(({ values }) => values.length))].sort((a, b) => a - b);
  const size = counts.length === 1 ? `${counts[0]!}` : `${counts[0]!} to ${counts.at(-1)!}`;
  const what = isRuns ? (counts.at(-1) === 1 ? 'run' : 'runs') : 'resamples';
  const direction = isHigherBetter ? 'higher is better' : 'lower is better';
  return toSpec({
    title: titleOf(every, of, isRuns ? 'runs' : 'resamples'),
    context: `${score} of ${models(every.length)}, ${size} ${what} each, ${direction}. Dot: median, bar: middle half, outline: density`,
    notes: [
      ...(missing.length > 0
        ? [`${models(missing.length, ['has', 'have'])} no values: ${someOf(missing)}.`]
        : []),
      ...(alone > 0 ? [`${models(alone, ['has', 'have'])} one value, which has no density.`] : []),
      ...(every.length > drawn.length
        ? [`The first ${drawn.length} of ${models(every.length)} are drawn.`]
        : []),
    ],
    description: `Distribution of ${score} on ${of} for ${models(every.length)}.`,
    rows: every.map(({ model, values, median }) => ({
      model,
      values: values.length,
      lowest: values[0]!,
      lowerQuartile: quantileOfSorted(values, 0.25),
      median,
      upperQuartile: quantileOfSorted(values, 0.75),
      highest: values.at(-1)!,
    })),
    body: body(drawn, score),
  });
}

function columnOf({ datasets }: ScoreMatrix, dataset: string | undefined): number {
  const at = dataset === undefined && datasets.length === 1 ? 0 : datasets.indexOf(dataset ?? '');
  if (at >= 0) return at;
  const guess = dataset === undefined ? undefined : nearest(dataset, datasets);
  throw new InputError(
    'CHART_INPUT',
    dataset === undefined
      ? `The matrix has ${datasets.length} datasets, and a violin chart shows one.`
      : `The matrix has no dataset "${dataset}".`,
    {
      hint: `${guess === undefined ? '' : `Did you mean "${guess}"? `}Pass { dataset }: ${someOf(datasets, 12)}.`,
    },
  );
}

function titleOf(spreads: readonly Spread[], of: string, what: string): string {
  const [first, second] = spreads;
  if (!second) return `Spread of the ${what} of ${first!.model} on ${of}`;
  const [low, high] = [first!.values[0]!, first!.values.at(-1)!];
  const meet = spreads.filter(({ values }, i) => i > 0 && values[0]! <= high && values.at(-1)! >= low).length;
  if (meet === 0) return `Every one of the ${what} of ${first!.model} is better than all others on ${of}`;
  return `${first!.model} has the best median on ${of}; its ${what} overlap those of ${models(meet)}`;
}

function body(spreads: readonly Spread[], score: string): ChartSpec {
  const outlines = spreads.map((spread, i) => outlineOf(spread, i));
  const values = [...spreads.flatMap((spread) => [spread.values[0]!, spread.values.at(-1)!])];
  const decimals = decimalsOf(values);
  const text = (value: number): string => formatNumber(value, decimals + 1);
  const summaries = spreads.map(({ model, values: own, median }, row) => ({
    model,
    row,
    median,
    lower: quantileOfSorted(own, 0.25),
    upper: quantileOfSorted(own, 0.75),
    text: text(median),
    range: `${text(own[0]!)} … ${text(own.at(-1)!)}`,
    count: own.length,
  }));
  const ticks = spreads.flatMap(({ values: own, model }, row) =>
    own.length > MAXIMUM_TICKS ? [] : Array.from(own, (value) => ({ model, row, value, text: text(value) })),
  );
  const labels = Object.fromEntries(spreads.map(({ model }) => [model, brokenName(model, ROW_CHARACTERS)]));
  const byRow = Object.fromEntries(spreads.map(({ model }, row) => [row, labels[model]!]));
  const lifts = Object.fromEntries(spreads.map(({ model }, row) => [row, -7 * (labels[model]!.length - 1)]));
  const y = {
    type: 'quantitative',
    scale: { domain: [-0.5, spreads.length - 0.5], reverse: true, nice: false, zero: false },
    axis: {
      values: spreads.map((_, row) => row),
      title: null,
      ticks: false,
      domain: false,
      grid: true,
      labelPadding: 8,
      labelOverlap: false,
      labelExpr: `${JSON.stringify(byRow)}[datum.value]`,
      encoding: { labels: { dy: { value: { expr: `${JSON.stringify(lifts)}[datum.value] || 0` } } } },
    },
  };
  const ends = outlines.flatMap((outline) => (outline.length > 0 ? [outline[0]!.x, outline.at(-1)!.x] : []));
  const x = {
    type: 'quantitative',
    title: score,
    scale: { domain: paddedDomain([...values, ...ends]), nice: false, zero: false },
    axis: { tickCount: 5, grid: false, ...(decimals === 3 && { format: '.2f' }) },
  };
  const tooltip = [
    { field: 'model' },
    { field: 'text', title: 'median' },
    { field: 'range' },
    { field: 'count', title: 'values' },
  ];
  return {
    height: rowsHeight(labels, 30),
    layer: [
      {
        data: { values: outlines.flat() },
        mark: { type: 'area', style: 'strong', fillOpacity: 0.25, line: false },
        encoding: {
          x: { ...x, field: 'x' },
          y: { ...y, field: 'above' },
          y2: { field: 'below' },
          detail: { field: 'model' },
        },
      },
      {
        data: { values: ticks },
        mark: { type: 'tick', style: 'strong', orient: 'vertical', thickness: 1.5, size: 11, opacity: 0.8 },
        encoding: {
          x: { ...x, field: 'value' },
          y: { ...y, field: 'row' },
          tooltip: [{ field: 'model' }, { field: 'text', title: score }],
        },
      },
      {
        data: { values: summaries },
        mark: { type: 'rule', style: 'strong', strokeWidth: 3 },
        encoding: { x: { ...x, field: 'lower' }, x2: { field: 'upper' }, y: { ...y, field: 'row' }, tooltip },
      },
      {
        data: { values: summaries },
        mark: { type: 'point', style: 'on-faint', filled: true, size: 30, opacity: 1 },
        encoding: { x: { ...x, field: 'median' }, y: { ...y, field: 'row' }, tooltip },
      },
    ],
  };
}

/** Both sides of a violin around its row, none where there is no density. */
function outlineOf({ model, values }: Spread, row: number) {
  const own = Array.from(values);
  // two widths of the kernel beyond the ends the density is nearly 0
  const beyond = 2 * (standardDeviation(own) ?? 0) * scottFactor(own.length);
  const [low, high] = [own[0]! - beyond, own.at(-1)! + beyond];
  const grid = Array.from({ length: POINTS }, (_, i) => low + ((high - low) * i) / (POINTS - 1));
  const density = gaussianDensity(own, grid);
  if (!density) return [];
  const most = density.reduce((a, b) => Math.max(a, b));
  return grid.map((x, i) => ({
    model,
    x,
    above: row - (0.4 * density[i]!) / most,
    below: row + (0.4 * density[i]!) / most,
  }));
}
