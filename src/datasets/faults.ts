import { UsageError, nearest } from '../errors.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';

/** `as-published` keeps every known fault of the reference, `corrected` none. */
export type Mode = 'corrected' | 'as-published';

/**
 * Every fault of the manifest that can be switched, and whether it is on. Others are stated in the manifest alone.
 * @param chosen faults set one by one, over what the mode says
 * @throws UsageError FAULT_UNKNOWN with the nearest id, FAULT_FIXED for one that lies in the data
 */
export function resolveFaults(
  { id: dataset, faults }: DatasetManifest,
  mode: Mode,
  chosen: Readonly<Record<string, boolean>> = {},
): Readonly<Record<string, boolean>> {
  const known = faults.filter(({ isSwitchable }) => isSwitchable).map(({ id }) => id);
  const fixed = faults.find(({ id, isSwitchable }) => !isSwitchable && Object.hasOwn(chosen, id));
  if (fixed) throw fixedFault(dataset, fixed.id, fixed.corrected);
  return switchFaults(dataset, known, mode, chosen);
}

/**
 * Faults that can be switched, and whether they are on.
 * @param owner dataset or encoder, for errors
 * @param chosen faults set one by one, over what the mode says
 * @throws UsageError FAULT_UNKNOWN with the nearest id
 */
export function switchFaults(
  owner: string,
  known: readonly string[],
  mode: Mode,
  chosen: Readonly<Record<string, boolean>> = {},
): Readonly<Record<string, boolean>> {
  const unknown = Object.keys(chosen).find((id) => !known.includes(id));
  if (unknown !== undefined) throw unknownFault(owner, unknown, known);
  return Object.fromEntries(known.map((id) => [id, chosen[id] ?? mode === 'as-published']));
}

const fixedFault = (dataset: string, id: string, corrected: string): UsageError =>
  new UsageError('FAULT_FIXED', `The fault "${id}" of ${dataset} cannot be switched.`, {
    hint: `It lies in the data or in what others do: ${corrected}.`,
  });

export function unknownFault(dataset: string, id: string, known: readonly string[]): UsageError {
  const guess = nearest(id, known);
  return new UsageError('FAULT_UNKNOWN', `${dataset} has no known fault "${id}".`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ') || 'none'}.`,
  });
}
