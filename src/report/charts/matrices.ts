import type { ChartSpec } from '../../display/chart-output.js';
import { formatCount, formatNumber } from '../../display/numbers.js';
import { InputError } from '../../errors.js';
import type { Discriminativity } from '../../statistics/discriminativity.js';
import { mean } from '../../statistics/summary.js';
import { cellLayers, columnEncoding } from './cells.js';
import { toSpec } from './chart.js';
import {
  labelledRows,
  MAXIMUM_MODELS,
  models,
  requireSome,
  rowEncoding,
  rowLabels,
  rowsHeight,
} from './rows.js';

/**
 * How surely a dataset tells models apart: the share of pairs of runs in which the model of the row beats that of the column.
 * Best models first, 60 at most.
 * @param options.dataset its name
 * @throws InputError CHART_INPUT where no model has runs
 */
export function discriminativityChart(
  found: Discriminativity,
  options: { readonly dataset?: string } = {},
): ChartSpec {
  const { dataset = 'The dataset' } = options;
  requireSome(found.models, 'no model has runs', 'Pass what discriminativity() gives.');
  const strength = found.beats.map((row, i) => mean(row.filter((_, j) => j !== i)) ?? 0);
  const order = found.models.map((_, i) => i).sort((a, b) => strength[b]! - strength[a]!);
  const drawn = order.slice(0, MAXIMUM_MODELS);
  const names = drawn.map((i) => found.models[i]!);
  const cells = drawn.flatMap((i) =>
    drawn.map((j) => {
      const share = found.beats[i]![j]!;
      return {
        model: found.models[i]!,
        other: found.models[j]!,
        // wins less losses: pairs of equal scores have no colour
        share: i === j ? null : share - found.beats[j]![i]!,
        label: i === j ? '' : formatNumber(100 * share, 0),
        isBold: false,
        text: i === j ? 'the same model' : formatNumber(share, 3),
        certainty: i === j ? '–' : formatNumber(found.certainty[i]![j], 3),
      };
    }),
  );
  const labels = rowLabels(names);
  return toSpec({
    title:
      found.models.length === 1
        ? `${dataset} has runs of ${found.models[0]!} alone`
        : `${dataset} tells models apart by ${formatNumber(found.value, 2)}: 1 is every pair surely, 0 none`,
    context: `Share of pairs of runs in which the row beats the column, in hundredths, ${models(found.models.length)}. Blue: the row wins more, orange: the column`,
    notes:
      order.length > drawn.length ? [`The first ${drawn.length} of ${models(order.length)} are drawn.`] : [],
    description: `How surely ${dataset} tells each two of ${models(found.models.length)} apart.`,
    rows: order.flatMap((i) =>
      order.flatMap((j) =>
        i === j
          ? []
          : [
              {
                model: found.models[i]!,
                over: found.models[j]!,
                beats: found.beats[i]![j]!,
                certainty: found.certainty[i]![j]!,
              },
            ],
      ),
    ),
    body: {
      height: rowsHeight(labels, 22),
      layer: cellLayers(cells, {
        x: columnEncoding('other', names),
        y: rowEncoding('model', names, { ...labelledRows(labels), grid: false }),
        tooltip: [
          { field: 'model' },
          { field: 'other', title: 'over' },
          { field: 'text', title: 'share of runs' },
          { field: 'certainty' },
        ],
      }),
    },
  });
}

export interface ConfusionChartInput {
  /** Names of the classes, each once. */
  readonly classes: readonly string[];
  /** [truth, prediction], row by row, as of `ConfusionMatrix`. */
  readonly counts: ArrayLike<number>;
}

/** Classes in one chart at most; the rest is in its table. */
const MAXIMUM_CLASSES = 60;

/**
 * What each class is taken for: of its truth (row) the share that was predicted as each class (column).
 * @param options.what what was counted; default `pixels`
 * @throws InputError CHART_INPUT where counts and classes do not match, or nothing was counted
 */
