import type { RunDefinition } from '../results/run-record.js';

/**
 * Known fault of GEO-Bench-2's scores of objects: only boxes above a probability of half, of any two that overlap by half
 * the better one, whatever their classes. Mode `as-published` switches it on.
 */
export const likelyBoxesFault = ({
  mode,
  faults = {},
}: Pick<RunDefinition, 'mode' | 'faults'>): { readonly 'likely-boxes-alone': boolean } => ({
  'likely-boxes-alone': faults['likely-boxes-alone'] ?? mode === 'as-published',
});
