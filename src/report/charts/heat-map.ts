import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import type { CapabilityRanking } from '../../statistics/capabilities.js';
import { isMissing, mean } from '../../statistics/summary.js';
import { cellLayers, columnEncoding } from './cells.js';
import { toSpec, type ChartRow } from './chart.js';
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

export interface HeatMapOptions {
  /** Name of the score; default `normalised score`. */
  readonly score?: string;
  /** What the columns are; default `capabilities`. */
  readonly columns?: string;
  /** As for `ranking`: which number is the score. */
  readonly by?: 'estimate' | 'mean';
}

/**
 * Scores of models (rows) on capabilities (columns). Colour tells models of one column apart: none for its lowest score,
 * full for its highest; those not told apart from the best are bold. Rows are ordered by their mean place over the
 * columns that they have; the first 60 are drawn.
 * @throws InputError CHART_INPUT where no model has a score
 */
export function capabilityHeatMap(
  rankings: readonly CapabilityRanking[],
  options: HeatMapOptions = {},
): ChartSpec {
  const { score = 'normalised score', columns: what = 'capabilities', by = 'estimate' } = options;
  const found = rankings.flatMap(({ capability, rows }) => columnOf(capability, rows, by));
  requireSome(
    found,
    'no model has a score',
    'Pass what capabilityRankings() gives, of models that have the datasets.',
  );
  const columns = rankings.map(({ capability }) => capability);
  const every = [...new Set(rankings.flatMap(({ rows }) => rows.map(({ model }) => model)))];
  const placeOf = (model: string): number =>
    mean(found.filter((cell) => cell.model === model).map(({ place }) => place)) ?? Number.POSITIVE_INFINITY;
  const order = every.toSorted((a, b) => compare(placeOf(a), placeOf(b)));
  const names = order.slice(0, MAXIMUM_MODELS);
  const decimals = decimalsOf(found.map(({ value }) => value));
  const byCell = new Map(found.map((cell) => [`${cell.column}\t${cell.model}`, cell]));
  const cells = names.flatMap((model) =>
    columns.map((column) => {
      const cell = byCell.get(`${column}\t${model}`);
      if (!cell) return { model, column, share: null, label: '', isBold: false, text: 'no score' };
      // hundredths fit where 0.68 would not
      const label = decimals === 3 ? formatNumber(100 * cell.value, 0) : formatNumber(cell.value, decimals);
      return { ...cell, label, text: `${formatNumber(cell.value, decimals + 1)}, place ${cell.place}` };
    }),
  );
  const best = columns.map(
    (column) => found.find((cell) => cell.column === column && cell.place === 1)?.model,
  );
  const missing = cells.filter(({ share }) => share === null).length;
  const labels = rowLabels(names);
  return toSpec({
    title: titleOf(
      best.filter((model) => model !== undefined),
      columns.length,
      what,
    ),
    context: `${score}${decimals === 3 ? ' in hundredths' : ''} of ${models(order.length)}. Colour: none for the lowest of a column, full for the highest. Bold: not told apart from the best`,
    notes: [
      ...(missing > 0 ? [`${missing} ${missing === 1 ? 'cell has' : 'cells have'} no score (outline).`] : []),
      ...(order.length > names.length
        ? [`The first ${names.length} of ${models(order.length)} are drawn.`]
        : []),
    ],
    description: `${score} of ${models(order.length)} on ${columns.length} ${what}: ${someOf(columns, 8)}.`,
    rows: wideRows(order, columns, (column, model) => byCell.get(`${column}\t${model}`)?.value ?? null),
    body: {
      height: rowsHeight(labels, 22),
      layer: cellLayers(cells, {
        x: columnEncoding('column', columns),
        y: rowEncoding('model', names, { ...labelledRows(labels), grid: false }),
        tooltip: [{ field: 'model' }, { field: 'column', title: 'on' }, { field: 'text', title: score }],
      }),
    },
  });
}

/** Two models without any place are equal. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);

function columnOf(column: string, rows: CapabilityRanking['rows'], by: 'estimate' | 'mean') {
  const known = rows.flatMap((row) => {
    const value = by === 'mean' ? (row.mean ?? row.estimate) : row.estimate;
    return row.place === null || isMissing(value) ? [] : [{ ...row, place: row.place, value }];
  });
  const first = known.find(({ place }) => place === 1)?.model;
  const values = known.map(({ value }) => value);
  const low = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const span = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) - low;
  return known.map(({ model, place, value, tiedWith }) => ({
    column,
    model,
    place,
    value,
    // equal scores are neither low nor high
    share: span === 0 ? 0.5 : (value - low) / span,
    isBold: place === 1 || tiedWith?.includes(first ?? '') === true,
  }));
}

function titleOf(best: readonly string[], columns: number, what: string): string {
  const counts = [...new Set(best)]
    .map((model) => ({ model, count: best.filter((other) => other === model).length }))
    .sort((a, b) => b.count - a.count);
  const most = counts[0]!.count;
  const leaders = counts.filter(({ count }) => count === most).map(({ model }) => model);
  if (columns === 1) return `${someOf(leaders)} ${leaders.length === 1 ? 'is' : 'are'} best`;
  const share = most === columns ? `all ${columns}` : `${most} of ${columns}`;
  if (leaders.length > 3) return `No model is best on more than ${share} ${what}`;
  return `${someOf(leaders)} ${leaders.length === 1 ? 'is' : 'are each'} best on ${share} ${what}`;
}

/** A row a model, a column each; a column called `model` would hide the names. */
const wideRows = (
  names: readonly string[],
  columns: readonly string[],
  valueOf: (column: string, model: string) => number | null,
): ChartRow[] =>
  names.map((model) => ({
    ...Object.fromEntries(columns.map((column) => [column, valueOf(column, model)])),
    model,
  }));
