import { corruptData, tooLarge } from '../format-error.js';
import { numbersOf, swapBytes } from '../numeric-array.js';
import type { LoadedLibrary, Metadata } from './library.js';
import { readBuffer, textsOf } from './memory.js';
import { describeType } from './types.js';

/** Value of an attribute; numbers beyond 2^53 are big integers, arrays of more axes are flat, in C order. */
export type Hdf5Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly (boolean | number | bigint | string)[]
  | { readonly unread: string };

const MAX_BYTES = 64 * 2 ** 20;

/** @throws InputError TOO_LARGE, CORRUPT_DATA */
export function readAttribute(
  { h5, messages }: LoadedLibrary,
  file: bigint,
  path: string,
  name: string,
  where: string,
): Hdf5Value {
  const metadata = h5.get_attribute_metadata(file, path, name);
  if (metadata.shape === null) return null;
  const { type, isBigEndian } = describeType(metadata);
  if (type === 'text' || isNumeric(type)) {
    const bytes = metadata.size * metadata.total_size;
    if (!(bytes <= MAX_BYTES))
      throw tooLarge(where, `The attribute has ${bytes} bytes; the limit here is ${MAX_BYTES}.`);
    const read = (pointer: number): number => h5.get_attribute_data(file, path, name, BigInt(pointer));
    const values = readBuffer(h5, bytes, read, (content, pointer) => {
      if (type === 'text') {
        const texts = textsOf(h5, content, metadata);
        if (metadata.vlen) h5.reclaim_vlen_memory(file, path, name, BigInt(pointer));
        return texts;
      }
      if (metadata.type === ENUMERATION && isBigEndian) swapBytes(content, metadata.size);
      const numbers = Array.from(numbersOf(content, type) as ArrayLike<number | bigint>);
      return type === 'bool' ? numbers.map((value) => value !== 0) : numbers.map(plain);
    });
    if (values === undefined)
      throw corruptData(where, `The attribute cannot be read: ${messages.reason || 'no reason given'}.`);
    return metadata.shape.length === 0 ? (values[0] ?? null) : values;
  }
  return { unread: type };
}

const ENUMERATION: Metadata['type'] = 8;

const isNumeric = (type: string): type is Parameters<typeof numbersOf>[1] =>
  /^(bool|u?int\d+|float\d+)$/.test(type);

const plain = (value: number | bigint): number | bigint =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
