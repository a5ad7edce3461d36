import { HTML, MARKDOWN, TEXT, type MimeBundle } from './mime.js';
import {
  createProgress,
  progressBundle,
  streamTarget,
  type ProgressOptions,
  type ProgressView,
} from './progress.js';
import { terminalSink, type DisplaySink } from './sink.js';
import { tableBundle, type Rows, type TableOptions } from './table.js';
import { tslabSink } from './tslab.js';

/** A Vega-Lite specification as a plain value. */
export type ChartSpec = Readonly<Record<string, unknown>>;

export type ChartRenderer = (spec: ChartSpec) => Promise<MimeBundle>;

let chosenSink: DisplaySink | undefined;
let chartRenderer: ChartRenderer | undefined;

/** Sends all outputs to this sink; undefined goes back to tslab, where it runs, or the terminal. */
export function setDisplaySink(sink: DisplaySink | undefined): void {
  chosenSink = sink;
}

/** Set once by the chart renderer, which lies in a later layer than this one. */
export function setChartRenderer(renderer: ChartRenderer): void {
  chartRenderer = renderer;
}

const activeSink = (): DisplaySink => chosenSink ?? tslabSink() ?? terminalSink;

/** Shows things in a notebook's cell, or as text in a terminal. */
export interface Display {
  /** Rows or an Arquero table. */
  table(rows: Rows, options?: TableOptions): void;
  /**
   * A Vega-Lite specification, or a chart of `charts`.
   * @throws whatever the renderer says of a specification it cannot draw
   */
  chart(spec: ChartSpec): Promise<void>;
  /** @param text shown where HTML cannot be; default the HTML without its tags */
  html(html: string, text?: string): void;
  markdown(markdown: string): void;
  progress(options?: ProgressOptions): ProgressView;
}

export const display: Display = {
  table: (rows, options = {}) => activeSink().show(tableBundle(rows, options)),
  async chart(spec) {
    const sink = activeSink();
    sink.show(
      sink === terminalSink || !chartRenderer ? { [TEXT]: chartText(spec) } : await chartRenderer(spec),
    );
  },
  html: (html, text = withoutTags(html)) => activeSink().show({ [TEXT]: text, [HTML]: html }),
  markdown: (markdown) => activeSink().show({ [TEXT]: markdown, [MARKDOWN]: markdown }),
  progress(options = {}) {
    const sink = activeSink();
    if (sink === terminalSink) return createProgress(streamTarget(process.stderr), options);
    let output: { update(bundle: MimeBundle): void } | undefined;
    return createProgress(
      {
        intervalMs: sink.progressIntervalMs ?? 100,
        maximumDrawings: sink.maximumProgressDrawings ?? Infinity,
        draw(state) {
          if (output) output.update(progressBundle(state));
          else output = sink.open(progressBundle(state));
        },
      },
      options,
    );
  },
};

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

const withoutTags = (html: string): string =>
  html
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<(br|\/p|\/div|\/tr|\/h\d|\/li)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, ' ')
    .replace(/[ \t]+/g, ' ')
    .trim();
