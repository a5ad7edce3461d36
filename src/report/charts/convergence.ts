import { groupBy } from '../../collections.js';
import type { ChartSpec } from '../../display/chart-output.js';
import { scoreKinds } from '../../metrics/score-kinds.js';
import { lossOf, validationScoreOf } from '../../results/main-score.js';
import type { EpochRow, RunRecord } from '../../results/run-record.js';
import { INNER_SPLITS } from '../../statistics/arms.js';
import { mean } from '../../statistics/summary.js';
import { directionNote, evaluationName, runCount, scoreDecimals, type DatasetView } from '../view.js';
import {
  LEGEND_CHARACTERS,
  leftOutNote,
  legendColumns,
  MAXIMUM_ROWS,
  paddedDomain,
  scoreDomain,
  toSpec,
  wrappedLabels,
} from './chart.js';
import { viewOf } from './scores.js';

export interface ConvergenceChartOptions {
  /** Default the only dataset of the records. */
  readonly dataset?: string;
  /** Default `validationScore`. */
  readonly measure?: 'validationScore' | 'trainLoss';
}

interface CurveRow {
  readonly arm: string;
  readonly seed: number | null;
  readonly epoch: number;
  readonly value: number;
}

/**
 * Validation score or training loss by epoch: a faint line for each seed, a strong one for the arm's mean.
 * Values that are missing or not finite are left out and counted. Above 5,000 points only the means are
 * drawn, by groups of epochs where that is still too many, and the chart says so.
 * @throws InputError CHART_INPUT where the records hold no such dataset
 */
export function convergenceChart(
  records: readonly RunRecord[],
  options: ConvergenceChartOptions = {},
): ChartSpec {
  const view = viewOf(records, options.dataset);
  const measure = options.measure ?? 'validationScore';
  const arms = view.trained.filter((arm) => arm.runs.some((run) => run.curve.length > 0));
  const seeds: CurveRow[] = [];
  let missing = 0;
  for (const arm of arms) {
    for (const run of arm.runs) {
      for (const row of run.curve) {
        const value = valueOf(row, measure);
        if (value === null) missing++;
        else seeds.push({ arm: arm.name, seed: run.definition.seed, epoch: row.epoch, value });
      }
    }
  }
  const isTooMany = seeds.length > MAXIMUM_ROWS;
  const { means, groupSize } = meansOf(seeds, MAXIMUM_ROWS / 2);
  const notes = leftOutNote(missing);
  if (isTooMany) {
    const groups = groupSize === 1 ? '' : ` of ${groupSize} epochs each`;
    notes.push(`${seeds.length} points are too many for one chart: the lines are means over seeds${groups}.`);
  }
  const names = [
    ...new Set(view.trained.flatMap(({ runs }) => runs.map(measure === 'trainLoss' ? lossName : scoreName))),
  ];
  if (names.length > 1)
    notes.push(`Arms differ in what is drawn (${names.join(', ')}): their heights cannot be compared.`);
  const name = names.length === 1 ? names[0]! : measure === 'trainLoss' ? 'loss' : 'score';
  const title = measure === 'trainLoss' ? 'Training loss by epoch' : `Validation ${name} by epoch`;
  const split = measure === 'trainLoss' ? 'train' : validationText(view);
  return toSpec({
    title,
    context: `${view.dataset}, ${split}, ${runCount(arms)}. Strong: mean, faint: seeds`,
    notes,
    description: `${title} for each arm of ${view.dataset}.`,
    body: body(
      measure,
      name,
      measure === 'trainLoss' ? 4 : scoreDecimals(view.records, name) + 1,
      arms.map((arm) => arm.name),
      means,
      isTooMany ? [] : seeds,
    ),
  });
}

function valueOf(row: EpochRow, measure: 'validationScore' | 'trainLoss'): number | null {
  const value = row[measure];
  return value !== null && Number.isFinite(value) ? value : null;
}

