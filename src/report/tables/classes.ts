import { ownEvaluation } from '../../results/main-score.js';
import type { ScoreRow } from '../../results/run-record.js';
import { armSummary } from '../../statistics/arms.js';
import { markup, type Markup } from '../html.js';
import {
  answerText,
  directionNote,
  evaluationName,
  runCount,
  scoreDecimals,
  type DatasetView,
} from '../view.js';
import { intervalNote, meanCell } from './scores.js';
import { dataTable } from './table.js';

/** Every metric but the main one on one split: of all classes together, then of every class where there are any. */
export function classesTable(view: DatasetView, split: string): Markup | undefined {
  const rows = view.records.flatMap((record) => {
    const evaluation = view.evaluation ?? ownEvaluation(record);
    return record.scores.filter(
      (row) => row.split === split && row.place === 'all' && row.evaluation === evaluation,
    );
  });
  const classes = [...new Set(rows.flatMap(({ className }) => className ?? []))];
  const perClass = metricsOf(rows.filter((row) => row.className !== null && row.metric !== 'support'));
  const overall = metricsOf(rows.filter((row) => row.className === null && row.metric !== view.metric));
  const columns = [
    ...overall.map((metric) => ({ metric, className: null })),
    ...classes.flatMap((className) => perClass.map((metric) => ({ metric, className }))),
  ];
  if (columns.length === 0) return undefined;
  const evaluation = view.evaluation && { evaluation: view.evaluation };
  const summaries = columns.map((column) =>
    view.arms.map((arm) => armSummary(arm, { split, ...evaluation, ...column })),
  );
  const decimals = columns.map(({ metric }) => scoreDecimals(view.records, metric));
  const noun = view.answerNoun ?? 'pixel';
  const notes =
    classes.length > 0 &&
    ` In brackets: ${noun}s of the class in the truth. – : not defined, as the class is absent from truth or prediction.`;
  return dataTable({
    name: `scores by class, ${view.dataset}, ${split}`,
    context: markup`${view.dataset}, ${split}, ${evaluationName(view, view.evaluation)};
    ${runCount(view.trained)}.${notes} ${intervalNote(summaries)}`,
    ...(classes.length > 0 && {
      groups: [
        { title: '', span: 1 },
        ...(overall.length > 0 ? [{ title: 'all classes', span: overall.length }] : []),
        ...classes.map((className) => ({ title: withSupport(className, rows, noun), span: perClass.length })),
      ],
    }),
    columns: [
      { title: 'arm' },
      ...columns.map(({ metric }) => {
        const direction = directionNote(metric);
        return { title: direction ? `${metric} (${direction})` : metric };
      }),
    ],
    rows: view.arms.map((arm, row) => [
      arm.name,
      ...summaries.map((column, i) => meanCell(column[row]!, decimals[i]!)),
    ]),
    ruleBefore: view.trained.length,
  });
}

/** Whether classes have scores of their own; of values there are none. */
export const hasClasses = (view: DatasetView): boolean =>
  view.records.some(({ scores }) => scores.some(({ className }) => className !== null));

const metricsOf = (rows: readonly ScoreRow[]): string[] => [...new Set(rows.map(({ metric }) => metric))];

/** `water (1,234 px)`; the name alone where runs counted differently. */
function withSupport(
  className: string,
  rows: readonly ScoreRow[],
  noun: NonNullable<DatasetView['answerNoun']>,
): string {
  const own = rows.filter((row) => row.metric === 'support' && row.className === className);
  const values = new Set(own.map(({ value }) => value));
  const [value] = values;
  if (values.size !== 1 || typeof value !== 'number') return className;
  return `${className} (${answerText({ answerNoun: noun }, value)})`;
}
