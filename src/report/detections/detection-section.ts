import { readDetectionSummary } from '../../results/detection-summary.js';
import type { ArtifactReader } from '../examples.js';
import { detectionConfusionChart } from '../charts/detection-confusion.js';
import { precisionRecallChart } from '../charts/precision-recall.js';
import type { ChartCollection } from '../figures.js';
import { counted, markup, type Markup } from '../html.js';
import type { DatasetView } from '../view.js';

/** Arms with charts of their own at most. */
const MOST_ARMS = 4;

/** Precision by recall, and what objects are taken for, of the first run of each learned arm on the split that answers first. */
export function detectionSection(
  view: DatasetView,
  read: ArtifactReader | undefined,
  charts: ChartCollection,
): Markup | undefined {
  const split = view.splits[0]?.name;
  const shown = view.trained.flatMap((arm) => {
    const run = arm.runs.find(({ detections = [] }) => detections.some((row) => row.split === split));
    return run ? [{ arm, run }] : [];
  });
  if (!read || split === undefined || shown.length === 0) return undefined;
  const problems: string[] = [];
  const figures = shown.slice(0, MOST_ARMS).map(({ arm, run }) => {
    try {
      const { summary } = run.detections!.find((row) => row.split === split)!;
      const { classes, curves, confusion } = readDetectionSummary(read(summary));
      const nameOf = (label: number): string => classes[label] ?? `class ${label}`;
      const seed = run.definition.seed === null ? '' : `, seed ${run.definition.seed}`;
      return markup`<h4>${arm.name} <span class="id">${split}${seed}</span></h4>
        <div class="charts">
          ${curves.curves.length > 0 && charts.figure(precisionRecallChart(curves, { nameOf }))}
          ${confusion.counts.some((count) => count > 0) && charts.figure(detectionConfusionChart(confusion, { nameOf }))}
        </div>`;
    } catch (error) {
      problems.push(`${arm.name}: ${(error as Error).message}`);
      return undefined;
    }
  });
  const more = shown.length - MOST_ARMS;
  return markup`${figures}
    ${more > 0 && markup`<p class="context">The first ${MOST_ARMS} of ${shown.length} arms are drawn.</p>`}
    ${
      problems.length > 0 &&
      markup`<p class="note">${counted(problems.length, 'summary', 'summaries')} could not be read: ${problems.join('; ')}.</p>`
    }`;
}
