import { z } from 'zod';
import type { Pair } from '../../layers/window-tables.js';

const count = z.int().positive();
const pair = z.union([count.transform((side): [number, number] => [side, side]), z.tuple([count, count])]);

/** What every family of this shape lets a manifest say. */
export const swinShape = {
  /** Default 3. */
  bandCount: count.default(3),
  patchSize: count.default(4),
  /** Channels of the first stage; each next one has twice as many. */
  width: count,
  /** Blocks of each stage. */
  depths: z.array(count).min(1),
  /** Heads of each stage. */
  heads: z.array(count).min(1),
  /** Side in patches, or [rows, columns]. */
  windowSize: pair,
  mlpRatio: z.number().positive().default(4),
  normEpsilon: z.number().positive().default(1e-5),
  /** Stages whose map is a feature, from 0; default all. */
  outputStages: z.array(z.int().nonnegative()).min(1).optional(),
};

/** What the lists of a row have to agree on, as issues of its schema. */
export function checkStages(
  { width, depths, heads, outputStages = [] }: StageLists,
  context: { readonly issues: z.core.$ZodRawIssue[] },
): void {
  const tell = (member: keyof StageLists, message: string): void => {
    context.issues.push({ code: 'custom', path: [member], message, input: member });
  };
  if (heads.length !== depths.length) tell('heads', 'one number of heads a stage is due');
  const stage = heads.findIndex((count, index) => (width * 2 ** index) % count !== 0);
  if (stage >= 0)
    tell('heads', `${width * 2 ** stage} channels of stage ${stage} are no multiple of ${heads[stage]}`);
  if (outputStages.some((output) => output >= depths.length))
    tell('outputStages', `stages are 0 to ${depths.length - 1}`);
}

interface StageLists {
  readonly width: number;
  readonly depths: readonly number[];
  readonly heads: readonly number[];
  readonly outputStages?: readonly number[] | undefined;
}

/** What a Swin transformer is made of. */
export interface SwinOptions {
  readonly bandCount: number;
  readonly patchSize: number;
  readonly width: number;
  readonly depths: readonly number[];
  readonly heads: readonly number[];
  readonly windowSize: Pair;
  readonly mlpRatio: number;
  readonly normEpsilon: number;
  /** 2: cosine attention, positions by a network, normalisation after each half. */
  readonly version: 1 | 2;
  /** Pixels of the images that the windows are limited to; absent: windows keep their size, maps are padded. */
  readonly imageSize?: Pair | undefined;
  /** Whether a window is limited on each axis by itself (timm) or stays square (the original). */
  readonly windowLimit: 'axis' | 'square';
  readonly padding: 'before-shift' | 'after-shift';
  readonly qkvBias: 'joined' | 'without-keys' | 'query-value' | 'none';
  /** Of version 2: windows of the pre-training, a stage each. */
  readonly pretrainedWindowSizes?: readonly number[] | undefined;
}
