import type { ChartSpec } from '../../display/chart-output.js';
import { formatCount, formatNumber } from '../../display/numbers.js';
import type { DetectionConfusion } from '../../metrics/coco/detection-confusion.js';
import { cellLayers, columnEncoding, type MatrixCell } from './cells.js';
import { toSpec } from './chart.js';
import { labelledRows, requireSome, rowEncoding, rowLabels, rowsHeight } from './rows.js';

/** Classes in one chart at most; the rest is in its table. */
const MAXIMUM_CLASSES = 60;

export const MISSED = 'missed';
export const BACKGROUND = 'background';

/**
 * What objects are detected as: of each class (row) the share that was detected as each class or missed; in the last row,
 * detections where there is nothing.
 * @param options.nameOf name of a label; default the label
 * @throws InputError CHART_INPUT where nothing was counted
 */
export function detectionConfusionChart(
  found: DetectionConfusion,
  options: { readonly nameOf?: (label: number) => string } = {},
): ChartSpec {
  const { nameOf = String } = options;
  const { labels, counts, overlap, minScore, images } = found;
  const side = labels.length + 1;
  const at = (row: number, column: number): number => counts[row * side + column]!;
  const totals = Array.from({ length: side }, (_, row) =>
    counts.slice(row * side, (row + 1) * side).reduce((sum, count) => sum + count, 0),
  );
  const all = totals.reduce((sum, total) => sum + total, 0);
  requireSome(all > 0 ? [all] : [], 'nothing was counted', 'Pass what detectionConfusion() gives.');
  const names = labels.map(nameOf);
  const frequent = labels
    .map((_, place) => place)
    .sort((a, b) => totals[b]! - totals[a]! || a - b)
    .slice(0, MAXIMUM_CLASSES);
  const drawn = labels.map((_, place) => place).filter((place) => frequent.includes(place));
  const rowNames = [...drawn.map((place) => names[place]!), BACKGROUND];
  const columnNames = [...drawn.map((place) => names[place]!), MISSED];
  const places = [...drawn, labels.length];
  const cells = places.flatMap((row, i) =>
    places.map((column, j): MatrixCell & Record<string, unknown> => {
      const isNothing = row === labels.length && column === labels.length;
      const share = isNothing || totals[row] === 0 ? null : at(row, column) / totals[row]!;
      return {
        truth: rowNames[i]!,
        detection: columnNames[j]!,
        share,
        label: share === null ? '' : formatCount(at(row, column)),
        isBold: row === column,
        count: isNothing ? '–' : formatCount(at(row, column)),
        text: formatNumber(share === null ? null : 100 * share, 1),
      };
    }),
  );
  const labelsOfRows = rowLabels(rowNames);
  const rowOf = (row: number): string => names[row] ?? BACKGROUND;
  const columnOf = (column: number): string => names[column] ?? MISSED;
  return toSpec({
    title: titleOf(found, names, totals),
    context:
      `${formatCount(images)} ${images === 1 ? 'image' : 'images'}, detections from a score of ${minScore}, ` +
      `an overlap of ${overlap} or more. Row: truth, column: detection; colour: share of the row`,
    notes:
      drawn.length < labels.length
        ? [`The ${drawn.length} most frequent of ${labels.length} classes are drawn.`]
        : [],
    description: `What objects of ${labels.length} ${labels.length === 1 ? 'class' : 'classes'} are detected as.`,
    rows: totals.flatMap((total, row) =>
      totals.flatMap((_, column) =>
        row === labels.length && column === labels.length
          ? []
          : [
              {
                ...{ truth: rowOf(row), detection: columnOf(column), count: at(row, column) },
                share: total === 0 ? null : at(row, column) / total,
              },
            ],
      ),
    ),
    body: {
      height: rowsHeight(labelsOfRows, 24),
      layer: cellLayers(cells, {
        x: columnEncoding('detection', columnNames),
        y: rowEncoding('truth', rowNames, { ...labelledRows(labelsOfRows), grid: false }),
        tooltip: [
          { field: 'truth' },
          { field: 'detection' },
          { field: 'count', title: 'objects' },
          { field: 'text', title: '% of the row' },
        ],
      }),
    },
  });
}

/** Found in their class, missed, and how many detections are of nothing. */
function titleOf(
  { labels, counts }: DetectionConfusion,
  names: readonly string[],
  totals: readonly number[],
): string {
  const side = labels.length + 1;
  const objects = totals.slice(0, -1).reduce((sum, total) => sum + total, 0);
  const right = labels.reduce((sum, _, place) => sum + counts[place * side + place]!, 0);
  const ofNothing = totals.at(-1)!;
  const alarms = `${formatCount(ofNothing)} ${ofNothing === 1 ? 'detection is' : 'detections are'} of nothing`;
  if (objects === 0) return `There is no object; ${alarms}`;
  const share = `${formatNumber((100 * right) / objects, 1)} %`;
  return names.length === 1
    ? `${share} of the objects (${names[0]!}) are found, ${alarms}`
    : `${share} of the objects are found in their class, ${alarms}`;
}
