import { formatNumber } from '../../display/numbers.js';
import { isError, isHigherBetter } from '../../results/main-score.js';
import { armPlaceSummary, armSummary } from '../../statistics/arms.js';
import type { MeanInterval } from '../../statistics/summary.js';
import { compareArms, type Comparison } from '../findings.js';
import { counted, markup, type Markup } from '../html.js';
import {
  answerText,
  commonNumber,
  directionNote,
  evaluationName,
  mainQuery,
  placeAnswers,
  runCount,
  scoreDecimals,
  type DatasetView,
} from '../view.js';
import { dataTable } from './table.js';

/** What ± means, or why there is none. */
export const intervalNote = (columns: readonly (readonly MeanInterval[])[]): string =>
  columns.flat().some(({ halfWidth }) => halfWidth !== null)
    ? '±: half the 95 % interval of the mean (Student’s t); none where one run gave a value.'
    : 'One run an arm gives no interval.';

/** `0.682 ± 0.005`, the ± part fainter and always as wide. */
export function meanCell({ mean, halfWidth }: MeanInterval, decimals: number): Markup {
  const spread = halfWidth === null ? '' : `± ${formatNumber(halfWidth, decimals)}`;
  return markup`${formatNumber(mean, decimals)} <span class="spread">${spread}</span>`;
}

/** `RMSE (lower is better, in the unit of the target)`. */
function metricText(metric: string): string {
  const details = [directionNote(metric), isError(metric) && metric !== 'MSE' && 'in the unit of the target'];
  return details.some(Boolean) ? `${metric} (${details.filter(Boolean).join(', ')})` : metric;
}

/** Means of every arm by split and evaluation. The best mean of each column is bold where that says something. */
export function meansTable(view: DatasetView): Markup {
  const columns = view.splits.flatMap(({ name: split }) =>
    view.evaluations.map((evaluation) => ({ split, evaluation })),
  );
  const summaries = columns.map(({ split, evaluation }) => {
    const query = { split, metric: view.metric, ...(evaluation && { evaluation }) };
    return view.arms.map((arm) => armSummary(arm, query));
  });
  const cell = scoreCells(view);
  const best = summaries.map((column) => bestRow(column, view));
  return dataTable({
    name: `means, ${view.dataset}`,
    context: markup`${view.dataset}, ${metricText(view.metric)}, ${sampleText(view)}; ${runCount(view.trained)}.
    ${intervalNote(summaries)}${boldNote(best, view)}${windowNote(view)}`,
    groups: [
      { title: '', span: 2 },
      ...view.splits.map(({ name }) => ({ title: name, span: view.evaluations.length })),
    ],
    columns: [
      { title: 'arm' },
      { title: 'runs' },
      ...columns.map(({ evaluation }) => ({ title: evaluationName(view, evaluation) })),
    ],
    rows: view.arms.map((arm, row) => [
      arm.name,
      arm.runs.length,
      ...summaries.map((column, i) => cell(column[row]!, best[i] === row)),
    ]),
    ruleBefore: view.trained.length,
  });
}

/**
 * The row of the best mean among the learned arms, which stand first; undefined where one run or one arm
 * stands behind it, or where another arm has the same digits.
 */
function bestRow(column: readonly MeanInterval[], view: DatasetView): number | undefined {
  const sign = isHigherBetter(view.metric) ? 1 : -1;
  const learned = column.slice(0, view.trained.length);
  const means = learned.map(({ mean }) => (mean === null ? -Infinity : sign * mean));
  const best = Math.max(...means);
  const row = means.indexOf(best);
  if (means.filter(Number.isFinite).length < 2 || column[row]!.count < 2) return undefined;
  const decimals = scoreDecimals(view.records, view.metric);
  const digits = formatNumber(best, decimals);
  return means.filter((mean) => formatNumber(mean, decimals) === digits).length === 1 ? row : undefined;
}

/** Cells of the main score, the best one bold. */
function scoreCells(view: DatasetView): (summary: MeanInterval, isBest: boolean) => Markup {
  const decimals = scoreDecimals(view.records, view.metric);
  return (summary, isBest) =>
    isBest ? markup`<strong>${meanCell(summary, decimals)}</strong>` : meanCell(summary, decimals);
}

const boldNote = (best: readonly (number | undefined)[], { metric }: DatasetView): string =>
  best.some((row) => row !== undefined)
    ? ` Bold: ${isHigherBetter(metric) ? 'highest' : 'lowest'} mean of the learned arms.`
    : '';

/** How far apart sliding windows are. */
function windowNote(view: DatasetView): string {
  const size = commonNumber(view, 'inputSize');
  const stride = commonNumber(view, 'windowStride');
  if (size === undefined || stride === undefined || !view.evaluations.includes('sliding-window')) return '';
  const overlap =
    stride === size ? ', so that they overlap only where the image is no multiple of that size' : '';
  return ` Sliding window: the whole image by windows of ${size} px, at most ${stride} px apart${overlap}.`;
}

