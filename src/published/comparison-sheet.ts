import type { Sheet } from '../display/sheet.js';
import { groupBy } from '../collections.js';
import { canonicalJson } from '../results/canonical-json.js';
import type { PublishedComparison } from './compare-published.js';

/** Rows of runs that are comparable, runs that are not with the reasons, and what the table has besides. */
export function comparisonSheet(rows: readonly PublishedComparison[], table: string): Sheet {
  const nameOf = namesOfRows(rows);
  const like = rows.filter(({ isComparable }) => isComparable);
  const unlike = rows.filter(({ isComparable, arm }) => !isComparable && arm !== null);
  const alone = rows.filter(({ arm }) => arm === null);
  const ofTable = rows.filter(({ published }) => published !== null);
  const count = `${countRows(like)} of ${countRows(ofTable)} rows have runs that are comparable`;
  return {
    title: `${table}: ${count}`,
    tables: [
      {
        rows: like.map((row) => ({
          ...nameOf(row),
          arm: row.arm,
          own: row.own,
          '±': row.halfWidth,
          runs: row.runs,
          difference: row.difference,
        })),
        caption: 'Comparable: own less published, with the 95 % interval of own runs',
      },
      {
        rows: unlike.map((row) => ({ ...nameOf(row), arm: row.arm, why: row.reasons.join('; ') })),
        caption: 'Runs that are not comparable',
      },
      {
        rows: alone.map((row) => ({ ...nameOf(row), why: row.reasons.join('; ') })),
        caption: 'Rows without runs',
      },
    ]
      .filter((part) => part.rows.length > 0)
      .map((part) => ({ ...part, maximumRows: ROWS_SHOWN })),
  };
}

/** Rows of the table: one may stand beside several arms. */
const countRows = (rows: readonly PublishedComparison[]): number =>
  new Set(
    rows.map(({ dataset, encoder, metric, class: className, settings }) =>
      canonicalJson([dataset, encoder, metric, className, settings]),
    ),
  ).size;

/** The largest table of scores has 255 rows. */
const ROWS_SHOWN = 300;

type NameOf = (row: PublishedComparison) => Record<string, string | number | null>;

/** What a row is called: of its settings those alone that tell rows of the same score apart. */
function namesOfRows(rows: readonly PublishedComparison[]): NameOf {
  const keyOf = ({ dataset, encoder, metric, class: className }: PublishedComparison): string =>
    JSON.stringify([dataset, encoder, metric, className]);
  const groups = groupBy(rows, keyOf);
  const varied = (row: PublishedComparison): string => {
    const group = groups.get(keyOf(row))!;
    const isVaried = ([name, value]: [string, string | number]): boolean =>
      group.some(({ settings }) => settings[name] !== value);
    return Object.entries(row.settings)
      .filter(isVaried)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
  };
  const hasSettings = rows.some((row) => varied(row) !== '');
  return (row) => ({
    dataset: row.dataset,
    encoder: row.encoder,
    metric: row.class === null ? row.metric : `${row.metric} ${row.class}`,
    ...(hasSettings && { settings: varied(row) }),
    published: row.published,
    unit: row.unit,
  });
}
