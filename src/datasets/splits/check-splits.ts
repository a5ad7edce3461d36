import { InputError } from '../../errors.js';

/** How many ids a message names. */
const SHOWN = 5;

/**
 * Fails unless the lists of a dataset's splits can be trained and scored on: none empty, no id twice, none in two.
 * @param splits name → ids
 * @param where file or folder that errors name
 * @throws InputError EMPTY_SPLIT, DUPLICATE_ID, SPLIT_LEAK, naming the ids
 */
export function checkSplits(splits: Readonly<Record<string, readonly string[]>>, where: string): void {
  const owner = new Map<string, string>();
  for (const [split, ids] of Object.entries(splits)) {
    if (ids.length === 0) {
      throw new InputError('EMPTY_SPLIT', `The split "${split}" has no samples.`, {
        where,
        hint: 'Add its list. Do not choose the best epoch on the test split instead.',
      });
    }
    const seen = new Set<string>();
    const repeats = ids.filter((id) => seen.size === seen.add(id).size);
    if (repeats.length > 0) {
      throw new InputError('DUPLICATE_ID', `The split "${split}" lists samples twice: ${some(repeats)}.`, {
        where,
        hint: 'Remove the repeats; a sample that is to count twice belongs into the sampling, not into the list.',
      });
    }
    const shared = ids.filter((id) => owner.has(id));
    if (shared.length > 0) {
      const other = owner.get(shared[0]!)!;
      throw new InputError('SPLIT_LEAK', `"${other}" and "${split}" share samples: ${some(shared)}.`, {
        where,
        hint: 'Scores on seen samples say nothing: take them out of one of the two.',
      });
    }
    for (const id of ids) owner.set(id, split);
  }
}

const some = (ids: readonly string[]): string =>
  ids.length <= SHOWN ? ids.join(', ') : `${ids.slice(0, SHOWN).join(', ')} and ${ids.length - SHOWN} more`;
