import { escapeHtml, PNG, plainText, TEXT, withMetadata } from '../../display/mime.js';
import { colorPixels, encodePixels, type Pixels } from '../../display/picture.js';
import type { RasterLike } from '../../display/raster.js';
import { showAs } from '../../display/showable.js';
import type { DetectedImage } from '../../metrics/coco/coco-metric.js';
import type { MatchOptions } from '../../metrics/coco/match-objects.js';
import { counted } from '../html.js';
import type { OverlayKind } from '../overlay.js';
import { svgToPng } from '../svg-to-png.js';
import { textWidth } from './label-places.js';
import { objectMarks, strokes, type ObjectMarks } from './object-marks.js';

export interface DrawDetectionsOptions extends MatchOptions {
  /** Name of a label; default the label. */
  readonly nameOf?: (label: number) => string;
  readonly title?: string;
  /** Places of the bands for red, green and blue, or of one for grey; default the first three, or the first. */
  readonly bands?: readonly number[];
  /** Each band from its 2nd to its 98th percentile; default for all but uint8. */
  readonly stretch?: boolean;
  /** Longest side of each of both pictures, pixels. Default 480. */
  readonly side?: number;
}

/** Truth and detections of an image beside each other. A notebook shows them as one picture. */
export interface DrawnDetections {
  /** An SVG document that holds all. */
  readonly svg: string;
  /** What is seen, in words. */
  readonly alt: string;
  /** @throws RunError CHART_PNG */
  readonly png: () => Uint8Array;
}

const SIDE = 480;
const GAP = 14;
const HEADING = 20;
const TITLE = 26;
const LEGEND = 30;
/** Pixels of a PNG for one of the drawing. */
const SCALE = 1.5;

/**
 * Draws an image twice: with its objects, and with what was found from `minScore` on, each with its score: hits, false alarms,
 * and the objects that were missed. Colours are told apart with any common colour blindness, and lines differ as well.
 * @param image [height, width, band]; `truth` and `detected` are in its pixels
 * @throws RangeError for bands that it does not have
 */
export function drawDetections(
  image: RasterLike,
  { truth, detected }: DetectedImage,
  options: DrawDetectionsOptions = {},
): DrawnDetections {
  const { title = '', side = SIDE } = options;
  const pixel = Math.max(image.height, image.width) / side;
  const marks = objectMarks({ truth, detected }, image, { ...options, pixel });
  const pixels = colorPixels(image, {
    maximumSide: Math.round(side * SCALE),
    ...(options.bands && { bands: options.bands }),
    ...(options.stretch !== undefined && { stretch: options.stretch }),
  });
  const alt = describeMarks(title, marks);
  const svg = document(pixels, image, marks, { title, side, alt });
  const drawn: DrawnDetections = { svg, alt, png: () => svgToPng(svg, SCALE) };
  return showAs(drawn, {
    bundle: (shown) => {
      const bytes = Buffer.from(shown.png());
      const size = (at: number): number => Math.round(bytes.readUInt32BE(at) / SCALE);
      return withMetadata(
        { [PNG]: bytes.toString('base64'), [TEXT]: `[image] ${shown.alt}` },
        { [PNG]: { width: size(16), height: size(20) } },
      );
    },
  });
}

/** `3 objects: 2 hits, 1 miss; 1 false alarm`, and what has no label. */
export function describeMarks(title: string, { counts, objects, minScore, unlabelled }: ObjectMarks): string {
  const parts = [
    `${counted(objects, 'object')}: ${counted(counts.hit, 'hit')}, ${counted(counts.miss, 'miss', 'misses')}`,
    `${counted(counts['false-alarm'], 'false alarm')} from a score of ${minScore}`,
    ...(unlabelled > 0 ? [`${counted(unlabelled, 'label')} left out where there is no room`] : []),
  ];
  return `${title ? `${title}. ` : ''}Truth and detections: ${parts.join('; ')}`;
}

const LEGEND_NAMES: Readonly<Record<OverlayKind, string>> = {
  truth: 'object in the truth',
  hit: 'hit, with its score',
  miss: 'miss',
  'false-alarm': 'false alarm',
};

function document(
  pixels: Pixels,
  { height: rows, width: columns }: RasterLike,
  marks: ObjectMarks,
  { title, side, alt }: { readonly title: string; readonly side: number; readonly alt: string },
): string {
  const scale = side / Math.max(rows, columns);
  const [width, height] = [columns * scale, rows * scale];
  const top = (title ? TITLE : 0) + HEADING;
  const source = `data:image/png;base64,${Buffer.from(encodePixels(pixels)).toString('base64')}`;
  const pane = (left: number, heading: string, content: string): string =>
    text(left, top - 7, heading, 'font-weight="600"') +
    `<svg x="${left}" y="${top}" width="${round(width)}" height="${round(height)}" viewBox="0 0 ${columns} ${rows}" preserveAspectRatio="none">` +
    `<image width="${columns}" height="${rows}" href="${source}" preserveAspectRatio="none"/>${content}</svg>`;
  const totalWidth = Math.max(2 * width + GAP, LEGEND_WIDTH);
  const totalHeight = top + height + LEGEND;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(totalWidth)}" height="${round(totalHeight)}" ` +
    `viewBox="0 0 ${round(totalWidth)} ${round(totalHeight)}" font-family="DejaVu Sans" color="#22262b" role="img">` +
    `<title>${escapeHtml(plainText(alt))}</title><rect width="100%" height="100%" fill="#fff"/>` +
    (title ? text(0, 17, title, 'font-weight="bold"', 14) : '') +
    pane(0, 'truth', marks.truth) +
    pane(width + GAP, `detections from a score of ${marks.minScore}`, marks.detected) +
    legend(top + height + 10) +
    '</svg>'
  );
}

function legend(top: number): string {
  let x = 0;
  return (Object.keys(LEGEND_NAMES) as OverlayKind[])
    .map((kind) => {
      const name = LEGEND_NAMES[kind];
      const line = `x1="${round(x + 2)}" x2="${round(x + 23)}" y1="${round(top + 6)}" y2="${round(top + 6)}"`;
      const part = strokes(kind, 1, (look) => `<line ${line} ${look}/>`) + text(x + 29, top + 10, name);
      x += 29 + textWidth(name, 12) + 18;
      return part;
    })
    .join('');
}

const LEGEND_WIDTH = Object.values(LEGEND_NAMES).reduce((sum, name) => sum + 47 + textWidth(name, 12), 0);

const text = (x: number, y: number, content: string, look = '', size = 12): string =>
  `<text x="${round(x)}" y="${round(y)}" font-size="${size}" fill="currentColor" ${look}>${escapeHtml(plainText(content))}</text>`;

const round = (value: number): number => Math.round(value * 100) / 100;
