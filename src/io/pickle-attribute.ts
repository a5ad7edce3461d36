import type { Hdf5File } from './hdf5/hdf5-file.js';
import { badHeader, corruptData, placeIn } from './format-error.js';
import { isDangerousName } from './pickle-dangerous.js';
import { readPickle, type PickleGlobal, type PickleValue } from './pickle.js';
import { LiteralFault, parsePythonLiteral } from './python-literal.js';

/** A pickle as data: nothing of it was run, classes stay names. */
export interface InertPickle {
  readonly value: PickleValue;
  /** Classes and functions that it names, sorted. */
  readonly names: readonly string[];
  /** Those among them that run code where pickles are executed, and that no data needs. */
  readonly dangerous: readonly string[];
}

/** @throws InputError PICKLE_MALFORMED, PICKLE_UNSUPPORTED */
export function readInertPickle(bytes: Uint8Array, where: string): InertPickle {
  const names = new Set<string>();
  const dangerous = new Set<string>();
  const onGlobal = (global: PickleGlobal): void => {
    names.add(global.fullName);
    if (isDangerousName(global)) dangerous.add(global.fullName);
  };
  const value = readPickle(bytes, { where, onGlobal });
  return { value, names: [...names].sort(), dangerous: [...dangerous].sort() };
}

/**
 * A pickle stored as text the way Python prints bytes: `b'…'` with escapes. That is how GEO-Bench keeps what it
 * knows of a sample.
 * @throws InputError CORRUPT_DATA, PICKLE_MALFORMED, PICKLE_UNSUPPORTED
 */
export function readPrintedPickle(text: string, where: string): InertPickle {
  let bytes: unknown;
  try {
    bytes = parsePythonLiteral(text);
  } catch (cause) {
    if (!(cause instanceof LiteralFault)) throw cause;
    throw corruptData(where, `The text is not printed bytes of Python: ${cause.message}.`, cause);
  }
  if (!(bytes instanceof Uint8Array)) throw corruptData(where, 'The text is not printed bytes of Python.');
  return readInertPickle(bytes, where);
}

/**
 * The pickle in the root attribute `pickle` of an HDF5 file.
 * @throws InputError BAD_HEADER (no such attribute, or no text), and as `readPrintedPickle`
 */
export function readPickleAttribute(file: Hdf5File): InertPickle {
  const where = placeIn(file.where, '/@pickle');
  const text = file.attribute('/', 'pickle');
  if (typeof text !== 'string') throw badHeader(where, 'The file has no attribute "pickle" that is a text.');
  return readPrintedPickle(text, where);
}
