import { link, open, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { systemCode, writeError } from './file-errors.js';
import { makeFolder } from './make-folder.js';
import { requireReplaceable } from './regular-file.js';
import { temporaryBeside } from './temporary.js';

/**
 * Writes a whole file or none: a temporary file in the same folder, flushed to the disk, takes the place
 * of `file` by a rename. Missing folders are made. A reader sees the old content or the new, never a part.
 * @throws RunError DISK_FULL, WRITE_FAILED; InputError READ_ONLY, NO_PERMISSION, NOT_A_FOLDER, NOT_A_FILE where a
 * device or a pipe has that name
 */
export async function writeFileAtomic(file: string, content: string | Uint8Array): Promise<void> {
  await requireReplaceable(file);
  const temporary = await writeTemporary(file, content);
  try {
    await rename(temporary, file);
    await syncFolder(path.dirname(file));
  } catch (cause) {
    await rm(temporary, { force: true });
    throw writeError(cause, file);
  }
}

/** Replaceable in tests, to stand for file systems without hard links. */
export interface PublishOptions {
  readonly link?: (from: string, to: string) => Promise<void>;
}

/** An empty file where hard links are missing is a claim; one this old was left by a killed process. */
const CLAIM_EXPIRES_MS = 60_000;
const NO_HARD_LINKS = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'EMLINK']);

/**
 * Puts a file under a name that nobody has taken yet, for writers on many machines: of any number that
 * publish one name at a time, one is told `published`, the others `exists`, and the content stays whole.
 * What `link` answers is not believed (a resent call over NFS says EEXIST after it worked): the name is ours
 * when it leads to our own file. Without hard links, an empty file claims the name and a rename fills it:
 * readers take an empty file for no file. Callers that must be sure read the file back and compare.
 * @throws RunError DISK_FULL, WRITE_FAILED; InputError READ_ONLY, NO_PERMISSION, NOT_A_FOLDER
 */
export async function publishExclusive(
  file: string,
  content: string | Uint8Array,
  options: PublishOptions = {},
): Promise<'published' | 'exists'> {
  const temporary = await writeTemporary(file, content);
  try {
    const outcome = await linkOnce(temporary, file, options.link ?? link);
    if (outcome === 'published') await syncFolder(path.dirname(file));
    return outcome;
  } catch (cause) {
    throw writeError(cause, file);
  } finally {
    await unlink(temporary).catch(() => undefined); // gone already where the rename took it
  }
}

async function linkOnce(
  temporary: string,
  file: string,
  makeLink: (from: string, to: string) => Promise<void>,
): Promise<'published' | 'exists'> {
  try {
    await makeLink(temporary, file);
  } catch (error) {
    const code = systemCode(error);
    if (NO_HARD_LINKS.has(code)) return claimAndRename(temporary, file);
    if (code !== 'EEXIST') throw error;
  }
  const [ours, there] = await Promise.all([stat(temporary), stat(file)]);
  return ours.ino === there.ino && ours.dev === there.dev ? 'published' : 'exists';
}

async function claimAndRename(temporary: string, file: string): Promise<'published' | 'exists'> {
  try {
    await (await open(file, 'wx')).close();
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    const there = await stat(file);
    const isAbandonedClaim = there.size === 0 && Date.now() - there.mtimeMs > CLAIM_EXPIRES_MS;
    if (!isAbandonedClaim) return 'exists';
  }
  await rename(temporary, file);
  return 'published';
}

async function writeTemporary(file: string, content: string | Uint8Array): Promise<string> {
  const temporary = temporaryBeside(file);
  try {
    await makeFolder(path.dirname(file));
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return temporary;
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw writeError(cause, file);
  }
}

/** Makes the new name itself last through a power cut, where the system can. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // some network file systems refuse; the rename is done all the same
  }
}
