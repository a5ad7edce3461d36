import { encodePixels } from '../../display/picture.js';
import { escapeHtml, plainText } from '../../display/mime.js';
import { css, viridis } from './colors.js';
import type { Drawing, LegendItem, Pane, Shape } from './pane.js';

/** Of a sheet, pixels. */
export const SHEET_WIDTH = 1000;
const STRIP = 154;
const GAP = 13;
const TITLE = 31;
const HEADING = 20;
const BAR = 30;

/** A drawing as SVG: its size, and what stands between `<svg>` and `</svg>`. Text is of the colour of its surroundings. */
export interface Composed {
  readonly width: number;
  readonly height: number;
  readonly content: string;
}

/** Panes in rows, then the legend. @param id tells apart what several drawings of a page define */
export function compose({ title, caption, panes, legend }: Drawing, id: string): Composed {
  const parts = [
    `<defs><pattern id="hatch-${id}" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">` +
      `<rect width="8" height="8" fill="rgb(214,216,219)"/><rect width="3" height="8" fill="rgb(164,168,174)"/></pattern></defs>`,
    text(0, 17, title, { size: 15, weight: 'bold' }),
    text(0, 36, caption, { size: 12, opacity: 0.72 }),
  ];
  let top = 50;
  for (const { side, row } of rowsOf(panes)) {
    const heading = row[0]!.heading ?? '';
    if (heading !== '') {
      parts.push(text(0, top + 11, heading, { size: 12, weight: '600' }));
      top += HEADING;
    }
    const heights = row.map((pane) => sizeOf(pane, side).height + TITLE + (pane.bar ? BAR : 0));
    for (const [place, pane] of row.entries()) parts.push(paneSvg(pane, side, place * (side + GAP), top));
    top += Math.max(...heights) + 14;
  }
  const { content, height } = legendSvg(legend, top, id);
  parts.push(content);
  return { width: SHEET_WIDTH, height: top + height + 6, content: parts.join('') };
}

