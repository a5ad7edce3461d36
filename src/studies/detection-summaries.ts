import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import type { DetectedImage } from '../metrics/coco/coco-metric.js';
import { detectionConfusion } from '../metrics/coco/detection-confusion.js';
import { detectionCurves } from '../metrics/coco/detection-curves.js';
import type { DetectionSummary } from '../results/detection-summary.js';
import type { DetectionRow } from '../results/run-record.js';
import type { ResultStore } from '../results/store.js';

/** Sums up what was found on each scored split, for the report's charts. */
export class DetectionSummaries {
  readonly #images = new Map<string, DetectedImage[]>();

  constructor(private readonly manifest: Pick<DatasetManifest, 'task' | 'classes'>) {}

  see(split: string, image: DetectedImage): void {
    const images = this.#images.get(split) ?? [];
    this.#images.set(split, images);
    images.push(image);
  }

  async keep(store: Pick<ResultStore, 'putArtifact'>): Promise<DetectionRow[]> {
    const rows: DetectionRow[] = [];
    for (const [split, images] of this.#images) {
      const bytes = Buffer.from(JSON.stringify(this.#summary(images)));
      rows.push({ split, summary: await store.putArtifact(bytes, 'json') });
    }
    return rows;
  }

  #summary(images: readonly DetectedImage[]): DetectionSummary {
    const { task, classes } = this.manifest;
    const of = task === 'instance_segmentation' ? 'mask' : 'box';
    // class 0 is the background; of several classes each has one curve
    const labels = classes.map((_, label) => label).slice(1);
    const overlaps = labels.length === 1 ? [0.5, 0.75, 0.9] : [0.5];
    const { curves, ...counts } = detectionCurves(images, { of, overlaps });
    return {
      classes: classes.map(({ name }) => name),
      curves: {
        ...counts,
        curves: curves.map(({ points, ...curve }) => ({
          ...curve,
          points: points.map(({ recall, precision, score }) => ({
            ...{ recall, precision: rounded(precision), score: rounded(score) },
          })),
        })),
      },
      confusion: detectionConfusion(images, { of, labels }),
    };
  }
}

const rounded = (value: number): number => Math.round(value * 1e5) / 1e5;
