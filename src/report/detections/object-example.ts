import { z } from 'zod';
import type { DetectedObject } from '../../metrics/coco/coco-metric.js';
import type { RunLengthMask } from '../../metrics/coco/run-length-mask.js';
import type { ExampleRow } from '../../results/run-record.js';

const side = z.int().positive();
const schema = z.object({
  height: side,
  width: side,
  classes: z.array(z.string()).optional(),
  objects: z.array(
    z.object({
      label: z.int(),
      box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
      score: z.number().default(1),
      mask: z.object({ height: side, width: side, counts: z.array(z.int().nonnegative()) }).optional(),
      isCrowd: z.boolean().default(false),
    }),
  ),
});

/** Objects of an example as they are drawn: those of the truth have a score of 1. */
export interface ShownObjects {
  readonly height: number;
  readonly width: number;
  readonly nameOf: (label: number) => string;
  readonly hasMasks: boolean;
  readonly objects: readonly (DetectedObject & { readonly isCrowd: boolean })[];
}

/** Whether truth and prediction of an example are lists of objects. */
export const isObjectExample = ({ truth }: Pick<ExampleRow, 'truth'>): boolean => truth.endsWith('.json');

/** @throws Error for bytes that are no list of objects */
export function readObjectExample(bytes: Uint8Array): ShownObjects {
  const parsed = schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  if (!parsed.success) throw new Error('this is no list of objects');
  const { height, width, classes, objects } = parsed.data;
  const isWhole = (mask: RunLengthMask): boolean =>
    mask.height === height &&
    mask.width === width &&
    mask.counts.reduce((sum, count) => sum + count, 0) === height * width;
  if (!objects.every(({ mask }) => mask === undefined || isWhole(mask)))
    throw new Error('a mask has another size than its image');
  return {
    ...{ height, width },
    nameOf: (label) => classes?.[label] ?? `class ${label}`,
    hasMasks: objects.every(({ mask }) => mask !== undefined),
    objects: objects.map(({ mask, ...object }) => ({ ...object, ...(mask && { mask }) })),
  };
}
