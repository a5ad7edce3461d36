import { activeSink } from './active-sink.js';
import { bytesBundle, formatValue, rowsOf } from './bundle.js';
import { chartOutput, chartText, isChartSpec, type ChartSpec } from './chart-output.js';
import { createHandle, settle, type DisplayHandle } from './handle.js';
import { HTML, MARKDOWN, PNG, SVG, TEXT, withMetadata, type MimeBundle } from './mime.js';
import { pictureBundle } from './picture.js';
import { openProgressView } from './progress-bars.js';
import type { ProgressOptions, ProgressView } from './progress.js';
import { isRasterLike, type RasterLike } from './raster.js';
import { rasterPicture } from './raster-output.js';
import { SHEET_ROWS } from './sheet.js';
import { terminalSink } from './sink.js';
import { tableBundle, type Rows, type TableOptions } from './table.js';

export interface ImageOptions {
  /** Places of the bands for red, green and blue, or of one for grey; default the first three, or the first. */
  readonly bands?: readonly number[];
  /** Longest side in pixels, default 512. */
  readonly maximumSide?: number;
  /** Each band from its 2nd to its 98th percentile; default for all but uint8. */
  readonly stretch?: boolean;
  /** The picture in words. */
  readonly alt?: string;
}

export interface PngOptions {
  /** Size at which it is shown, pixels; default its own. */
  readonly width?: number;
  readonly height?: number;
  /** The picture in words. */
  readonly alt?: string;
}

/**
 * Shows things in a notebook's cell, or as text in a terminal. Nothing is returned that a cell would print; what
 * has to be drawn first (a chart) gives a promise, and is shown in its place only where that is awaited.
 */
export interface Display {
  /**
   * Any values, one output each: tables, charts, rasters, objects of the library and of others with a
   * `Symbol.for('Jupyter.display')` method, bytes of a PNG or JPEG; all else as `util.inspect` writes it.
   * @throws whatever a value's own method throws
   */
  (...values: unknown[]): void | Promise<void>;
  /** An output that can be replaced later, also from another cell; without a value it is empty at first. */
  handle(value?: unknown): DisplayHandle;
  /** Rows, an Arquero table or a danfo.js frame; 20 rows, if `maximumRows` does not say more. */
  table(rows: Rows | object, options?: TableOptions): void;
  /**
   * A Vega-Lite specification, or a chart of `charts`.
   * @throws whatever the renderer says of a specification it cannot draw
   */
  chart(spec: ChartSpec): Promise<void>;
  /**
   * A raster [height, width, band], an object with `data`, `width`, `height` and `channels`, or the bytes of a PNG or
   * JPEG. Pixels without a value are transparent.
   * @throws TypeError for anything else; RangeError for bands that it does not have
   */
  image(image: RasterLike | Uint8Array, options?: ImageOptions): void;
  text(text: string): void;
  /** @param text shown where HTML cannot be; default the HTML without its tags */
  html(html: string, text?: string): void;
  markdown(markdown: string): void;
  /** @param text shown where SVG cannot be */
  svg(svg: string, text?: string): void;
  /** Bytes of a PNG. @throws TypeError for bytes that are none */
  png(bytes: Uint8Array, options?: PngOptions): void;
  /** Content of any MIME type: text, bytes, or an object for a JSON type. */
  raw(type: string, content: string | Uint8Array | object): void;
  /** A bar of shares, 0 … 1, for `followStudy`; loops have `progress`. */
  progress(options?: ProgressOptions): ProgressView;
}

const show = (bundle: MimeBundle): void => activeSink().sink.show(bundle);

function showOne(value: unknown): void | Promise<void> {
  const { sink } = activeSink();
  const bundle = contentOf(value, sink === terminalSink);
  if (!(bundle instanceof Promise)) return showUnlessEmpty(bundle);
  return bundle.then(showUnlessEmpty);
}

/** A terminal shows a chart's words: it is not drawn for that. */
const contentOf = (value: unknown, isTerminal: boolean): MimeBundle | Promise<MimeBundle> =>
  isTerminal && typeof value === 'object' && value !== null && isChartSpec(value)
    ? { [TEXT]: chartText(value) }
    : formatValue(value);

function showUnlessEmpty(bundle: MimeBundle): void {
  if (Object.keys(bundle).length > 0) show(bundle);
}

function showAll(...values: unknown[]): void | Promise<void> {
  for (const [index, value] of values.entries()) {
    const shown = showOne(value);
    if (shown) return settle(showRest(shown, values.slice(index + 1)));
  }
}

async function showRest(first: Promise<void>, values: readonly unknown[]): Promise<void> {
  await first;
  for (const value of values) await showOne(value);
}

export const display: Display = Object.assign(showAll, {
  handle: (value?: unknown) => createHandle(value),
  table(rows: Rows | object, options: TableOptions = {}) {
    const known = Array.isArray(rows) ? (rows as object[]) : rowsOf(rows);
    if (!known)
      throw new TypeError('display.table shows an array of objects, an Arquero table or a danfo.js frame.');
    show(tableBundle(known, { maximumRows: SHEET_ROWS, ...options }));
  },
  chart(spec: ChartSpec) {
    const { sink } = activeSink();
    const draw = async (): Promise<void> =>
      sink.show(sink === terminalSink ? { [TEXT]: chartText(spec) } : await chartOutput(spec));
    return settle(draw());
  },
  image(image: RasterLike | Uint8Array, options: ImageOptions = {}) {
    if (image instanceof Uint8Array) {
      const bundle = bytesBundle(image, options.alt);
      if (!bundle) throw new TypeError('These bytes are neither a PNG nor a JPEG.');
      return show(bundle);
    }
    if (!isRasterLike(image)) {
      throw new TypeError(
        'display.image shows the bytes of a PNG or JPEG, or { data, height, width, bandCount } with a typed array ' +
          'of height × width × bandCount numbers.',
      );
    }
    show(pictureBundle(rasterPicture(image, { maximumSide: 512, ...options })));
  },
  text: (text: string) => show({ [TEXT]: text }),
  html: (html: string, text = withoutTags(html)) => show({ [TEXT]: text, [HTML]: html }),
  markdown: (markdown: string) => show({ [TEXT]: markdown, [MARKDOWN]: markdown }),
  svg: (svg: string, text = '[image] SVG') => show({ [TEXT]: text, [SVG]: svg }),
  png(bytes: Uint8Array, { alt, ...size }: PngOptions = {}) {
    const bundle = bytesBundle(bytes, alt);
    if (!bundle?.[PNG]) throw new TypeError('These bytes are no PNG.');
    show(withMetadata(bundle, { [PNG]: size }));
  },
  raw(type: string, content: string | Uint8Array | object) {
    const isText = type.startsWith('text/') && typeof content === 'string';
    const body = content instanceof Uint8Array ? Buffer.from(content).toString('base64') : content;
    show({ [TEXT]: isText ? content : `[${type}]`, [type]: body });
  },
  progress: (options: ProgressOptions = {}) => openProgressView(options),
});

const withoutTags = (html: string): string =>
  html
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/<(br|\/p|\/div|\/tr|\/h\d|\/li)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, ' ')
    .replace(/[ \t]+/g, ' ')
    .trim();
