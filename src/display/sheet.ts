import { escapeHtml, HTML, plainText, PNG, TEXT, withMetadata, type MimeBundle } from './mime.js';
import { MISSING } from './numbers.js';
import type { Picture } from './picture.js';
import { tableHtml, tableText, type Rows, type TableOptions } from './table.js';

/** A label with what it names; a fact without a value is left out. */
export type Fact = readonly [label: string, value: string | number | readonly string[] | null | undefined];

export interface SheetTable extends TableOptions {
  readonly rows: Rows;
}

export interface LegendEntry {
  readonly name: string;
  /** Red, green, blue, 0 … 255. */
  readonly color: readonly [number, number, number];
}

/** One object of the library on a page: heading, picture, facts, tables, remarks, in this order. */
export interface Sheet {
  readonly title: string;
  readonly picture?: Picture;
  readonly legend?: readonly LegendEntry[];
  readonly facts?: readonly Fact[];
  readonly tables?: readonly SheetTable[];
  readonly notes?: readonly string[];
}

/** Rows of one table of a sheet at most, if the table says nothing else. */
export const SHEET_ROWS = 20;

/** The sheet as HTML and text, and its picture as a PNG. */
export function sheetBundle(sheet: Sheet): MimeBundle {
  const { picture } = sheet;
  const bundle = { [TEXT]: sheetText(sheet), [HTML]: sheetHtml(sheet) };
  if (!picture) return bundle;
  const { width, height } = picture;
  return withMetadata({ ...bundle, [PNG]: picture.base64 }, { [PNG]: { width, height } });
}

const factsOf = (sheet: Sheet): { label: string; value: string }[] =>
  (sheet.facts ?? []).flatMap(([label, value]) =>
    value === null || value === undefined || value === ''
      ? []
      : [{ label, value: typeof value === 'object' ? value.join(', ') || MISSING : String(value) }],
  );

function sheetText(sheet: Sheet): string {
  const facts = factsOf(sheet);
  const width = Math.max(0, ...facts.map(({ label }) => label.length));
  const lines = facts.map(({ label, value }) => `  ${label.padEnd(width)}  ${plainText(value)}`);
  if (sheet.legend) lines.push(`  classes: ${sheet.legend.map(({ name }) => plainText(name)).join(', ')}`);
  const tables = (sheet.tables ?? []).map(({ rows, ...options }) =>
    tableText(rows, { maximumRows: SHEET_ROWS, ...options }),
  );
  const notes = (sheet.notes ?? []).map((note) => plainText(note));
  return [[plainText(sheet.title), ...lines].join('\n'), ...tables, notes.join('\n')]
    .filter(Boolean)
    .join('\n\n');
}

function sheetHtml(sheet: Sheet): string {
  const { picture, legend } = sheet;
  const facts = factsOf(sheet).map(
    ({ label, value }) =>
      `<tr><td style="text-align:left;padding:.1em 1em .1em .7em;opacity:.7;vertical-align:top;white-space:nowrap">${escapeHtml(label)}</td>` +
      `<td style="text-align:left;padding:.1em .7em .1em 0">${escapeHtml(value)}</td></tr>`,
  );
  const parts = [`<p style="margin:.3em 0"><strong>${escapeHtml(sheet.title)}</strong></p>`];
  if (picture) parts.push(pictureHtml(picture));
  if (legend) parts.push(legendHtml(legend));
  if (facts.length > 0)
    parts.push(
      `<table style="border-collapse:collapse;margin:.3em 0"><tbody>${facts.join('')}</tbody></table>`,
    );
  for (const { rows, ...options } of sheet.tables ?? [])
    parts.push(tableHtml(rows, { maximumRows: SHEET_ROWS, ...options }));
  for (const note of sheet.notes ?? [])
    parts.push(`<p style="margin:.3em 0;font-size:90%;opacity:.7">${escapeHtml(note)}</p>`);
  return `<div>${parts.join('')}</div>`;
}

const pictureHtml = ({ base64, width, height, alt }: Picture): string =>
  `<img src="data:image/png;base64,${base64}" width="${width}" height="${height}" alt="${escapeHtml(alt)}">`;

const legendHtml = (legend: readonly LegendEntry[]): string =>
  `<p style="margin:.3em 0">${legend
    .map(
      ({ name, color }) =>
        `<span style="white-space:nowrap;margin-right:1em"><span style="display:inline-block;width:.8em;height:.8em;` +
        `border:1px solid rgba(128,128,128,.6);background-color:rgb(${color.join(',')})"></span> ${escapeHtml(name)}</span> `,
    )
    .join('')}</p>`;
