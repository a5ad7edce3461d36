import { TEXT, type MimeBundle } from './mime.js';

/** A Vega-Lite specification as a plain value. */
export type ChartSpec = Readonly<Record<string, unknown>>;

export type ChartRenderer = (spec: ChartSpec) => Promise<MimeBundle>;

let chartRenderer: ChartRenderer | undefined;

/** Set once by the chart renderer, which lies in a later layer than this one. */
export function setChartRenderer(renderer: ChartRenderer): void {
  chartRenderer = renderer;
}

/**
 * The chart as an output: compiled Vega, PNG and text; text alone where nothing is there to draw it.
 * @throws whatever the renderer says of a specification it cannot draw
 */
export const chartOutput = (spec: ChartSpec): MimeBundle | Promise<MimeBundle> =>
  chartRenderer ? chartRenderer(spec) : { [TEXT]: chartText(spec) };

/** A chart in words: its title and description. */
export function chartText(spec: ChartSpec): string {
  const parts = [titleOf(spec.title), spec.description].filter(
    (part) => typeof part === 'string' && part !== '',
  );
  return `[chart] ${parts.join(': ') || 'without a title'}`;
}

function titleOf(title: unknown): unknown {
  if (Array.isArray(title)) return title.join(' ');
  return typeof title === 'object' && title !== null ? titleOf((title as { text?: unknown }).text) : title;
}

/** True for an object that says by its `$schema` that it is a Vega-Lite specification. */
export const isChartSpec = (value: object): value is ChartSpec => {
  const { $schema } = value as { $schema?: unknown };
  return typeof $schema === 'string' && /^https?:\/\/vega\.github\.io\/schema\/vega-lite\//.test($schema);
};
