import { listed } from '../../display/words.js';
import { InputError } from '../../errors.js';
import { wrapped } from './chart.js';

/** Characters in a line of a row's label: a narrow page has room for them beside the chart. */
export const ROW_CHARACTERS = 21;

/** Pixels between lines of a label. */
const LINE = 14;

/** Models in one chart at most; the rest is in its table. */
export const MAXIMUM_MODELS = 60;

/** Lines of a row's label, by the row's name. */
export type RowLabels = Readonly<Record<string, readonly string[]>>;

/** A label for each name, in front of it what `prefix` gives. */
export const rowLabels = (
  names: readonly string[],
  prefix: (name: string, index: number) => string = () => '',
): RowLabels =>
  Object.fromEntries(
    names.map((name, i) => {
      const [first, ...rest] = brokenName(name, ROW_CHARACTERS);
      return [name, [prefix(name, i) + first!, ...rest]];
    }),
  );

/** Lines of a name: an id breaks behind its hyphens, where it can. */
export function brokenName(name: string, characters: number): string[] {
  const lines: string[] = [];
  for (const part of name.split(/(?<=[-_/])/).flatMap((word) => wrapped(word, characters))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length <= characters) lines[lines.length - 1] = last + part;
    else lines.push(part);
  }
  return lines;
}

/** The encoding of rows with a name each, from the top down in the order given. */
export const rowEncoding = (field: string, names: readonly string[], axis: object): object => ({
  field,
  type: 'nominal',
  sort: names,
  scale: { domain: names, type: 'band', paddingInner: 0.3 },
  axis: { title: null, ticks: false, domain: false, labelPadding: 8, grid: true, ...axis },
});

/** What an axis of rows needs to show labels of several lines, the middle of each at its row. */
export const labelledRows = (labels: RowLabels): object => ({
  labelExpr: `${JSON.stringify(labels)}[datum.value] || datum.value`,
  // the first line would stand in the middle of the row
  encoding: { labels: { dy: { value: { expr: liftOf(labels) } } } },
});

function liftOf(labels: RowLabels): string {
  const lifts = Object.entries(labels).map(([name, { length }]) => [name, (-LINE / 2) * (length - 1)]);
  return `${JSON.stringify(Object.fromEntries(lifts))}[datum.value] || 0`;
}

/** Pixels of a chart's rows: as high as the longest label, at least `least` each. */
export function rowsHeight(labels: RowLabels, least: number): number {
  const all = Object.values(labels);
  const lines = Math.max(1, ...all.map(({ length }) => length));
  return Math.max(60, all.length * Math.max(least, lines * LINE + 6));
}

/** `a and b`, `a, b and 7 more`. */
export const someOf = (names: readonly string[], shown = 3): string =>
  names.length <= shown + 1
    ? listed(names)
    : listed([...names.slice(0, shown), `${names.length - shown} more`]);

/** `1 model has`, `3 models have`. */
export const models = (count: number, verb?: readonly [one: string, many: string]): string =>
  [count, count === 1 ? 'model' : 'models', ...(verb ? [verb[count === 1 ? 0 : 1]] : [])].join(' ');

/** @throws InputError CHART_INPUT where there is nothing to draw */
export function requireSome(items: readonly unknown[], what: string, hint: string): void {
  if (items.length === 0) throw new InputError('CHART_INPUT', `There is nothing to draw: ${what}.`, { hint });
}

/** Decimals that tell numbers of this size apart: three for shares, fewer for large numbers. */
export function decimalsOf(values: readonly (number | null)[]): number {
  const largest = values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
  if (largest <= 1.5) return 3;
  return Math.max(0, 3 - Math.floor(Math.log10(largest)));
}