export function confusionChart(
  { classes, counts }: ConfusionChartInput,
  options: { readonly what?: string } = {},
): ChartSpec {
  const { what = 'pixels' } = options;
  checkCounts(classes, counts);
  const at = (i: number, j: number): number => counts[i * classes.length + j]!;
  const totals = classes.map((_, i) => classes.reduce((sum, _name, j) => sum + at(i, j), 0));
  const all = totals.reduce((a, b) => a + b, 0);
  requireSome(all > 0 ? [all] : [], 'nothing was counted', 'Pass the counts of a split that has labels.');
  const byTruth = classes.map((_, i) => i).sort((a, b) => totals[b]! - totals[a]! || a - b);
  const kept = new Set(byTruth.slice(0, MAXIMUM_CLASSES));
  const drawn = classes.map((_, i) => i).filter((i) => kept.has(i));
  const names = drawn.map((i) => classes[i]!);
  const absent = totals.filter((total) => total === 0).length;
  const cells = drawn.flatMap((i) =>
    drawn.map((j) => {
      const share = totals[i] === 0 ? null : at(i, j) / totals[i]!;
      return {
        truth: classes[i]!,
        prediction: classes[j]!,
        share,
        label: share === null ? '' : formatNumber(100 * share, 0),
        isBold: i === j,
        count: formatCount(at(i, j)),
        text: formatNumber(share === null ? null : 100 * share, 2),
      };
    }),
  );
  const labels = rowLabels(names);
  return toSpec({
    title: confusionTitle(classes, at, totals, all, what),
    context: `${formatCount(all)} ${what}, percent of each row. Row: truth, column: prediction`,
    notes: [
      ...(absent > 0 ? [`${absent} ${absent === 1 ? 'class has' : 'classes have'} no truth (outline).`] : []),
      ...(names.length < classes.length
        ? [`The ${names.length} most frequent of ${classes.length} classes are drawn.`]
        : []),
    ],
    description: `Confusion matrix of ${classes.length} classes.`,
    rows: classes.flatMap((truth, i) =>
      classes.map((prediction, j) => ({
        truth,
        prediction,
        count: at(i, j),
        share: totals[i] === 0 ? null : at(i, j) / totals[i]!,
      })),
    ),
    body: {
      height: rowsHeight(labels, 22),
      layer: cellLayers(cells, {
        x: columnEncoding('prediction', names),
        y: rowEncoding('truth', names, { ...labelledRows(labels), grid: false }),
        tooltip: [
          { field: 'truth' },
          { field: 'prediction' },
          { field: 'count', title: what },
          { field: 'text', title: '% of truth' },
        ],
      }),
    },
  });
}

function checkCounts(classes: readonly string[], counts: ArrayLike<number>): void {
  const fail = (message: string, hint: string): never => {
    throw new InputError('CHART_INPUT', message, { where: 'counts', hint });
  };
  const expected = classes.length ** 2;
  if (counts.length !== expected) {
    const message = `${classes.length} classes need ${expected} counts, not ${counts.length}.`;
    fail(message, 'Give them [truth, prediction], row by row.');
  }
  if (new Set(classes).size !== classes.length) fail('Two classes have the same name.', 'Give each its own.');
  if (Array.from(counts).some((count) => !(count >= 0 && count < Number.POSITIVE_INFINITY)))
    fail('A count is negative or not finite.', 'Counts are 0 or more.');
}

function confusionTitle(
  classes: readonly string[],
  at: (i: number, j: number) => number,
  totals: readonly number[],
  all: number,
  what: string,
): string {
  const right = classes.reduce((sum, _, i) => sum + at(i, i), 0);
  const share = `${formatNumber((100 * right) / all, 1)} % of ${what} are right`;
  let [worst, name] = [0, ''];
  for (const [i, truth] of classes.entries())
    for (const [j, prediction] of classes.entries()) {
      const part = i === j || totals[i] === 0 ? 0 : at(i, j) / totals[i]!;
      if (part > worst)
        [worst, name] = [part, `${formatNumber(100 * part, 0)} % of ${truth} are taken for ${prediction}`];
    }
  return name === '' ? share : `${share}; ${name}`;
}
