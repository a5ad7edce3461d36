import { z } from 'zod';
import type { DetectionConfusion } from '../metrics/coco/detection-confusion.js';
import type { DetectionCurves } from '../metrics/coco/detection-curves.js';

/** What a run found on a split, summed up for charts. */
export interface DetectionSummary {
  /** Names of the classes by label. */
  readonly classes: readonly string[];
  readonly curves: DetectionCurves;
  readonly confusion: DetectionConfusion;
}

const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
const count = z.int().nonnegative();
const schema = z.object({
  classes: list(z.string()),
  curves: z.object({
    curves: list(
      z.object({
        ...{ label: z.int(), overlap: z.number(), averagePrecision: z.number() },
        points: list(z.object({ recall: z.number(), precision: z.number(), score: z.number() })),
      }),
    ),
    ...{ images: count, objects: count, detections: count },
  }),
  confusion: z.object({
    ...{ labels: list(z.int()), counts: list(count), images: count },
    ...{ overlap: z.number(), minScore: z.number() },
  }),
});

/** @throws Error for bytes that are no summary */
export function readDetectionSummary(bytes: Uint8Array): DetectionSummary {
  const parsed = schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  if (
    parsed.success &&
    parsed.data.confusion.counts.length === (parsed.data.confusion.labels.length + 1) ** 2
  )
    return parsed.data;
  throw new Error('this is no summary of detections');
}
