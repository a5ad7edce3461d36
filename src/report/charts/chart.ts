import type { ChartSpec } from '../../display/show.js';

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
}

/** Rows in one chart at most; more are put together and the chart says so. */
export const MAXIMUM_ROWS = 5000;

export const toSpec = ({ title, context, notes, description, body }: ChartParts): ChartSpec => ({
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  title: { text: title, subtitle: [context, ...notes].flatMap((line) => wrapped(line, 78)) },
  description,
  autosize: { type: 'fit-x', contains: 'padding' },
  width: 520,
  ...body,
  usermeta: { title, context, notes },
});

/** Lines of at most so many characters: titles of charts do not wrap by themselves. */
function wrapped(text: string, characters: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < characters)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A scale's ends around the values, with room, so that no point is cut by the axis; within 0 … 1 if they are. */
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
