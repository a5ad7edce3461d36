import { readdirSync, readFileSync } from 'node:fs';
import { InputError } from '../errors.js';
import { readError, systemCode } from '../io/file-errors.js';

export { makeFolder } from '../io/make-folder.js';

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
