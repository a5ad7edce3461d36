import { formatColumn, formatCount, isNumeric } from '../../display/numbers.js';
import type { RunRecord } from '../../results/run-record.js';
import { toTable } from '../../results/table.js';
import { markup, type Markup } from '../html.js';
import { dataTable } from './table.js';

/** Rows of the tidy table in the page at most; the files beside it hold all. */
const MAXIMUM_ROWS = 2000;

/** Columns that a reader chooses by. */
const FILTERED: ReadonlySet<string> = new Set(['dataset', 'encoder', 'arm', 'split', 'metric', 'modalities']);

/** The tidy table itself. Columns with one value throughout stand once, above it. */
export function tidyTable(records: readonly RunRecord[]): Markup {
  const table = toTable(records);
  const shown = table.slice(0, MAXIMUM_ROWS);
  const columns = table.columnNames().map((name) => {
    const all = Array.from(table.array(name) as ArrayLike<unknown>);
    return { name, all, isConstant: new Set(all).size === 1 };
  });
  const constant = columns.filter((column) => column.isConstant);
  const varying = columns.filter((column) => !column.isConstant);
  const cells = varying.map(({ name, all }) => {
    const values = all.slice(0, shown.numRows());
    if (name === 'value')
      return values.map((value) => (Number.isInteger(value) ? String(value) : formatColumn([value], 4)[0]!));
    // a setting is shown as it was set, not rounded
    return name === 'seconds'
      ? formatColumn(values, 1)
      : values.map((value) => formatColumn([typeof value === 'number' ? String(value) : value])[0]!);
  });
  const more = table.numRows() > MAXIMUM_ROWS ? ` The first ${formatCount(MAXIMUM_ROWS)} are shown.` : '';
  return markup` <p>
      ${formatCount(table.numRows())} rows, one a number.${more} All of them are in
      <code>results.csv</code> and <code>results.parquet</code> beside this page.
    </p>
    ${constant.length > 0 && table.numRows() > 0 && markup`<p class="context">The same in every row: ${constant.map(({ name, all }) => `${name} ${formatColumn(all.slice(0, 1))[0]!}`).join(', ')}.</p>`}
    ${dataTable({
      name: 'tidy table',
      filters: varying.flatMap(({ name, all }, column) =>
        FILTERED.has(name) && new Set(all).size <= 60 ? [{ label: name, column }] : [],
      ),
      context: 'class –: mean over classes; place all: the whole split; value –: not defined.',
      columns: varying.map(({ name, all }) => ({ title: name, isNumeric: isNumeric(all) && name !== 'run' })),
      rows: Array.from({ length: varying.length > 0 ? shown.numRows() : 0 }, (_, i) =>
        cells.map((column) => column[i]!),
      ),
    })}`;
}
