import { armOfTrial } from '../results/run-record.js';
import type { StoredRun } from '../results/record-schema.js';

/**
 * What one task computes as a whole: a run, or a search with its trials, each of which hangs on those before, and its
 * repeats.
 * @returns of every run the id that stands for its unit: its own, or that of the first trial
 */
export function unitsOf(runs: readonly StoredRun[]): ReadonlyMap<string, string> {
  const keyOf = ({ arm, definition }: StoredRun): string => `${definition.dataset}\t${armOfTrial({ arm })}`;
  const first = new Map(
    runs.filter(({ definition }) => definition.trial?.number === 0).map((run) => [keyOf(run), run.id]),
  );
  return new Map(runs.map((run) => [run.id, first.get(keyOf(run)) ?? run.id]));
}
