import { statSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { InputError } from '../errors.js';
import { readError } from './file-errors.js';

/**
 * Refuses what is no regular file before it is opened: opening a named pipe waits for a writer, and a device
 * may have no end. @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE
 */
export async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch((cause: unknown) => {
    throw readError(cause, file);
  });
  refuseOthers(found, file);
}

/** As `requireFile`, at once. */
export function requireFileSync(file: string): void {
  let found: Stats;
  try {
    found = statSync(file);
  } catch (cause) {
    throw readError(cause, file);
  }
  refuseOthers(found, file);
}

/**
 * Refuses to put a file in the place of a device, a pipe or a socket: a rename would take that away, `/dev/null` too.
 * @throws InputError NOT_A_FILE
 */
export async function requireReplaceable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined); // missing, or told when it is written
  if (found && !found.isDirectory()) refuseOthers(found, file);
}

function refuseOthers(found: Stats, file: string): void {
  if (found.isFile()) return;
  if (found.isDirectory()) throw readError(Object.assign(new Error('is a folder'), { code: 'EISDIR' }), file);
  const kind = found.isFIFO() ? 'a named pipe' : found.isSocket() ? 'a socket' : 'a device';
  throw new InputError('NOT_A_FILE', `This is ${kind}, not a file.`, {
    where: file,
    hint: 'Name a regular file; where this one lies in the place of such a file, remove it.',
  });
}
