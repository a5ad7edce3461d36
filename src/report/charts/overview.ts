import type { ChartSpec } from '../../display/chart-output.js';
import { formatNumber } from '../../display/numbers.js';
import { cellStatistics, type ScoreMatrix } from '../../statistics/score-matrix.js';
import { mean } from '../../statistics/summary.js';
import { MAXIMUM_ROWS, paddedDomain, toSpec } from './chart.js';
import { highlightEncoding, MAXIMUM_COLOURS } from './highlights.js';
import { labelledRows, models, requireSome, rowEncoding, rowLabels, rowsHeight, someOf } from './rows.js';

export interface OverviewOptions {
  /** Models in colour, six at most; default those of the highest means over their datasets. */
  readonly highlight?: readonly string[];
  /** Name of the score; default `normalised score`. */
  readonly score?: string;
}

/**
 * Every model on every dataset: a row a dataset, a dot for a model's mean over runs, six models in colour and the others grey.
 * It stands in the place of radar plots, whose areas depend on the order of their axes.
 * @param matrix normalised scores
 * @throws InputError CHART_INPUT where no model has runs
 */
export function overviewChart(matrix: ScoreMatrix, options: OverviewOptions = {}): ChartSpec {
  const { score = 'normalised score' } = options;
  const means = cellStatistics(matrix, mean);
  const scored = matrix.models.flatMap((model, row) => {
    const value = mean(means[row]!);
    return value === null ? [] : [{ model, row, value }];
  });
  requireSome(scored, 'no model has runs', 'Pass what normalize(scoreMatrix(runs)) gives.');
  const complete = scored.filter(({ row }) => means[row]!.every((value) => value !== null));
  // a mean over fewer datasets is no rival of one over all
  const order = [...complete, ...scored.filter((model) => !complete.includes(model))]
    .sort((a, b) => Number(complete.includes(b)) - Number(complete.includes(a)) || b.value - a.value)
    .map(({ model }) => model);
  const asked = options.highlight?.filter((model) => order.includes(model)) ?? order;
  const coloured = asked.slice(0, MAXIMUM_COLOURS);
  const cells = scored.flatMap(({ model, row }) =>
    matrix.datasets.flatMap((dataset, column) => {
      const value = means[row]![column]!;
      return value === null ? [] : [{ model, dataset, value, text: formatNumber(value, 4) }];
    }),
  );
  const missing = scored.length * matrix.datasets.length - cells.length;
  const grey = cells.filter(({ model }) => !coloured.includes(model));
  const isTooMany = cells.length > MAXIMUM_ROWS;
  const best = matrix.datasets.flatMap((dataset) => {
    const own = cells.filter((cell) => cell.dataset === dataset);
    if (own.length === 0) return [];
    const most = own.reduce((a, b) => Math.max(a, b.value), Number.NEGATIVE_INFINITY);
    return [own.filter(({ value }) => value === most).map(({ model }) => model)];
  });
  return toSpec({
    title: titleOf(best, scored.length),
    context: `${score} of ${models(scored.length)}, mean over runs, higher is better. Colour: ${options.highlight ? 'models asked for' : 'best means over datasets'}`,
    notes: [
      ...(missing > 0 ? [`${missing} ${missing === 1 ? 'cell has' : 'cells have'} no run.`] : []),
      ...(isTooMany
        ? [`${cells.length} scores are too many for one chart: only models in colour are drawn.`]
        : []),
    ],
    description: `${score} of ${models(scored.length)} on ${someOf(matrix.datasets, 8)}.`,
    rows: order.map((model) => ({
      ...Object.fromEntries(
        matrix.datasets.map((dataset, column) => [dataset, means[matrix.models.indexOf(model)]![column]!]),
      ),
      model,
    })),
    body: body(
      matrix.datasets,
      cells.filter(({ model }) => coloured.includes(model)),
      isTooMany ? [] : grey,
      coloured,
      score,
    ),
  });
}

function titleOf(best: readonly (readonly string[])[], count: number): string {
  const datasets = best.length === 1 ? 'dataset' : `${best.length} datasets`;
  if (count === 1) return `Scores of one model on ${best.length === 1 ? 'one dataset' : datasets}`;
  const wins = [...new Set(best.flat())]
    .map((model) => ({ model, count: best.filter((names) => names.includes(model)).length }))
    .sort((a, b) => b.count - a.count);
  const most = wins[0]!.count;
  const leaders = wins.filter((win) => win.count === most).map(({ model }) => model);
  const who = `${someOf(leaders)} ${leaders.length === 1 ? 'is' : 'are each'} best`;
  if (best.length === 1) return `${who} on the dataset`;
  return most === best.length
    ? `${who} on all ${datasets}`
    : `No model is best on all ${datasets}; ${who} on ${most}`;
}

function body(
  datasets: readonly string[],
  cells: readonly { readonly value: number }[],
  grey: readonly { readonly value: number }[],
  coloured: readonly string[],
  score: string,
): ChartSpec {
  const labels = rowLabels(datasets);
  const y = rowEncoding('dataset', datasets, labelledRows(labels));
  const x = {
    field: 'value',
    type: 'quantitative',
    title: score,
    scale: { domain: paddedDomain([...cells, ...grey].map(({ value }) => value)), nice: false, zero: false },
    axis: { tickCount: 5, grid: false },
  };
  const tooltip = [{ field: 'model' }, { field: 'dataset' }, { field: 'text', title: score }];
  return {
    height: rowsHeight(labels, 22),
    layer: [
      {
        data: { values: grey },
        mark: { type: 'point', style: 'quiet', filled: true, size: 22, opacity: 0.4 },
        encoding: { x, y, tooltip },
      },
      {
        data: { values: cells },
        mark: { type: 'point', filled: true, size: 60, opacity: 0.9 },
        encoding: { x, y, ...highlightEncoding('model', coloured, 150), tooltip },
      },
    ],
  };
}
