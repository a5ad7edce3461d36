import { describe, expect, it } from 'vitest';
import type { DetectedImage } from '../../../src/metrics/coco/coco-metric.js';
import { detectionConfusion } from '../../../src/metrics/coco/detection-confusion.js';
import { detectionCurves } from '../../../src/metrics/coco/detection-curves.js';
import { chartRows } from '../../../src/report/charts/chart.js';
import { detectionConfusionChart } from '../../../src/report/charts/detection-confusion.js';
import { precisionRecallChart } from '../../../src/report/charts/precision-recall.js';
import { renderChart } from '../../../src/report/render-chart.js';
import { domainOf, rowsOf, textsOf } from './spec-parts.js';

const NAMES = ['', 'egret', 'tern', 'gull'];
const nameOf = (label: number): string => NAMES[label]!;
const inputError = expect.objectContaining({ code: 'CHART_INPUT' }) as Error;

/** Objects in a row, `right` of them found, `wrong` detections of nothing, from the highest score down. */
const image = (label: number, objects: number, right: number, wrong: number): DetectedImage => ({
  truth: Array.from({ length: objects }, (_, at) => ({ label, box: [20 * at, 0, 10, 10] })),
  detected: [
    ...Array.from({ length: right }, (_, at) => ({
      ...{ label, score: 0.95 - 0.1 * at, box: [20 * at, 0, 10, 8] as const },
    })),
    ...Array.from({ length: wrong }, (_, at) => ({
      ...{ label, score: 0.9 - 0.1 * at, box: [20 * at, 50, 10, 10] as const },
    })),
  ],
});

describe('precision by recall', () => {
  it('is a line for each overlap of one class, to the recall that is reached', async () => {
    const chart = precisionRecallChart(detectionCurves([image(1, 4, 3, 1)]), { nameOf, of: 'coast, test' });
    expect(textsOf(chart).title).toMatch(
      /^Average precision of egret on coast, test: 0\.\d{3} at an overlap of 0\.5, 0\.000 at 0\.9$/,
    );
    expect(textsOf(chart).context).toContain('1 image, 4 objects, 4 detections');
    const lines = rowsOf(chart, 'line');
    expect(Math.max(...lines.map(({ recall }) => recall as number))).toBe(0.75);
    expect(new Set(lines.map(({ name }) => String(name).split(':')[0]))).toEqual(
      new Set(['overlap 0.5', 'overlap 0.75', 'overlap 0.9']),
    );
    // scores 0.95, 0.85 and 0.75 are right: the mark is at the last from 0.8 on
    const marked = precisionRecallChart(detectionCurves([image(1, 4, 3, 1)]), { minScore: 0.8 });
    expect(rowsOf(marked, 'point')[0]).toMatchObject({ recall: 0.5, score: 0.85 });
    expect(chartRows(chart)[0]).toMatchObject({ class: 'egret', overlap: 0.5, recall: 0 });
    expect((await renderChart(chart)).warnings).toEqual([]);
  });

  it('is a line for each class at one overlap, the others grey from the seventh on', () => {
    const many = Array.from({ length: 8 }, (_, at) => image(at + 1, 10, at + 1, 0));
    const chart = precisionRecallChart(detectionCurves(many), { nameOf: (label) => `class ${label}` });
    expect(textsOf(chart).title).toBe(
      'Average precision at an overlap of 0.5: from 0.802 of class 8 to 0.109 of class 1',
    );
    expect(textsOf(chart).context).toContain('Grey: 2 others');
    expect(new Set(rowsOf(chart, 'line', 'quiet').map(({ name }) => name)).size).toBe(2);
  });

  it('of images without objects, and an overlap without a curve, are typed errors', () => {
    const curves = detectionCurves([image(1, 4, 3, 1)]);
    expect(() => precisionRecallChart(detectionCurves([image(1, 0, 0, 2)]))).toThrowError(inputError);
    expect(() => precisionRecallChart(curves, { overlap: 0.6 })).toThrowError(inputError);
  });
});

describe('the confusion of detections', () => {
  const images = [image(1, 4, 3, 1), image(2, 1, 0, 2)];

  it('has a column for what is missed and a row for detections of nothing', async () => {
    const chart = detectionConfusionChart(detectionConfusion(images), { nameOf });
    expect(domainOf(chart, 'y')).toEqual(['egret', 'tern', 'background']);
    expect(domainOf(chart, 'x')).toEqual(['egret', 'tern', 'missed']);
    const cell = (truth: string, detection: string) =>
      rowsOf(chart, 'rect', 'cell').find((row) => row.truth === truth && row.detection === detection);
    expect(cell('egret', 'egret')).toMatchObject({ share: 0.75, label: '3', isBold: true });
    expect(cell('tern', 'missed')).toMatchObject({ share: 1, label: '1' });
    expect(cell('background', 'tern')).toMatchObject({ label: '2' });
    expect(rowsOf(chart, 'rect', 'outline')).toHaveLength(1);
    expect(textsOf(chart).title).toBe(
      '60.0 % of the objects are found in their class, 3 detections are of nothing',
    );
    expect(chartRows(chart)).toHaveLength(8);
    expect((await renderChart(chart)).warnings).toEqual([]);
  });

  it('says in words what one class comes to, and that there is no object', () => {
    const title = (...of: DetectedImage[]) =>
      textsOf(detectionConfusionChart(detectionConfusion(of), { nameOf })).title;
    expect(title(image(3, 2, 2, 1))).toBe(
      '100.0 % of the objects (gull) are found, 1 detection is of nothing',
    );
    expect(title(image(3, 0, 0, 1))).toBe('There is no object; 1 detection is of nothing');
    expect(() => title({ truth: [], detected: [] })).toThrowError(inputError);
  });
});
