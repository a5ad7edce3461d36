import { InputError } from '../errors.js';

/** V8's error where calls are nested too deeply, as a compiler's are in code that is. */
export const isTooDeep = (error: unknown): error is RangeError =>
  error instanceof RangeError && error.message.includes('call stack');

export const tooDeep = (cause: unknown): InputError =>
  new InputError('CELL_TOO_DEEP', 'The cell, or a file that it imports, is nested too deeply to be read.', {
    hint: 'Write it as several statements, or read long data from a file.',
    cause,
  });
