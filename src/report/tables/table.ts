import { formatNumber, MISSING } from '../../display/numbers.js';
import { markup, type HtmlPart, type Markup } from '../html.js';

export interface TableColumn {
  readonly title: HtmlPart;
  /** Whether small numbers come first when a reader sorts by it; default false. */
  readonly isRising?: boolean;
  /** Whether its texts are long and take several lines; default false. */
  readonly isFree?: boolean;
  /** Default true from the second column on. */
  readonly isNumeric?: boolean;
}

/** A choice among the rows by the text of a column: one of its values, or a group of them. */
export interface TableFilter {
  readonly label: string;
  /** From 0. */
  readonly column: number;
  readonly groups?: Readonly<Record<string, readonly string[]>>;
}

export interface TableParts {
  /** What the table is of, in a few words: read out, and the name of the CSV file that is saved. */
  readonly name: string;
  /** Offered where they have two values or more. */
  readonly filters?: readonly TableFilter[];
  /** Dataset, split, evaluation, run count: what the numbers stand for. */
  readonly context: HtmlPart;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly HtmlPart[])[];
  /** Above the column titles: a title over several columns each. */
  readonly groups?: readonly { readonly title: HtmlPart; readonly span: number }[];
  /** Rows from here on are set apart by a line. */
  readonly ruleBefore?: number;
}

/** More rows than these scroll in a box of their own, under their heading. */
const LONG = 40;

/** A table in a box of its own, which scrolls sideways where the page is too narrow. */
export function dataTable({
  name,
  context,
  columns,
  rows,
  groups,
  ruleBefore,
  filters = [],
}: TableParts): Markup {
  const isNumeric = columns.map((column, i) => column.isNumeric ?? i > 0);
  const css = (i: number): Markup | false =>
    isNumeric[i]! ? markup` class="number"` : columns[i]?.isFree === true && markup` class="free"`;
  const head =
    groups &&
    markup`<tr>
      ${groups.map(({ title, span }) => markup`<th colspan="${span}" class="group" scope="colgroup">${title}</th>`)}
    </tr>`;
  const body = rows.map((cells, row) => {
    const [first, ...others] = cells;
    return markup`<tr${row === ruleBefore && markup` class="rule"`}><th scope="row">${first}</th>${others.map((cell, i) => markup`<td${css(i + 1)}>${cell}</td>`)}</tr>`;
  });
  return markup` <div class="scroll${rows.length > LONG && ' long'}" tabindex="0" role="region" aria-label="${name}">
      <table
        data-name="${fileName(name)}"
        data-label="${name}"
        ${filters.length > 0 && markup` data-filters="${JSON.stringify(filters)}"`}
      >
        <thead>
          ${head}
          <tr>
            ${columns.map((column, i) => markup`<th scope="col" ${css(i)}${column.isRising === true && markup` data-rising`}>${column.title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${body}
        </tbody>
      </table>
    </div>
    <p class="context">${context}</p>`;
}

/** A number as it is shown, with all of its digits for whoever sorts or saves. */
export const exact = (value: number | null | undefined, decimals: number): Markup | string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? MISSING
    : markup`<data value="${value}">${formatNumber(value, decimals)}</data>`;

const fileName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
