import { escapeHtml, HTML, MARKDOWN, plainText, TEXT, type MimeBundle } from './mime.js';
import { formatColumn, isNumeric } from './numbers.js';

/** What an Arquero table offers, of which only this is used. */
export interface TableLike {
  columnNames(): string[];
  objects(options?: { limit?: number }): object[];
  numRows(): number;
}

export type Rows = readonly object[] | TableLike;

export interface TableOptions {
  /** Columns to show, in this order; default all, in the order in which they first occur. */
  readonly columns?: readonly string[];
  /** Decimals of numbers that are not integers; default by the size of the column's numbers. */
  readonly digits?: number;
  /** Line above the table. */
  readonly caption?: string;
  /** Rows shown at most, default 200; how many more there are is said below. */
  readonly maximumRows?: number;
}

interface FormattedColumn {
  readonly name: string;
  readonly cells: readonly string[];
  readonly isNumeric: boolean;
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
    return { name, cells: formatColumn(values, options.digits), isNumeric: isNumeric(values) };
  });
  const note =
    total > shown.length ? `… ${total - shown.length} more of ${total} rows` : total === 0 ? 'no rows' : '';
  return { columns, rowCount: shown.length, caption: options.caption ?? '', note };
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
  const widths = columns.map((column) => Math.max(textWidth(column.name), ...column.cells.map(textWidth)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => pad(cell, widths[i]!, columns[i]!.isNumeric))
      .join('  ')
      .trimEnd();
  const lines =
    columns.length === 0
      ? []
      : [line(columns.map((column) => column.name)), widths.map((width) => '─'.repeat(width)).join('  ')];
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

/** The same table as HTML, every text escaped, without scripts or style sheets. */
export function tableHtml(rows: Rows, options: TableOptions = {}): string {
  const table = format(rows, options);
  const cell = (tag: string, column: FormattedColumn, text: string): string =>
    `<${tag} style="text-align:${column.isNumeric ? 'right' : 'left'}">${escapeHtml(text)}</${tag}>`;
  const head = table.columns.map((column) => cell('th', column, column.name)).join('');
  const body = Array.from(
    { length: table.rowCount },
    (_, i) => `<tr>${table.columns.map((column) => cell('td', column, column.cells[i]!)).join('')}</tr>`,
  );
  const caption = table.caption && `<caption>${escapeHtml(table.caption)}</caption>`;
  const note = table.note && `<p>${escapeHtml(table.note)}</p>`;
  return `<table>${caption}<thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>${note}`;
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
