import { escapeHtml, HTML, MARKDOWN, plainText, TEXT, type MimeBundle } from './mime.js';
import { formatColumn, formatCount, isNumeric } from './numbers.js';

/** What an Arquero table offers, of which only this is used. */
export interface TableLike {
  columnNames(): string[];
  objects(options?: { limit?: number }): object[];
  numRows(): number;
  /** The columns' arrays by name. */
  data?(): Readonly<Record<string, unknown>>;
}

export type Rows = readonly object[] | TableLike;

export interface TableOptions {
  /** Columns to show, in this order; default all, in the order in which they first occur. */
  readonly columns?: readonly string[];
  /** Decimals of numbers that are not integers; default by the size of the column's numbers. */
  readonly digits?: number;
  /** Line above the table. */
  readonly caption?: string;
  /** Rows shown at most; default 200 in text of commands, 20 in `display`. How many more there are is said below. */
  readonly maximumRows?: number;
  /** Says the kind of each column's values below its name, and the size of the table below it; default false. */
  readonly describe?: boolean;
}

interface FormattedColumn {
  readonly name: string;
  readonly cells: readonly string[];
  readonly isNumeric: boolean;
  /** Empty where the table is not described. */
  readonly kind: string;
}

interface FormattedTable {
  readonly columns: readonly FormattedColumn[];
  readonly rowCount: number;
  /** Caption and what was left out. */
  readonly caption: string;
  readonly note: string;
}

function format(rows: Rows, options: TableOptions): FormattedTable {
  const maximum = options.maximumRows ?? 200;
  const total = isTable(rows) ? rows.numRows() : rows.length;
  const shown = (isTable(rows) ? rows.objects({ limit: maximum }) : rows.slice(0, maximum)) as Record<
    string,
    unknown
  >[];
  const names =
    options.columns ?? (isTable(rows) ? rows.columnNames() : [...new Set(shown.flatMap(Object.keys))]);
  const columns = names.map((name) => {
    const values = shown.map((row) => row[name]);
    const kind = options.describe ? kindOf(stored(rows, name) ?? values) : '';
    const cells = formatColumn(values, options.digits).map(shortened);
    return { name, cells, isNumeric: isNumeric(values), kind };
  });
  const more = total - shown.length;
  const notes = [
    more > 0 ? `… ${formatCount(more)} more of ${formatCount(total)} rows` : total === 0 ? 'no rows' : '',
    options.describe && total > 0 ? `${formatCount(total)} × ${columns.length} (rows × columns)` : '',
  ];
  const note = notes.filter(Boolean).join(', ');
  return { columns, rowCount: shown.length, caption: options.caption ?? '', note };
}

/** A table shows what is in a cell; texts of many lines or thousands of letters are read elsewhere. */
const MAXIMUM_CELL = 400;

const shortened = (cell: string): string =>
  cell.length <= MAXIMUM_CELL ? cell : `${[...cell.slice(0, MAXIMUM_CELL)].slice(0, -1).join('')}…`;

/** The column's array where the table lets it be seen: typed arrays say what they hold. */
function stored(rows: Rows, name: string): unknown {
  if (!isTable(rows)) return undefined;
  const column: unknown = rows.data?.()[name];
  return ArrayBuffer.isView(column) ? column : undefined;
}

/** `integer`, `number`, `text`, `true/false`, `date`, `list`, `object`, `mixed`, `empty`, or a typed array's element. */
function kindOf(values: unknown): string {
  if (ArrayBuffer.isView(values)) return values.constructor.name.replace(/Array$/, '').toLowerCase();
  const kinds = new Set<string>();
  for (const value of values as readonly unknown[]) {
    if (value !== null && value !== undefined) kinds.add(kindOfValue(value));
  }
  if (kinds.size === 2 && kinds.has('integer') && kinds.has('number')) return 'number';
  return kinds.size > 1 ? 'mixed' : ([...kinds][0] ?? 'empty');
}

function kindOfValue(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'true/false';
  if (value instanceof Date) return 'date';
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return 'list';
  return typeof value;
}

const isTable = (rows: Rows): rows is TableLike => !Array.isArray(rows);

