import { formatNumber } from '../../display/numbers.js';
import { armSummary, type ScoreQuery } from '../../statistics/arms.js';
import type { MeanInterval } from '../../statistics/summary.js';
import { compareArms, type Comparison } from '../findings.js';
import { markup, type Markup } from '../html.js';
import { evaluationName, runCount, type DatasetView } from '../view.js';
import { dataTable } from './table.js';

const INTERVAL_NOTE = '±: half the 95 % interval of the mean (Student’s t); none where one run gave a value';

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

/** Means of every arm by split and evaluation. The best mean of each column is strong. */
export function meansTable(view: DatasetView): Markup {
  const columns = view.splits.flatMap(({ name: split }) =>
    view.evaluations.map((evaluation) => ({ split, evaluation })),
  );
  const summaries = columns.map((column) => view.arms.map((arm) => armSummary(arm, queryOf(view, column))));
  return dataTable({
    context: markup`${view.dataset}, ${view.metric}, ${sampleText(view)}; ${runCount(view.trained)}.
    ${INTERVAL_NOTE}.`,
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
      ...summaries.map((column) => strongIfBest(column, row)),
    ]),
    ruleBefore: view.trained.length,
  });
}

function strongIfBest(column: readonly MeanInterval[], row: number): Markup {
  const best = Math.max(...column.map((summary) => summary.mean ?? -Infinity));
  const cell = meanCell(column[row]!);
  return column[row]!.mean === best ? markup`<strong>${cell}</strong>` : cell;
}

const sampleText = (view: DatasetView): string =>
  view.splits
    .map(({ name, samples }) => (samples === undefined ? name : `${name} (${samples} tiles)`))
    .join(' and ');

/** Means of every arm in each place of a split. */
export function placesTable(view: DatasetView, split: string, places: readonly string[]): Markup {
  const columns = [...places, 'all'];
  const summaries = columns.map((place) =>
    view.arms.map((arm) => armSummary(arm, queryOf(view, { split, place }))),
  );
  return dataTable({
    context: markup`${view.dataset}, ${split}, ${view.metric},
    ${evaluationName(view.evaluations[0] ?? 'tiles')}; ${runCount(view.trained)}. ${INTERVAL_NOTE}.`,
    columns: [
      { title: 'arm' },
      ...columns.map((place) => ({ title: place === 'all' ? 'all together' : place })),
    ],
    rows: view.arms.map((arm, row) => [arm.name, ...summaries.map((column) => strongIfBest(column, row))]),
    ruleBefore: view.trained.length,
  });
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
    ${INTERVAL_NOTE}.`,
    groups: [
      { title: '', span: 1 },
      ...(overall.length > 0 ? [{ title: 'all classes', span: overall.length }] : []),
      ...classes.map((className) => ({ title: support(className), span: perClass.length })),
    ],
    columns: [{ title: 'arm' }, ...columns.map(({ title }) => ({ title }))],
    rows: view.arms.map((arm) => [
      arm.name,
      ...columns.map(({ metric, className }) =>
        meanCell(armSummary(arm, { split, evaluation, metric, className })),
      ),
    ]),
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
  return dataTable({
    context: markup`${view.dataset}, ${view.metric}, ${evaluationName(evaluation)}; ${runCount(view.trained)},
    paired by seed, 95 % intervals and p by the paired t test. Every interval is for one difference: of
    ${all.length} such intervals one in twenty misses by chance, and they are not corrected for their number.`,
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
      { title: 'larger than its interval', isNumeric: false },
    ],
    rows: all.map(({ split, comparison }) => differenceRow(split, comparison)),
  });
}

function differenceRow(split: string, { axis, values, context, difference, verdict }: Comparison) {
  const { mean, interval, pValue, seeds } = difference;
  const words = {
    larger: markup`<strong>yes</strong>`,
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
