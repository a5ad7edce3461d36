import { formatCount, formatNumber } from '../../display/numbers.js';
import { armPlaceSummary, armSummary, type ScoreQuery } from '../../statistics/arms.js';
import type { MeanInterval } from '../../statistics/summary.js';
import { compareArms, type Comparison } from '../findings.js';
import { counted, markup, type Markup } from '../html.js';
import { commonNumber, evaluationName, placePixels, runCount, type DatasetView } from '../view.js';
import { dataTable } from './table.js';

/** What ± means, or why there is none. */
const intervalNote = (columns: readonly (readonly MeanInterval[])[]): string =>
  columns.flat().some(({ halfWidth }) => halfWidth !== null)
    ? '±: half the 95 % interval of the mean (Student’s t); none where one run gave a value.'
    : 'One run an arm gives no interval.';

/** `0.682 ± 0.005`, the ± part fainter and always as wide. */
export function meanCell({ mean, halfWidth }: MeanInterval): Markup {
  const spread = halfWidth === null ? '' : `± ${formatNumber(halfWidth, 3)}`;
  return markup`${formatNumber(mean, 3)} <span class="spread">${spread}</span>`;
}

const queryOf = (view: DatasetView, query: Partial<ScoreQuery> & { split: string }): ScoreQuery => ({
  metric: view.metric,
  evaluation: view.evaluations[0] ?? 'tiles',
  ...query,
});

/** Means of every arm by split and evaluation. The best mean of each column is bold where that says something. */
export function meansTable(view: DatasetView): Markup {
  const columns = view.splits.flatMap(({ name: split }) =>
    view.evaluations.map((evaluation) => ({ split, evaluation })),
  );
  const summaries = columns.map((column) => view.arms.map((arm) => armSummary(arm, queryOf(view, column))));
  const best = summaries.map((column) => bestRow(column, view.trained.length));
  return dataTable({
    context: markup`${view.dataset}, ${view.metric}, ${sampleText(view)}; ${runCount(view.trained)}.
    ${intervalNote(summaries)}${boldNote(best)}${windowNote(view)}`,
    groups: [
      { title: '', span: 2 },
      ...view.splits.map(({ name }) => ({ title: name, span: view.evaluations.length })),
    ],
    columns: [
      { title: 'arm' },
      { title: 'runs' },
      ...columns.map(({ evaluation }) => ({ title: evaluationName(evaluation) })),
    ],
    rows: view.arms.map((arm, row) => [
      arm.name,
      arm.runs.length,
      ...summaries.map((column, i) => scoreCell(column[row]!, best[i] === row)),
    ]),
    ruleBefore: view.trained.length,
  });
}

/**
 * The row of the highest mean among the learned arms, which stand first; undefined where one run or one arm
 * stands behind it, or where another arm has the same digits.
 */
function bestRow(column: readonly MeanInterval[], learned: number): number | undefined {
  const means = column.slice(0, learned).map(({ mean }) => mean ?? -Infinity);
  const highest = Math.max(...means);
  const row = means.indexOf(highest);
  if (means.filter(Number.isFinite).length < 2 || column[row]!.count < 2) return undefined;
  const digits = formatNumber(highest, 3);
  return means.filter((mean) => formatNumber(mean, 3) === digits).length === 1 ? row : undefined;
}

const scoreCell = (summary: MeanInterval, isBest: boolean): Markup =>
  isBest ? markup`<strong>${meanCell(summary)}</strong>` : meanCell(summary);

const boldNote = (best: readonly (number | undefined)[]): string =>
  best.some((row) => row !== undefined) ? ' Bold: highest mean of the learned arms.' : '';

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
    .map(({ name, samples }) => (samples === undefined ? name : `${name} (${samples} tiles)`))
    .join(' and ');

/** Means of every arm in each place of a split, over the places, and of all their pixels together. */
export function placesTable(view: DatasetView, split: string, places: readonly string[]): Markup {
  const query = queryOf(view, { split });
  const over = (place: string): MeanInterval[] =>
    view.arms.map((arm) => armSummary(arm, { ...query, place }));
  const summaries = [
    ...places.map(over),
    view.arms.map((arm) => armPlaceSummary(arm, query, places)),
    over('all'),
  ];
  const best = summaries.map((column) => bestRow(column, view.trained.length));
  const evaluation = evaluationName(view.evaluations[0] ?? 'tiles');
  return dataTable({
    context: markup`${view.dataset}, ${split}, ${view.metric}, ${evaluation}; ${runCount(view.trained)}. Mean of
    places: every place weighs the same. All together: one score of the pixels of all places, in which a large
    place weighs more. ${intervalNote(summaries)}${boldNote(best)}`,
    columns: [
      { title: 'arm' },
      ...places.map((place) => ({ title: [place, sizeOf(view, split, place)] })),
      { title: 'mean of places' },
      { title: ['all together', sizeOf(view, split, 'all')] },
    ],
    rows: view.arms.map((arm, row) => [
      arm.name,
      ...summaries.map((column, i) => scoreCell(column[row]!, best[i] === row)),
    ]),
    ruleBefore: view.trained.length,
  });
}