const sampleText = (view: DatasetView): string =>
  view.splits
    .map(({ name, samples }) =>
      samples === undefined ? name : `${name} (${counted(samples, view.sampleNoun)})`,
    )
    .join(' and ');

/** Means of every arm in each place of a split, over the places, and of all their pixels together. */
export function placesTable(view: DatasetView, split: string, places: readonly string[]): Markup {
  const query = mainQuery(view, split);
  const cell = scoreCells(view);
  const over = (place: string): MeanInterval[] =>
    view.arms.map((arm) => armSummary(arm, { ...query, place }));
  const summaries = [
    ...places.map(over),
    view.arms.map((arm) => armPlaceSummary(arm, query, places)),
    over('all'),
  ];
  const best = summaries.map((column) => bestRow(column, view));
  const noun = view.answerNoun ?? 'pixel';
  return dataTable({
    name: `places, ${view.dataset}, ${split}`,
    context: markup`${view.dataset}, ${split}, ${metricText(view.metric)}, ${evaluationName(view, view.evaluation)};
    ${runCount(view.trained)}. Mean of places: every place weighs the same. All together: one score of the ${noun}s
    of all places, in which a large place weighs more. ${intervalNote(summaries)}${boldNote(best, view)}`,
    columns: [
      { title: 'arm' },
      ...places.map((place) => ({ title: [place, sizeOf(view, split, place)] })),
      { title: 'mean of places' },
      { title: ['all together', sizeOf(view, split, 'all')] },
    ],
    rows: view.arms.map((arm, row) => [
      arm.name,
      ...summaries.map((column, i) => cell(column[row]!, best[i] === row)),
    ]),
    ruleBefore: view.trained.length,
  });
}

/** `20 tiles, 1,003,520 px` on a line of its own; without tiles where pixels without a truth hide their number. */
function sizeOf(view: DatasetView, split: string, place: string): Markup | undefined {
  const answers = placeAnswers(view, split, place);
  if (answers === undefined) return undefined;
  const size = commonNumber(view, 'inputSize');
  const tiles = view.sampleNoun === 'tile' && size !== undefined ? answers / size ** 2 : Number.NaN;
  const count = Number.isInteger(tiles) && `${counted(tiles, 'tile')}, `;
  return markup`<br /><span class="extent">${count}${answerText(view, answers)}</span>`;
}

/** Differences between arms that differ in one thing, on every split. */
export function differencesTable(view: DatasetView): Markup | undefined {
  const all = view.splits.flatMap(({ name: split }) =>
    compareArms(view.arms, mainQuery(view, split)).map((comparison) => ({ split, comparison })),
  );
  if (all.length === 0) return undefined;
  const decimals = scoreDecimals(view.records, view.metric);
  const intervals = all.filter(({ comparison }) => comparison.difference.interval !== null).length;
  const method = intervals > 0 ? '95 % intervals and p by the paired t test' : 'one seed gives no interval';
  const many =
    intervals > 1 &&
    ` Intervals are not corrected for their number: with ${intervals} differences, about one in twenty intervals of true zeros excludes 0 by chance.`;
  return dataTable({
    name: `differences, ${view.dataset}`,
    context: markup`${view.dataset}, ${metricText(view.metric)}, ${evaluationName(view, view.evaluation)};
    ${runCount(view.trained)}, paired by seed; ${method}. Difference: by how much the first is
    ${isHigherBetter(view.metric) ? 'higher' : 'lower'}.${many}`,
    columns: [
      { title: 'what differs', isNumeric: false },
      { title: 'better', isNumeric: false },
      { title: 'worse', isNumeric: false },
      { title: 'the rest', isNumeric: false },
      { title: 'split', isNumeric: false },
      { title: 'difference' },
      { title: '95 % interval' },
      { title: 'p' },
      { title: 'seeds' },
      { title: 'interval excludes 0', isNumeric: false },
    ],
    rows: all.map(({ split, comparison }) => differenceRow(split, comparison, decimals)),
  });
}

function differenceRow(
  split: string,
  { axis, values, context, difference, verdict }: Comparison,
  decimals: number,
) {
  const { mean, interval, pValue, seeds } = difference;
  const words = {
    larger: 'yes',
    smaller: 'no',
    'no-interval': 'no interval',
    'no-spread': 'no spread',
    'no-value': 'no value',
  };
  return [
    axis,
    values[0],
    values[1],
    context.map(({ value }) => value).join(', ') || '–',
    split,
    formatNumber(mean, decimals),
    interval ? `${formatNumber(interval.low, decimals)} … ${formatNumber(interval.high, decimals)}` : '–',
    pValue === null ? '–' : pValue < 0.001 ? '< 0.001' : formatNumber(pValue, 3),
    seeds.length,
    words[verdict],
  ];
}
