import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { InputError } from '../errors.js';
import { readError, systemCode, writeError } from '../io/file-errors.js';

/** Step by step, since Node's recursive mkdir reports a read-only file system as a missing folder. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST' && statSync(folder).isDirectory()) return;
    const parent = path.dirname(folder);
    if (systemCode(cause) !== 'ENOENT' || parent === folder) throw writeError(cause, folder);
    await makeFolder(parent);
    await makeFolder(folder);
  }
}

/** Names in a folder; none where it does not exist. @throws InputError NO_PERMISSION, READ_FAILED */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT' || systemCode(cause) === 'ENOTDIR') return [];
    throw readError(cause, folder);
  }
}

/** @throws InputError FILE_MISSING, NO_PERMISSION, READ_FAILED */
export function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw readError(cause, file);
  }
}

/** @throws InputError with this code where the text is not JSON */
export function parseJson(file: string, text: string, code: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const state =
      text.length === 0
        ? 'The file is empty.'
        : `The file is not JSON, or not all of it: ${(cause as Error).message}.`;
    throw new InputError(code, state, { where: file, hint: 'Run the study again: it is made anew.', cause });
  }
}