/** `20 tiles, 1,003,520 px` on a line of its own; without tiles where pixels without a truth hide their number. */
function sizeOf(view: DatasetView, split: string, place: string): Markup | undefined {
  const pixels = placePixels(view, split, place);
  if (pixels === undefined) return undefined;
  const size = commonNumber(view, 'inputSize');
  const tiles = view.evaluations[0] === 'tiles' && size !== undefined ? pixels / size ** 2 : Number.NaN;
  const count = Number.isInteger(tiles) && `${counted(tiles, 'tile')}, `;
  return markup`<br /><span class="extent">${count}${formatCount(pixels)} px</span>`;
}

/** Every metric of every class on one split. */
export function classesTable(view: DatasetView, split: string): Markup | undefined {
  const evaluation = view.evaluations[0] ?? 'tiles';
  const rows = view.records
    .flatMap((record) => record.scores)
    .filter((row) => row.split === split && row.place === 'all' && row.evaluation === evaluation);
  const classes = [...new Set(rows.flatMap((row) => row.className ?? []))];
  const perClass = [
    ...new Set(
      rows.filter((row) => row.className !== null && row.metric !== 'support').map((row) => row.metric),
    ),
  ];
  const overall = [
    ...new Set(
      rows.filter((row) => row.className === null && row.metric !== view.metric).map((row) => row.metric),
    ),
  ];
  if (classes.length === 0) return undefined;
  const columns = [
    ...overall.map((metric) => ({ metric, className: null, title: metric })),
    ...classes.flatMap((className) => perClass.map((metric) => ({ metric, className, title: metric }))),
  ];
  const summaries = columns.map(({ metric, className }) =>
    view.arms.map((arm) => armSummary(arm, { split, evaluation, metric, className })),
  );
  const support = (className: string): string => {
    const values = new Set(
      rows.filter((row) => row.metric === 'support' && row.className === className).map((row) => row.value),
    );
    const [value] = values;
    return values.size === 1 && typeof value === 'number'
      ? `${className} (${value.toLocaleString('en')} px)`
      : className;
  };
  return dataTable({
    context: markup`${view.dataset}, ${split}, ${evaluationName(evaluation)}; ${runCount(view.trained)}. In
    brackets: pixels of the class in the truth. – : the class is absent from truth and prediction.
    ${intervalNote(summaries)}`,
    groups: [
      { title: '', span: 1 },
      ...(overall.length > 0 ? [{ title: 'all classes', span: overall.length }] : []),
      ...classes.map((className) => ({ title: support(className), span: perClass.length })),
    ],
    columns: [{ title: 'arm' }, ...columns.map(({ title }) => ({ title }))],
    rows: view.arms.map((arm, row) => [arm.name, ...summaries.map((column) => meanCell(column[row]!))]),
    ruleBefore: view.trained.length,
  });
}

/** Differences between arms that differ in one thing, on every split. */
export function differencesTable(view: DatasetView): Markup | undefined {
  const evaluation = view.evaluations[0] ?? 'tiles';
  const all = view.splits.flatMap(({ name: split }) =>
    compareArms(view.arms, queryOf(view, { split, evaluation })).map((comparison) => ({ split, comparison })),
  );
  if (all.length === 0) return undefined;
  const intervals = all.filter(({ comparison }) => comparison.difference.interval !== null).length;
  const method = intervals > 0 ? '95 % intervals and p by the paired t test' : 'one seed gives no interval';
  const many =
    intervals > 1 &&
    ` Intervals are not corrected for their number: with ${intervals} differences, about one in twenty intervals of true zeros excludes 0 by chance.`;
  return dataTable({
    context: markup`${view.dataset}, ${view.metric}, ${evaluationName(evaluation)}; ${runCount(view.trained)},
    paired by seed; ${method}.${many}`,
    columns: [
      { title: 'what differs', isNumeric: false },
      { title: 'higher', isNumeric: false },
      { title: 'lower', isNumeric: false },
      { title: 'the rest', isNumeric: false },
      { title: 'split', isNumeric: false },
      { title: 'difference' },
      { title: '95 % interval' },
      { title: 'p' },
      { title: 'seeds' },
      { title: 'interval excludes 0', isNumeric: false },
    ],
    rows: all.map(({ split, comparison }) => differenceRow(split, comparison)),
  });
}

function differenceRow(split: string, { axis, values, context, difference, verdict }: Comparison) {
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
    formatNumber(mean, 3),
    interval ? `${formatNumber(interval.low, 3)} … ${formatNumber(interval.high, 3)}` : '–',
    pValue === null ? '–' : pValue < 0.001 ? '< 0.001' : formatNumber(pValue, 3),
    seeds.length,
    words[verdict],
  ];
}
