import type { ChartSpec } from '../../display/chart-output.js';
import { formatCount, formatNumber } from '../../display/numbers.js';
import { InputError } from '../../errors.js';
import type { DetectionCurve, DetectionCurves } from '../../metrics/coco/detection-curves.js';
import { toSpec } from './chart.js';
import { highlightEncoding, MAXIMUM_COLOURS } from './highlights.js';
import { requireSome, someOf } from './rows.js';

export interface PrecisionRecallOptions {
  /** Name of a label; default the label. */
  readonly nameOf?: (label: number) => string;
  /** The overlap that is drawn where there are several classes. Default: the first of the curves. */
  readonly overlap?: number;
  /** Score whose place on each curve has a mark. Default 0.5. */
  readonly minScore?: number;
  /** Dataset and split, for the title. */
  readonly of?: string;
}

/** A line of the chart. */
interface Line extends DetectionCurve {
  readonly name: string;
}

/**
 * Precision by recall: of one class a line for each overlap, of several a line for each class at one overlap, the classes
 * with most to find in colour. The mark is where detections from `minScore` on end.
 * @throws InputError CHART_INPUT where no class has an object, or there is no curve of this overlap
 */
export function precisionRecallChart(
  found: DetectionCurves,
  { nameOf = String, overlap, minScore = 0.5, of }: PrecisionRecallOptions = {},
): ChartSpec {
  const { curves, images, objects, detections } = found;
  requireSome(curves, 'no class has an object', 'Pass what detectionCurves() gives of images with objects.');
  const labels = [...new Set(curves.map(({ label }) => label))];
  const isOne = labels.length === 1;
  const shown = overlap ?? curves[0]!.overlap;
  const drawn = curves.filter((curve) => (isOne && overlap === undefined) || curve.overlap === shown);
  if (drawn.length === 0)
    throw new InputError('CHART_INPUT', `There is no curve of the overlap ${shown}.`, {
      where: 'overlap',
      hint: `Known: ${[...new Set(curves.map((curve) => curve.overlap))].join(', ')}.`,
    });
  const byOverlap = isOne && drawn.length > 1;
  const lines = drawn
    .map((curve): Line => {
      const name = byOverlap ? `overlap ${curve.overlap}` : nameOf(curve.label);
      return { ...curve, name: `${name}: ${formatNumber(curve.averagePrecision, 3)}` };
    })
    .sort((a, b) => (byOverlap ? a.overlap - b.overlap : b.averagePrecision - a.averagePrecision));
  const coloured = lines.slice(0, MAXIMUM_COLOURS);
  const grey = lines.length - coloured.length;
  const counts = [
    `${formatCount(images)} ${images === 1 ? 'image' : 'images'}`,
    `${formatCount(objects)} objects`,
    `${formatCount(detections)} detections`,
  ];
  return toSpec({
    title: titleOf(lines, { byOverlap, nameOf, shown, of }),
    context:
      `${counts.join(', ')}. Average precision beside the name` +
      (coloured.some((line) => markOf(line, minScore)) ? `; the mark is a score of ${minScore}` : '') +
      (grey > 0 ? `. Grey: ${grey} other${grey === 1 ? '' : 's'}` : ''),
    notes: [],
    description: `Precision by recall: ${someOf(
      lines.map(({ name }) => name),
      5,
    )}.`,
    rows: drawn.flatMap(({ label, overlap: own, points }) =>
      points.map((point) => ({ class: nameOf(label), overlap: own, ...point })),
    ),
    body: body(lines, coloured, minScore),
  });
}

function titleOf(
  lines: readonly Line[],
  {
    byOverlap,
    nameOf,
    shown,
    of,
  }: {
    readonly byOverlap: boolean;
    readonly nameOf: (label: number) => string;
    readonly shown: number;
    readonly of: string | undefined;
  },
): string {
  const on = of === undefined ? '' : ` on ${of}`;
  const [first, last] = [lines[0]!, lines.at(-1)!];
  const score = ({ averagePrecision }: Line): string => formatNumber(averagePrecision, 3);
  if (byOverlap) {
    const [from, to] = [
      `${score(first)} at an overlap of ${first.overlap}`,
      `${score(last)} at ${last.overlap}`,
    ];
    return `Average precision of ${nameOf(first.label)}${on}: ${from}, ${to}`;
  }
  const head = `Average precision${on} at an overlap of ${shown}`;
  if (lines.length === 1) return `${head}: ${score(first)} of ${nameOf(first.label)}`;
  return `${head}: from ${score(first)} of ${nameOf(first.label)} to ${score(last)} of ${nameOf(last.label)}`;
}

/** The last point that is reached from a score on. */
const markOf = ({ points }: Line, minScore: number): Line['points'][number] | undefined =>
  points.findLast(({ score }) => score >= minScore);

function body(lines: readonly Line[], coloured: readonly Line[], minScore: number): ChartSpec {
  const names = coloured.map(({ name }) => name);
  const rowsOf = (own: readonly Line[]) =>
    own.flatMap(({ name, points }) => points.map((point) => ({ name, ...point })));
  const marks = coloured.flatMap((line) => {
    const last = markOf(line, minScore);
    return last ? [{ name: line.name, ...last }] : [];
  });
  const axis = { tickCount: 5, format: '.1f' };
  const x = {
    field: 'recall',
    type: 'quantitative',
    title: 'recall: share of the objects that are found',
    scale: { domain: [0, 1], nice: false },
    axis,
  };
  const y = {
    field: 'precision',
    type: 'quantitative',
    title: 'precision: share of the detections that are right',
    scale: { domain: [0, 1.02], nice: false },
    axis,
  };
  const tooltip = [
    { field: 'name', title: 'average precision' },
    { field: 'recall', format: '.2f' },
    { field: 'precision', format: '.3f' },
    { field: 'score', title: 'from a score of', format: '.3f' },
  ];
  const { color, shape } = highlightEncoding('name', names, 60);
  const layers = [
    {
      data: { values: rowsOf(lines.slice(coloured.length)) },
      mark: { type: 'line', style: 'quiet', strokeWidth: 1, opacity: 0.5 },
      encoding: { x, y, detail: { field: 'name' }, tooltip },
    },
    {
      data: { values: rowsOf(coloured) },
      mark: { type: 'line', strokeWidth: 2 },
      encoding: { x, y, color, tooltip },
    },
    {
      data: { values: marks },
      mark: { type: 'point', filled: true, size: 70, opacity: 1 },
      encoding: { x, y, color, shape, tooltip },
    },
  ];
  return { height: 300, layer: layers.filter(({ data }) => data.values.length > 0) };
}
