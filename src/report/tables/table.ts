import { markup, type HtmlPart, type Markup } from '../html.js';

export interface TableColumn {
  readonly title: HtmlPart;
  /** Default true from the second column on. */
  readonly isNumeric?: boolean;
}

export interface TableParts {
  /** Dataset, split, evaluation, run count: what the numbers stand for. */
  readonly context: HtmlPart;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly HtmlPart[])[];
  /** Above the column titles: a title over several columns each. */
  readonly groups?: readonly { readonly title: HtmlPart; readonly span: number }[];
  /** Rows from here on are set apart by a line. */
  readonly ruleBefore?: number;
}

/** A table in a box of its own, which scrolls sideways where the page is too narrow. */
export function dataTable({ context, columns, rows, groups, ruleBefore }: TableParts): Markup {
  const isNumeric = columns.map((column, i) => column.isNumeric ?? i > 0);
  const css = (i: number): Markup | false => isNumeric[i]! && markup` class="number"`;
  const head =
    groups &&
    markup`<tr>
      ${groups.map(({ title, span }) => markup`<th colspan="${span}" class="group" scope="colgroup">${title}</th>`)}
    </tr>`;
  const body = rows.map((cells, row) => {
    const [first, ...others] = cells;
    return markup`<tr${row === ruleBefore && markup` class="rule"`}><th scope="row">${first}</th>${others.map((cell, i) => markup`<td${css(i + 1)}>${cell}</td>`)}</tr>`;
  });
  return markup` <div class="scroll" tabindex="0" role="region" aria-label="table">
      <table>
        <thead>
          ${head}
          <tr>
            ${columns.map((column, i) => markup`<th scope="col" ${css(i)}>${column.title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${body}
        </tbody>
      </table>
    </div>
    <p class="context">${context}</p>`;
}
