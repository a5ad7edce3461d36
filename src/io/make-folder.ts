import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { RunError } from '../errors.js';
import { systemCode, writeError } from './file-errors.js';

/**
 * Makes a folder and the missing ones above it, step by step and each once: Node's recursive mkdir reports a
 * read-only file system as a missing folder, and never ends where a system answers that the parent of a new
 * folder is missing although it exists (`/proc`). A folder that exists stays.
 * @throws InputError READ_ONLY, NO_PERMISSION, NOT_A_FOLDER; RunError DISK_FULL, WRITE_FAILED
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isMade(folder)) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await makeFolder(parent);
  if (await isMade(folder)) return;
  throw new RunError('WRITE_FAILED', 'The system makes no folder here, although the one above it exists.', {
    where: folder,
    hint: 'Choose another folder.',
  });
}

/** False where a folder above it is missing. */
async function isMade(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && (await isFolder(folder))) return true;
    throw writeError(cause, folder);
  }
}

const isFolder = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false, // a link that leads nowhere
  );
