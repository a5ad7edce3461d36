import { InputError } from '../errors.js';

/** The file breaks the rules of its own form. */
export const malformed = (where: string, message: string, cause?: unknown): InputError =>
  new InputError('CHECKPOINT_MALFORMED', `The checkpoint is not well-formed: ${message}`, {
    where,
    hint: 'The file is damaged, cut off or made by other means; fetch it again and compare its checksum.',
    cause,
  });

/** The file is of a kind that is known and not read. */
export const unsupported = (where: string, message: string, hint: string, cause?: unknown): InputError =>
  new InputError('CHECKPOINT_UNSUPPORTED', message, { where, hint, cause });