/** A table for a terminal: text to the left, numbers to the right, nothing that colours or moves. */
export function tableText(rows: Rows, options: TableOptions = {}): string {
  const table = format(rows, options);
  const columns = table.columns.map((column) => ({
    ...column,
    name: plainText(column.name),
    cells: column.cells.map(plainText),
  }));
  const widths = columns.map((column) =>
    Math.max(...[column.name, column.kind, ...column.cells].map(textWidth)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => pad(cell, widths[i]!, columns[i]!.isNumeric))
      .join('  ')
      .trimEnd();
  const head = [columns.map((column) => column.name)];
  if (options.describe) head.push(columns.map((column) => column.kind));
  const lines =
    columns.length === 0 ? [] : [...head.map(line), widths.map((width) => '─'.repeat(width)).join('  ')];
  for (let i = 0; i < table.rowCount; i++) lines.push(line(columns.map((column) => column.cells[i]!)));
  return [plainText(table.caption), ...lines, table.note].filter(Boolean).join('\n');
}

const pad = (cell: string, width: number, toTheRight: boolean): string => {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(cell)));
  return toTheRight ? blanks + cell : cell + blanks;
};

/** Columns of a terminal: East Asian wide characters and emoji take two, combining marks none. */
function textWidth(text: string): number {
  let width = 0;
  for (const character of text.normalize('NFC')) {
    if (/\p{Mark}/u.test(character)) continue;
    width +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}

// Colours come from the page: grey that is seen through is right on white and on black.
const RULE = '1px solid rgba(128,128,128,.4)';
const CELL = 'padding:.2em .7em;vertical-align:top;';
const NOTE = 'margin:.3em 0;font-size:90%;opacity:.7';

/** Short texts stay on one line: the table rather scrolls. */
const columnStyle = ({ isNumeric, cells }: FormattedColumn): string =>
  `text-align:${isNumeric ? 'right' : 'left'};` +
  (cells.every((cell) => cell.length <= 40) ? 'white-space:nowrap' : 'min-width:16em');

/** The same table as HTML, every text escaped, without scripts or style sheets; one that is too wide scrolls. */
export function tableHtml(rows: Rows, options: TableOptions = {}): string {
  const table = format(rows, options);
  const cell = (tag: string, column: FormattedColumn, content: string, style = ''): string =>
    `<${tag} style="${CELL}${columnStyle(column)}${style}">${content}</${tag}>`;
  const head = table.columns.map((column) => {
    const kind = column.kind && `<br><small style="opacity:.6;font-weight:normal">${column.kind}</small>`;
    return cell('th', column, escapeHtml(column.name) + kind, `;border-bottom:${RULE}`);
  });
  const body = Array.from({ length: table.rowCount }, (_, i) => {
    const cells = table.columns.map((column) => cell('td', column, escapeHtml(column.cells[i]!)));
    return `<tr>${cells.join('')}</tr>`;
  });
  const caption =
    table.caption &&
    `<caption style="text-align:left;font-weight:bold;padding:.3em .7em">${escapeHtml(table.caption)}</caption>`;
  const note = table.note && `<p style="${NOTE}">${escapeHtml(table.note)}</p>`;
  if (table.columns.length === 0)
    return `<div>${caption && `<p>${escapeHtml(table.caption)}</p>`}${note}</div>`;
  return (
    `<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.3em 0">${caption}` +
    `<thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody></table>${note}</div>`
  );
}

/** The same table as GitHub-flavoured Markdown. */
export function tableMarkdown(rows: Rows, options: TableOptions = {}): string {
  const table = format(rows, options);
  const cell = (text: string): string => escapeHtml(plainText(text)).replace(/[|\\`*_[\]]/g, '\\$&');
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = [
    line(table.columns.map((column) => cell(column.name))),
    line(table.columns.map((column) => (column.isNumeric ? '---:' : '---'))),
  ];
  for (let i = 0; i < table.rowCount; i++)
    lines.push(line(table.columns.map((column) => cell(column.cells[i]!))));
  return [cell(table.caption), lines.join('\n'), cell(table.note)].filter(Boolean).join('\n\n');
}

/** All three forms. */
export const tableBundle = (rows: Rows, options: TableOptions = {}): MimeBundle => ({
  [TEXT]: tableText(rows, options),
  [HTML]: tableHtml(rows, options),
  [MARKDOWN]: tableMarkdown(rows, options),
});
