import path from 'node:path';
import { GondwanaError, InputError, RunError } from '../errors.js';

/** The system's short code of a failed call (`ENOSPC`, …), or the empty string. */
export const systemCode = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';

/**
 * A failed write as a typed error: DISK_FULL, READ_ONLY, NO_PERMISSION, NOT_A_FOLDER, else WRITE_FAILED.
 * Errors that are typed already come back as they are.
 */
export function writeError(cause: unknown, file: string): GondwanaError {
  if (cause instanceof GondwanaError) return cause;
  const details = { where: file, cause };
  const folder = path.dirname(file);
  switch (systemCode(cause)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new RunError('DISK_FULL', 'There is no space left to write the file.', {
        ...details,
        hint: `Free some space under ${folder} or choose another folder, then start again; nothing half-written is left.`,
      });
    case 'EROFS':
      return new InputError('READ_ONLY', 'The folder lies on a file system that is mounted read-only.', {
        ...details,
        hint: 'Choose a folder on another file system.',
      });
    case 'EACCES':
    case 'EPERM':
      return new InputError('NO_PERMISSION', 'The file may not be written by this user.', {
        ...details,
        hint: `Give yourself the right to write in ${folder}, or choose another folder.`,
      });
    case 'ENOTDIR':
    case 'EEXIST':
      return new InputError('NOT_A_FOLDER', 'A part of the path is a file, not a folder.', {
        ...details,
        hint: 'Choose another path, or move that file away.',
      });
    default:
      return new RunError('WRITE_FAILED', `The file cannot be written: ${messageOf(cause)}`, {
        ...details,
        hint: 'See the system message; the file is as it was before.',
      });
  }
}

/** A failed read as a typed error: FILE_MISSING, NO_PERMISSION, NOT_A_FILE, else READ_FAILED. */
export function readError(cause: unknown, file: string): GondwanaError {
  if (cause instanceof GondwanaError) return cause;
  const details = { where: file, cause };
  switch (systemCode(cause)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new InputError('FILE_MISSING', 'There is no such file.', {
        ...details,
        hint: 'Check the path; relative paths start from the current folder.',
      });
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return new InputError('FILE_MISSING', `The path leads to no file: ${messageOf(cause)}.`, {
        ...details,
        hint: 'Check the path, and where the symbolic links on it lead.',
      });
    case 'EACCES':
    case 'EPERM':
      return new InputError('NO_PERMISSION', 'The file may not be read by this user.', {
        ...details,
        hint: 'Give yourself the right to read it.',
      });
    case 'EISDIR':
      return new InputError('NOT_A_FILE', 'This is a folder, not a file.', {
        ...details,
        hint: 'Name a file in it.',
      });
    default:
      return new RunError('READ_FAILED', `The file cannot be read: ${messageOf(cause)}`, {
        ...details,
        hint: 'See the system message.',
      });
  }
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