/** Means over seeds by arm and epoch, over groups of epochs until there are no more rows than allowed. */
function meansOf(
  rows: readonly CurveRow[],
  maximum: number,
): { means: Omit<CurveRow, 'seed'>[]; groupSize: number } {
  for (let groupSize = 1; ; groupSize *= 2) {
    const groups = groupBy(rows, (row) => `${Math.floor((row.epoch - 1) / groupSize)}/${row.arm}`);
    if (groups.size > maximum && groupSize < 2 ** 20) continue;
    const means = [...groups.values()].map((group) => ({
      arm: group[0]!.arm,
      epoch: mean(group.map((row) => row.epoch))!,
      value: mean(group.map((row) => row.value))!,
    }));
    return { means, groupSize };
  }
}

/** Whole epochs at a round distance, at most ten. */
function epochTicks(epochs: number): number[] {
  // 1, 2, 5, 10, 20, 50, …
  let step = 1;
  for (let i = 0; epochs / step > 10; i++) step *= [2, 2.5, 2][i % 3]!;
  return Array.from({ length: Math.floor(epochs / step) }, (_, i) => (i + 1) * step);
}

/** `cross entropy`, `MSE`. */
const lossName = (run: RunRecord): string =>
  lossOf(run)
    .replaceAll('-', ' ')
    .replace(/\b(r?mse|mae)\b/, (name) => name.toUpperCase());

/** `mIoU`; where the epoch is chosen by the loss, that. */
function scoreName(run: RunRecord): string {
  const name = validationScoreOf(run);
  return name === 'loss' ? `loss, ${lossName(run)}` : name;
}

/** `val, sliding window`: the split as the dataset names it. */
function validationText(view: DatasetView): string {
  const splits = new Set(view.records.flatMap(({ counts }) => Object.keys(counts)));
  const split = INNER_SPLITS.find((name) => name !== 'train' && splits.has(name)) ?? 'validation';
  return `${split}, ${evaluationName(view, view.evaluation)}`;
}

function body(
  measure: string,
  name: string,
  decimals: number,
  arms: readonly string[],
  means: readonly object[],
  seeds: readonly CurveRow[],
): ChartSpec {
  const isScore = measure === 'validationScore' && Object.hasOwn(scoreKinds, name);
  const values = [...seeds.map((row) => row.value), ...(means as CurveRow[]).map((row) => row.value)];
  const epochs = Math.max(1, ...(means as CurveRow[]).map((row) => Math.ceil(row.epoch)));
  const x = {
    field: 'epoch',
    type: 'quantitative',
    title: 'epoch',
    // one epoch stands in the middle of its axis, which names no other
    scale: { domain: epochs === 1 ? [0.5, 1.5] : [1, epochs], nice: false, padding: 6 },
    axis: { grid: false, format: 'd', values: epochTicks(epochs) },
  };
  const y = {
    field: 'value',
    type: 'quantitative',
    title: isScore ? [name, directionNote(name)].filter(Boolean).join(', ') : name,
    scale: {
      domain: isScore ? scoreDomain(name, values, values) : paddedDomain(values),
      zero: false,
      nice: false,
    },
    axis: { tickCount: 5 },
  };
  const color = {
    field: 'arm',
    type: 'nominal',
    sort: arms,
    scale: { domain: arms },
    legend: {
      title: null,
      columns: legendColumns(arms, 70),
      labelExpr: wrappedLabels(arms, LEGEND_CHARACTERS),
      symbolType: 'stroke',
      symbolStrokeWidth: 3,
      symbolOpacity: 1,
    },
  };
  const point = { field: 'value', title: name, format: `.${decimals}f` };
  return {
    height: 230,
    layer: [
      {
        data: { values: seeds },
        mark: { type: 'line', strokeWidth: 1, opacity: 0.35 },
        encoding: { x, y, color, detail: { field: 'seed' } },
      },
      {
        data: { values: means },
        mark: { type: 'line', strokeWidth: 2.5, point: { size: 28, filled: true } },
        encoding: { x, y, color, tooltip: [{ field: 'arm' }, { field: 'epoch' }, point] },
      },
    ],
  };
}
