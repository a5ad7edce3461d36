import { groupBy } from '../../collections.js';
import type { ChartSpec } from '../../display/show.js';
import type { EpochRow, RunRecord } from '../../results/run-record.js';
import { mean } from '../../statistics/summary.js';
import { runCount } from '../view.js';
import { leftOutNote, MAXIMUM_ROWS, paddedDomain, toSpec } from './chart.js';
import { viewOf } from './scores.js';

export interface ConvergenceChartOptions {
  /** Default the only dataset of the records. */
  readonly dataset?: string;
  /** Default `validationScore`. */
  readonly measure?: 'validationScore' | 'trainLoss';
}

const TITLES = { validationScore: 'Validation mIoU by epoch', trainLoss: 'Training loss by epoch' } as const;

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
  const title = TITLES[measure];
  return toSpec({
    title,
    context: `${view.dataset}, ${measure === 'trainLoss' ? 'train' : 'validation, tiles'}, ${runCount(arms)}. Strong: mean, faint: seeds`,
    notes,
    description: `${title} for each arm of ${view.dataset}.`,
    body: body(
      measure,
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

function body(
  measure: string,
  arms: readonly string[],
  means: readonly object[],
  seeds: readonly CurveRow[],
): ChartSpec {
  const name = measure === 'trainLoss' ? 'cross entropy' : 'mIoU';
  const values = [...seeds.map((row) => row.value), ...(means as CurveRow[]).map((row) => row.value)];
  const epochs = Math.max(1, ...(means as CurveRow[]).map((row) => Math.ceil(row.epoch)));
  const x = {
    field: 'epoch',
    type: 'quantitative',
    title: 'epoch',
    scale: { domain: [1, Math.max(2, epochs)], nice: false, padding: 6 },
    axis: { grid: false, format: 'd', tickMinStep: 1, tickCount: Math.min(epochs, 10) },
  };
  const y = {
    field: 'value',
    type: 'quantitative',
    title: name,
    scale: { domain: paddedDomain(values), zero: false, nice: false },
    axis: { tickCount: 5 },
  };
  const color = {
    field: 'arm',
    type: 'nominal',
    sort: arms,
    scale: { domain: arms },
    legend: { title: null, columns: 2, symbolType: 'stroke', symbolStrokeWidth: 3, symbolOpacity: 1 },
  };
  const point = { field: 'value', title: name, format: '.4f' };
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
