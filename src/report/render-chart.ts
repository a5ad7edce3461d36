import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { PNG, TEXT, VEGA, withMetadata, type MimeBundle } from '../display/mime.js';
import { chartText, setChartRenderer, type ChartSpec } from '../display/chart-output.js';
import { InputError } from '../errors.js';
import { checkMarks } from './charts/marks.js';
import { lightTheme, pinnedColors, withTheme, type ChartTheme } from './charts/theme.js';
import { fontFile, FONTS, svgToPng } from './svg-to-png.js';

export interface RenderedChart {
  /** Compiled Vega with the schema of version 5, which JupyterLab's Vega 5.33 draws like Vega 6. */
  readonly vega: Readonly<Record<string, unknown>>;
  readonly svg: string;
  readonly png: Uint8Array;
  /** What the compiler and the renderer warned of, each once. */
  readonly warnings: readonly string[];
}

export interface RenderOptions {
  /** Default light. */
  readonly theme?: ChartTheme;
  /** Pixels of the PNG for one of the chart, default 2. */
  readonly scale?: number;
}

/** What this file uses of vega and vega-lite, whose own types need a browser's. */
interface Vega {
  readonly textMetrics: { width(item: TextItem, text?: unknown): number };
  parse(spec: unknown): unknown;
  readonly View: new (runtime: unknown, options: object) => { toSVG(): Promise<string>; finalize(): void };
}

interface VegaLite {
  compile(spec: unknown, options: { logger: VegaLogger }): { spec: Record<string, unknown> };
}

interface TextItem {
  readonly text?: unknown;
  readonly fontSize?: number;
  readonly fontWeight?: string | number;
}

const DEFAULT_SCALE = 2;

const require = createRequire(import.meta.url);
let loaded: Promise<{ vega: Vega; vegaLite: VegaLite }> | undefined;

/**
 * Draws a Vega-Lite specification without a browser: compiled Vega, SVG and PNG. Text is measured and drawn
 * with DejaVu Sans, which the package brings, so that pictures are the same on every machine.
 * @throws InputError CHART_SPEC for a specification that does not compile; RunError CHART_PNG without resvg
 */
export async function renderChart(spec: ChartSpec, options: RenderOptions = {}): Promise<RenderedChart> {
  checkMarks(spec);
  const { vega, vegaLite } = await (loaded ??= load());
  const warnings = new Set<string>();
  const logger = collectingLogger(warnings);
  let compiled: Readonly<Record<string, unknown>>;
  let svg: string;
  try {
    const theme = options.theme ?? lightTheme;
    compiled = pinnedColors(vegaLite.compile(finite(withTheme(spec, theme)), { logger }).spec, theme);
    const view = new vega.View(vega.parse(compiled), { renderer: 'none', logger });
    svg = await view.toSVG();
    view.finalize();
  } catch (cause) {
    throw new InputError('CHART_SPEC', `The chart cannot be drawn: ${(cause as Error).message}`, {
      hint: 'Check the specification against https://vega.github.io/vega-lite/docs/.',
      cause,
    });
  }
  const schema = 'https://vega.github.io/schema/vega/v5.json';
  return {
    vega: { ...compiled, $schema: schema },
    svg,
    png: svgToPng(svg, options.scale ?? DEFAULT_SCALE),
    warnings: [...warnings],
  };
}

/** The chart as an output: compiled Vega, PNG and text, never HTML. */
export async function chartBundle(spec: ChartSpec, options: RenderOptions = {}): Promise<MimeBundle> {
  const { vega, png } = await renderChart(spec, options);
  const bytes = Buffer.from(png);
  const bundle = { [VEGA]: vega, [PNG]: bytes.toString('base64'), [TEXT]: chartText(spec) };
  // a picture of two pixels for one of the chart is shown at the chart's size
  const shown = (pixels: number): number => Math.round(pixels / (options.scale ?? DEFAULT_SCALE));
  const size = { width: shown(bytes.readUInt32BE(16)), height: shown(bytes.readUInt32BE(20)) };
  return withMetadata(bundle, { [PNG]: size });
}

setChartRenderer((spec) => chartBundle(spec));

/** NaN and infinities are not JSON, and one of them flattens a whole scale: they become null. */
function finite(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(finite);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, finite(member)]));
}

async function load(): Promise<{ vega: Vega; vegaLite: VegaLite }> {
  // import(), since both packages hold a top-level await that require refuses
  const vega = (await import('vega')) as unknown as Vega;
  const vegaLite = (await import('vega-lite')) as unknown as VegaLite;
  // without a canvas vega takes 0.8 em a letter, which leaves wide gaps
  vega.textMetrics.width = textWidth;
  return { vega, vegaLite };
}

interface VegaLogger {
  level(value?: number): unknown;
  error(...parts: readonly unknown[]): VegaLogger;
  warn(...parts: readonly unknown[]): VegaLogger;
  info(...parts: readonly unknown[]): VegaLogger;
  debug(...parts: readonly unknown[]): VegaLogger;
}

function collectingLogger(warnings: Set<string>): VegaLogger {
  const keep = (...parts: readonly unknown[]): VegaLogger => {
    warnings.add(parts.map(String).join(' '));
    return logger;
  };
  const drop = (): VegaLogger => logger;
  const logger: VegaLogger = {
    level: (value) => (value === undefined ? 2 : logger),
    error: keep,
    warn: keep,
    info: drop,
    debug: drop,
  };
  return logger;
}

interface Face {
  readonly unitsPerEm: number;
  charToGlyph(character: string): { advanceWidth: number };
}

const faces = new Map<string, { face: Face; advances: Map<string, number> }>();

function faceOf(name: string): { face: Face; advances: Map<string, number> } {
  let known = faces.get(name);
  if (!known) {
    const opentype = require('opentype.js') as { parse(buffer: ArrayBuffer): Face };
    known = {
      face: opentype.parse(new Uint8Array(readFileSync(fontFile(name))).buffer),
      advances: new Map(),
    };
    faces.set(name, known);
  }
  return known;
}

/** Width in pixels of a text mark, by the advance widths of the font it will be drawn with. */
function textWidth(item: TextItem, text?: unknown): number {
  const isBold = /bold|[6-9]00/.test(String(item.fontWeight ?? ''));
  const { face, advances } = faceOf(FONTS[isBold ? 1 : 0]);
  let ems = 0;
  for (const character of textOf(text ?? item.text)) {
    let advance = advances.get(character);
    if (advance === undefined) {
      advance = face.charToGlyph(character).advanceWidth / face.unitsPerEm;
      advances.set(character, advance);
    }
    ems += advance;
  }
  return ems * (item.fontSize ?? 11);
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
