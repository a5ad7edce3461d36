import { chartOutput, type ChartSpec } from '../../display/chart-output.js';
import { showAs } from '../../display/showable.js';
import { isError } from '../../results/main-score.js';

/** A chart: its specification, and what must be said beside it. */
export interface ChartParts {
  readonly title: string;
  /** Dataset, split, evaluation, run count. */
  readonly context: string;
  /** What was left out or put together; shown under the title and under the chart in the report. */
  readonly notes: readonly string[];
  /** What a blind reader is told. */
  readonly description: string;
  readonly body: ChartSpec;
  /** What is drawn as a table of exact numbers, for `chartRows`. */
  readonly rows?: readonly ChartRow[];
}

/** A row of the table beside a chart. */
export type ChartRow = Readonly<Record<string, string | number | boolean | null>>;

/** Rows in one chart at most; more are put together and the chart says so. */
export const MAXIMUM_ROWS = 5000;

/** The specification as plain JSON; a notebook's cell that ends with it shows the chart. */
export const toSpec = (parts: ChartParts): ChartSpec => showAs(specOf(parts), { bundle: chartOutput });

/** The exact numbers of a chart, as `display.table` and `toCsv` take them; none for a chart that has no table. */
export const chartRows = (spec: ChartSpec): readonly ChartRow[] =>
  (spec.usermeta as { rows?: readonly ChartRow[] } | undefined)?.rows ?? [];

const specOf = ({ title, context, notes, description, body, rows }: ChartParts): ChartSpec => ({
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  title: { text: titleLines(title), subtitle: [context, ...notes].flatMap((line) => wrapped(line, 78)) },
  description,
  autosize: { type: 'fit-x', contains: 'padding' },
  width: WIDTH,
  params: [{ name: AVAILABLE, value: WIDTH }],
  ...body,
  usermeta: { title, context, notes, ...(rows && { rows }) },
});

/** One line as it is: a list of lines is only what does not fit. */
function titleLines(title: string): string | string[] {
  const lines = wrapped(title, 58);
  return lines.length === 1 ? title : lines;
}

/** Lines of at most so many characters: the text of charts does not wrap by itself. Longer words are broken. */
export function wrapped(text: string, characters: number): string[] {
  const lines: string[] = [];
  const words = text.split(' ').flatMap((word) => {
    const letters = [...word];
    const count = Math.max(1, Math.ceil(letters.length / characters));
    return Array.from({ length: count }, (_, i) =>
      letters.slice(i * characters, (i + 1) * characters).join(''),
    );
  });
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < characters)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Names on several lines: an expression for the labels of an axis or a legend. */
export function wrappedLabels(names: readonly string[], characters: number): string {
  const lines = Object.fromEntries(names.map((name) => [name, wrapped(name, characters)]));
  return `${JSON.stringify(lines)}[datum.label] || datum.label`;
}

/**
 * Columns of a legend below a chart: as many as there is room for, which `AVAILABLE` holds. The plot's own
 * width would not do: the chart is laid out with a first guess of it, and keeps the legend's height of then.
 * @param margin pixels left of the plot
 */
export function legendColumns(names: readonly string[], margin: number): { readonly expr: string } {
  // a letter of 12 px is about 6.7 px wide; 34 px are symbol and gap
  const column = Math.max(...names.map((name) => Math.min(name.length, LEGEND_CHARACTERS)), 1) * 6.7 + 34;
  const fitting = `floor((${AVAILABLE} - ${margin}) / ${Math.ceil(column)})`;
  return { expr: `max(1, min(${Math.max(1, names.length)}, ${fitting}))` };
}

/** Name of the parameter that holds the pixels from side to side of a chart. */
export const AVAILABLE = 'available';

const WIDTH = 520;

/** The chart as wide as what it stands in. */
export const inContainer = (spec: ChartSpec): ChartSpec => ({
  ...spec,
  width: 'container',
  // width stands in it so that it is computed anew when the page changes its width
  params: [{ name: AVAILABLE, expr: `width && containerSize()[0] || ${WIDTH}` }],
});

/** Characters in a line of a legend; more take another line. */
export const LEGEND_CHARACTERS = 40;

/**
 * Ends of the axis of a score: around the values with room. Of shares: within 0 … 1 where all are, never narrower than
 * 0.06. Errors have no upper end.
 * @param bounded values that cannot lie outside what the score can be, as the ends of an interval can
 */
export function scoreDomain(
  metric: string,
  values: readonly number[],
  bounded: readonly number[],
): [number, number] {
  const [low, high] = paddedDomain(values);
  if (isError(metric)) return [bounded.every((value) => value >= 0) ? Math.max(0, low) : low, high];
  if (bounded.length === 0 || !bounded.every((value) => value >= 0 && value <= 1)) return [low, high];
  // labels have two decimals: a narrower axis would give neighbours the same one
  const room = Math.max(0, 0.06 - (high - low)) / 2;
  const from = Math.max(0, Math.min(low - room, 0.94));
  return [from, Math.min(1, Math.max(high + room, from + 0.06))];
}

/** A scale's ends around the values, with room, so that no point is cut by the axis. */
export function paddedDomain(values: readonly number[]): [number, number] {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return [0, 1];
  const low = finite.reduce((a, b) => Math.min(a, b));
  const high = finite.reduce((a, b) => Math.max(a, b));
  const room = Math.max((high - low) * 0.06, 0.005 * Math.max(Math.abs(low), Math.abs(high)), 1e-6);
  return [low - room, high + room];
}

/** `2 values are not finite and are left out.` */
export const leftOutNote = (count: number): string[] =>
  count === 0
    ? []
    : [`${count} ${count === 1 ? 'value is' : 'values are'} missing or not finite and left out.`];
