import { InputError } from '../errors.js';
import type { DamagedRecord } from './store.js';

/** What a command that needs runs says of a store that has none to read. */
export function emptyStore(folder: string, damaged: readonly DamagedRecord[], hint: string): InputError {
  const [first] = damaged;
  if (!first)
    return new InputError('STORE_EMPTY', 'This folder has no record of a run.', { where: folder, hint });
  return new InputError(
    'RECORD_INVALID',
    `No record of this folder can be read. ${first.file}: ${first.reason}`,
    {
      where: folder,
      hint: 'Restore its files from a copy, or run the study again.',
    },
  );
}
