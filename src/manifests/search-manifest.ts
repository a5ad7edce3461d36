import { z } from 'zod';
import { readManifest } from './read-manifest.js';
import { searchSpace } from './search-schema.js';
import type { Choice, SearchSpace } from './search-space.js';

const settings = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

const schema = z.strictObject({
  id: z.string(),
  title: z.string(),
  reference: z.string(),
  sampler: z.enum(['tpe', 'random', 'grid']),
  trialCount: z.int().positive(),
  direction: z.enum(['minimize', 'maximize']),
  pruner: z.enum(['median', 'hyperband']).nullable(),
  trialSeed: z.int().nonnegative().default(0),
  space: searchSpace,
  settings: settings.default({}),
  encoders: z
    .record(
      z.string(),
      z.strictObject({ space: z._default(searchSpace, {}), settings: settings.default({}) }),
    )
    .default({}),
  notes: z.array(z.string()).default([]),
});

/** How a paper looks for hyperparameters, as data. */
export interface SearchManifest {
  readonly id: string;
  readonly title: string;
  /** Where in the paper or its code. */
  readonly reference: string;
  readonly sampler: 'tpe' | 'random' | 'grid';
  readonly trialCount: number;
  readonly direction: 'minimize' | 'maximize';
  readonly pruner: 'median' | 'hyperband' | null;
  /** That every trial is trained with; of the draws too. */
  readonly trialSeed: number;
  readonly space: SearchSpace;
  /** Settings that the search fixes. */
  readonly settings: Readonly<Record<string, Choice>>;
  /** What is otherwise for an encoder, by its id. */
  readonly encoders: Readonly<
    Record<string, { readonly space: SearchSpace; readonly settings: Readonly<Record<string, Choice>> }>
  >;
  readonly notes: readonly string[];
  readonly hash: string;
}

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readSearchManifest = (id: string): SearchManifest => readManifest('searches', id, schema);

/** Space and fixed settings of one encoder: its own row over what holds for all. */
export function searchFor(
  { space: shared, settings: fixed, encoders }: SearchManifest,
  encoder: string,
): Pick<SearchManifest, 'space' | 'settings'> {
  const own = Object.hasOwn(encoders, encoder) ? encoders[encoder] : undefined;
  return { space: { ...shared, ...own?.space }, settings: { ...fixed, ...own?.settings } };
}
