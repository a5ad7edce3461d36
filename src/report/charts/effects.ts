import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import type { DatasetEffect } from '../../statistics/effects.js';
import { leftOutNote, paddedDomain, toSpec } from './chart.js';
import { decimalsOf, labelledRows, requireSome, rowEncoding, rowLabels, rowsHeight } from './rows.js';

export interface EffectsChartOptions {
  /** The conditions a and b of a − b, e.g. `['fine-tuned', 'frozen']`. */
  readonly names?: readonly [string, string];
  /** Name of the score; default `score`. */
  readonly score?: string;
  /** Which of Cohen's d stands beside the rows; default `pooled`. */
  readonly d?: 'pooled' | 'paired';
  /** Adjusted p value below which a difference is drawn full; default 0.05. */
  readonly alpha?: number;
}

/**
 * What a change did on each dataset: mean difference over models with its interval, Cohen's d beside it, full dots where p,
 * raised for the number of datasets, is below `alpha`. Meant for scores that are better when they are higher.
 * @throws InputError CHART_INPUT where no dataset has a difference
 */
export function effectsChart(
  effects: readonly DatasetEffect[],
  options: EffectsChartOptions = {},
): ChartSpec {
  const { names: [a, b] = ['a', 'b'], score = 'score', d = 'pooled', alpha = 0.05 } = options;
  const known = effects
    .filter(({ difference }) => difference !== null)
    .toSorted((one, other) => other.difference! - one.difference!);
  requireSome(known, 'no dataset has models under both conditions', 'Pass what datasetEffects() gives.');
  const decimals = decimalsOf(known.map(({ difference }) => difference));
  const rows = known.map((effect) => {
    const own = d === 'pooled' ? effect.cohensDPooled : effect.cohensDPaired;
    return {
      dataset: effect.dataset,
      difference: effect.difference!,
      low: effect.interval?.low ?? null,
      high: effect.interval?.high ?? null,
      d: own,
      p: effect.adjustedPValue,
      models: effect.models.length,
      isSure: effect.adjustedPValue !== null && effect.adjustedPValue < alpha,
      text: formatNumber(effect.difference, decimals + 1),
    };
  });
  const gains = rows.filter(({ difference }) => difference > 0);
  const sure = gains.filter(({ isSure }) => isSure).length;
  const counts = [...new Set(rows.map((row) => row.models))].sort((x, y) => x - y);
  const of = counts.length === 1 ? `${counts[0]!}` : `${counts[0]!} to ${counts.at(-1)!}`;
  const size = rows.length === 1 ? '1 dataset' : `${rows.length} datasets`;
  return toSpec({
    title: `${a} scores more than ${b} on ${gains.length} of ${size}, surely on ${sure}`,
    context: `Difference in ${score}, ${a} − ${b}, mean over ${of} models with 95 % interval. Full dot: adjusted p < ${alpha}. Right: Cohen’s d (${d})`,
    notes: leftOutNote(effects.length - known.length),
    description: `Mean difference ${a} − ${b} in ${score} on ${size}.`,
    rows: rows.map(({ text: _, ...row }) => row),
    body: body(rows, decimals, score, [a, b]),
  });
}

interface Row {
  readonly dataset: string;
  readonly difference: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly d: number | null;
  readonly isSure: boolean;
  readonly p: number | null;
}

function body(
  rows: readonly Row[],
  decimals: number,
  score: string,
  [a, b]: readonly [string, string],
): ChartSpec {
  const names = rows.map(({ dataset }) => dataset);
  const labels = rowLabels(names);
  const left = rowEncoding('dataset', names, labelledRows(labels));
  const effects = Object.fromEntries(rows.map(({ dataset, d }) => [dataset, formatNumber(d, 2)]));
  const right = rowEncoding('dataset', names, {
    orient: 'right',
    grid: false,
    labelExpr: `${JSON.stringify(effects)}[datum.value]`,
  });
  const ends = rows.flatMap(({ difference, low, high }) => [
    difference,
    low ?? difference,
    high ?? difference,
  ]);
  const x = {
    type: 'quantitative',
    title: `difference in ${score}`,
    scale: { domain: paddedDomain([0, ...ends]), nice: false, zero: false },
    axis: { tickCount: 5, grid: false, ...(decimals === 3 && { format: '.2f' }) },
  };
  const tooltip = [
    { field: 'dataset' },
    { field: 'text', title: `${a} − ${b}` },
    { field: 'low', format: `.${decimals + 1}f` },
    { field: 'high', format: `.${decimals + 1}f` },
    { field: 'd', title: 'Cohen’s d', format: '.3f' },
    { field: 'p', title: 'adjusted p', format: '.2g' },
    { field: 'models' },
  ];
  const marks = [true, false].flatMap((isGain) => {
    const style = isGain ? 'strong' : 'opposite';
    const own = rows.filter(({ difference }) => difference > 0 === isGain);
    const dots = (isSure: boolean): object => ({
      data: { values: own.filter((row) => row.isSure === isSure) },
      mark: { type: 'point', style, filled: isSure, size: 46, opacity: 1, strokeWidth: 2 },
      encoding: { x: { ...x, field: 'difference' }, y: left, tooltip },
    });
    return [
      {
        data: { values: own.filter(({ low }) => low !== null) },
        mark: { type: 'rule', style, strokeWidth: 2, opacity: 0.6 },
        encoding: { x: { ...x, field: 'low' }, x2: { field: 'high' }, y: left, tooltip },
      },
      dots(true),
      dots(false),
    ];
  });
  return {
    height: rowsHeight(labels, 20),
    resolve: { axis: { y: 'independent' } },
    layer: [
      {
        layer: [
          {
            data: { values: [{ zero: 0 }] },
            mark: { type: 'rule', style: 'quiet' },
            encoding: { x: { ...x, field: 'zero' } },
          },
          ...marks,
        ],
      },
      {
        data: { values: rows },
        mark: { type: 'point', opacity: 0 },
        encoding: { x: { ...x, field: 'difference' }, y: right, tooltip },
      },
    ],
  };
}
