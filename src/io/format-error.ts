import { InputError } from '../errors.js';
import { describeImpostor } from './sniff.js';

/**
 * Faults of data files, one stable code a kind, the same for every format. `where` is the file, followed by the
 * member, item or dataset inside it where there is one.
 */
export type NotAFormatCode =
  | 'NOT_A_RASTER'
  | 'NOT_HDF5'
  | 'NOT_NPY'
  | 'NOT_ZARR'
  | 'NOT_PARQUET'
  | 'NOT_TACO'
  | 'NOT_JSON'
  | 'NOT_A_TABLE';

/** `file » part`: a place inside a file. */
export const placeIn = (where: string, part: string): string => `${where} » ${part}`;

/** Zero bytes. */
export const emptyFile = (where: string): InputError =>
  new InputError('EMPTY_FILE', 'The file is empty.', {
    where,
    hint: 'Download or copy it again: nothing arrived.',
  });

/** EMPTY_FILE, or another kind of content; names what it is where the first bytes tell. */
export function notTheFormat(
  code: NotAFormatCode,
  format: string,
  head: Uint8Array,
  size: number,
  where: string,
): InputError {
  if (size === 0) return emptyFile(where);
  const impostor = describeImpostor(head, size);
  return new InputError(
    code,
    impostor ? `This is no ${format}: ${lower(impostor.what)}` : `This is no ${format}.`,
    {
      where,
      hint: impostor?.hint ?? 'Check that the path names the right file, and fetch it again if it does.',
    },
  );
}

/** The content ends before what the header declares. */
export const truncated = (where: string, message: string, cause?: unknown): InputError =>
  new InputError('TRUNCATED', message, {
    where,
    hint: 'The download or copy was cut short: fetch the file again and compare its size or checksum.',
    cause,
  });

/** The content does not decode to what the header declares. */
export const corruptData = (where: string, message: string, cause?: unknown): InputError =>
  new InputError('CORRUPT_DATA', message, {
    where,
    hint: 'The file is damaged: fetch it again and compare its checksum.',
    cause,
  });

/** The header says something impossible. */
export const badHeader = (where: string, message: string, cause?: unknown): InputError =>
  new InputError('BAD_HEADER', message, {
    where,
    hint: 'The file is damaged or was written by a faulty program: fetch it again, or write it again.',
    cause,
  });

/** Valid, but of a kind that is not read; the message names the codec, filter or type. */
export const unsupported = (where: string, message: string, hint?: string, cause?: unknown): InputError =>
  new InputError('UNSUPPORTED', message, {
    where,
    hint: hint ?? 'Write the data again in a form that is read, with the program that made it.',
    cause,
  });

/** The declared size is past the limit, or past what the file can hold. Nothing was allocated. */
export const tooLarge = (where: string, message: string, hint?: string): InputError =>
  new InputError('TOO_LARGE', message, {
    where,
    hint: hint ?? 'Check that the file is whole and comes from where you think; read a part of it if it is.',
  });

/** It would run code, or reach outside the given file or folder. Nothing was run or opened. */
export const unsafe = (where: string, message: string, hint?: string): InputError =>
  new InputError('UNSAFE', message, {
    where,
    hint: hint ?? 'Nothing was run. Do not use this file unless you know who made it and why.',
  });

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