/** Drawings below each other, on white, as a document of its own. */
export function stacked(sheets: readonly Composed[], heading: string): string {
  const margin = 16;
  let top = margin + (heading ? 30 : 0);
  const parts = sheets.map(({ content, height }) => {
    const part = `<g transform="translate(${margin} ${top})">${content}</g>`;
    top += height + 22;
    return part;
  });
  const [width, height] = [SHEET_WIDTH + 2 * margin, Math.max(top, 60)];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="DejaVu Sans" color="#22262b"><rect width="100%" height="100%" fill="#ffffff"/>` +
    (heading
      ? text(margin, margin + 16, heading, { size: 15, weight: 'bold', room: SHEET_WIDTH + 60 })
      : '') +
    `${parts.join('')}</svg>`
  );
}

interface Row {
  /** Room of a pane, pixels. */
  readonly side: number;
  readonly row: readonly Pane[];
}

/** The dates of a series in a row of their own, then all else in rows of four or five, so that no row holds one alone. */
function rowsOf(panes: readonly Pane[]): Row[] {
  const rows: Row[] = [];
  let strip: Pane[] = [];
  for (const pane of panes) {
    if (!pane.isStrip) continue;
    if (strip.length > 0 && pane.heading !== undefined) {
      rows.push({ side: STRIP, row: strip });
      strip = [];
    }
    strip.push(pane);
  }
  if (strip.length > 0) rows.push({ side: STRIP, row: strip });
  const others = panes.filter(({ isStrip }) => !isStrip);
  const columns = others.length > 4 && [1, 5].includes(others.length % 4 || 4) ? 5 : 4;
  const side = (SHEET_WIDTH - (columns - 1) * GAP) / columns;
  for (let from = 0; from < others.length; from += columns)
    rows.push({ side, row: others.slice(from, from + columns) });
  return rows;
}

function sizeOf({ view }: Pane, side: number): { width: number; height: number } {
  const { height, width } = view.pixels;
  const scale = side / Math.max(height, width);
  return { width: width * scale, height: height * scale };
}

function paneSvg(pane: Pane, side: number, left: number, top: number): string {
  const { width, height } = sizeOf(pane, side);
  const y = top + TITLE;
  const source = Buffer.from(encodePixels(pane.view.pixels)).toString('base64');
  return (
    text(left, top + 11, pane.title, { size: 12, weight: pane.isStrip ? '400' : '600', room: side }) +
    text(left, top + 25, pane.subtitle, { size: 11, opacity: 0.72, room: side }) +
    `<image x="${left}" y="${y}" width="${round(width)}" height="${round(height)}" href="data:image/png;base64,${source}" preserveAspectRatio="none"/>` +
    `<rect x="${left}" y="${y}" width="${round(width)}" height="${round(height)}" fill="none" stroke="currentColor" stroke-opacity=".18"/>` +
    (pane.shapes ?? []).map((shape) => shapeSvg(shape, left, y, width, height)).join('') +
    (pane.bar ? barSvg(pane.bar, left, y + height + 6, width) : '')
  );
}

function shapeSvg(
  { points, color }: Shape,
  left: number,
  top: number,
  width: number,
  height: number,
): string {
  const placed = points.map((value, index) =>
    round(index % 2 === 0 ? left + value * width : top + value * height),
  );
  const list = placed.join(' ');
  // light below, colour above: seen on dark and on bright ground
  return (
    `<polygon points="${list}" fill="none" stroke="#fff" stroke-opacity=".85" stroke-width="2.6" stroke-linejoin="round"/>` +
    `<polygon points="${list}" fill="none" stroke="${css(color)}" stroke-width="1.4" stroke-linejoin="round"/>`
  );
}

const STEPS = 40;

function barSvg({ low, high }: NonNullable<Pane['bar']>, left: number, top: number, width: number): string {
  const steps = Array.from({ length: STEPS }, (_, step) => {
    const x = left + (step * width) / STEPS;
    return `<rect x="${round(x)}" y="${round(top)}" width="${round(width / STEPS + 0.5)}" height="8" fill="${css(viridis((step + 0.5) / STEPS))}"/>`;
  });
  const y = top + 20;
  return (
    steps.join('') +
    text(left, y, number(low), { size: 11 }) +
    text(left + width, y, number(high), { size: 11, anchor: 'end' })
  );
}

const number = (value: number): string => String(Number(value.toPrecision(3))).replace('-', '−');

function legendSvg(
  items: readonly LegendItem[],
  top: number,
  id: string,
): { content: string; height: number } {
  if (items.length === 0) return { content: '', height: 0 };
  let [x, y] = [0, top];
  const parts = items.map(({ name, color }) => {
    const width = 22 + textWidth(name, 12) + 18;
    if (x > 0 && x + width > SHEET_WIDTH) [x, y] = [0, y + 21];
    const fill = color === 'hatched' ? `url(#hatch-${id})` : css(color);
    const part =
      `<rect x="${x + 0.5}" y="${y + 0.5}" width="14" height="14" rx="2" fill="${fill}" stroke="currentColor" stroke-opacity=".45"/>` +
      text(x + 21, y + 12, name, { size: 12 });
    x += width;
    return part;
  });
  return { content: parts.join(''), height: y - top + 18 };
}

interface TextLook {
  readonly size: number;
  readonly weight?: string;
  readonly anchor?: 'end';
  readonly opacity?: number;
  /** Pixels there are for it; a longer text is cut. */
  readonly room?: number;
}

function text(
  x: number,
  y: number,
  content: string,
  { size, weight, anchor, opacity, room = SHEET_WIDTH }: TextLook,
): string {
  if (content === '') return '';
  const most = Math.floor(room / (size * (weight ? BOLD_EM : EM)));
  const letters = [...content];
  const shown = letters.length > most ? `${letters.slice(0, Math.max(1, most - 1)).join('')}…` : content;
  const full = shown === content ? '' : `<title>${escapeHtml(plainText(content))}</title>`;
  return (
    `<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="currentColor"` +
    (weight ? ` font-weight="${weight}"` : '') +
    (anchor ? ` text-anchor="${anchor}"` : '') +
    (opacity ? ` fill-opacity="${opacity}"` : '') +
    `>${escapeHtml(plainText(shown))}${full}</text>`
  );
}

/** Width of a letter of DejaVu Sans in ems, nearly; the font is a wide one. */
const EM = 0.58;
const BOLD_EM = 0.66;
const textWidth = (content: string, size: number): number => [...content].length * size * EM;

const round = (value: number): number => Math.round(value * 10) / 10;
