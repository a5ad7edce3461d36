import { UsageError, nearest } from '../errors.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';

/** `as-published` keeps every known fault of the reference, `corrected` none. */
export type Mode = 'corrected' | 'as-published';

/**
 * Every fault of the manifest, and whether it is on.
 * @param chosen faults set one by one, over what the mode says
 * @throws UsageError FAULT_UNKNOWN with the nearest id
 */
export function resolveFaults(
  manifest: DatasetManifest,
  mode: Mode,
  chosen: Readonly<Record<string, boolean>> = {},
): Readonly<Record<string, boolean>> {
  const known = manifest.faults.map(({ id }) => id);
  for (const id of Object.keys(chosen)) if (!known.includes(id)) throw unknownFault(manifest.id, id, known);
  return Object.fromEntries(known.map((id) => [id, chosen[id] ?? mode === 'as-published']));
}

export function unknownFault(dataset: string, id: string, known: readonly string[]): UsageError {
  const guess = nearest(id, known);
  return new UsageError('FAULT_UNKNOWN', `${dataset} has no known fault "${id}".`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ') || 'none'}.`,
  });
}
