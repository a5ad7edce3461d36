import { readFile, stat } from 'node:fs/promises';
import { readError } from './file-errors.js';
import { tooLarge } from './format-error.js';
import { requireFile } from './regular-file.js';

export interface WholeFileOptions {
  /** Largest file that is read; default 256 MiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const MAX_BYTES = 256 * 2 ** 20;

/**
 * All bytes of a file that is small by nature: a text, a list, an image.
 * @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, TOO_LARGE; RunError READ_FAILED; the signal's reason
 */
export async function readWholeFile(
  file: string,
  { maxBytes = MAX_BYTES, signal }: WholeFileOptions = {},
): Promise<Buffer> {
  try {
    await requireFile(file);
    const { size } = await stat(file);
    if (size > maxBytes) throw tooLarge(file, `The file has ${size} bytes; the limit here is ${maxBytes}.`);
    return await readFile(file, signal ? { signal } : {});
  } catch (cause) {
    signal?.throwIfAborted();
    throw readError(cause, file);
  }
}
