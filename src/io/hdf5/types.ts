import type { NumericType } from '../numeric-array.js';
import type { Metadata } from './library.js';
import type { Hdf5OtherType } from './hdf5-file.js';

const OTHERS: ReadonlyMap<number, Hdf5OtherType> = new Map([
  [2, 'time'],
  [5, 'opaque'],
  [6, 'compound'],
  [7, 'reference'],
  [9, 'variable length'],
  [10, 'array'],
]);

/** The type under our names, from what the library tells; odd numbers of bits do not show here. */
export function describeType(metadata: Metadata): {
  readonly type: NumericType | 'text' | Hdf5OtherType;
  readonly isBigEndian: boolean;
} {
  const { type, size, signed, littleEndian, enum_type } = metadata;
  const isBigEndian = !littleEndian && size > 1;
  if (type === 3) return { type: 'text', isBigEndian: false };
  if (type === 1)
    return {
      type: [2, 4, 8].includes(size) ? (`float${size * 8}` as NumericType) : 'odd number',
      isBigEndian,
    };
  const isInteger = type === 0 || type === 4 || (type === 8 && enum_type?.type === 0);
  if (!isInteger) return { type: OTHERS.get(type) ?? 'odd number', isBigEndian };
  if (![1, 2, 4, 8].includes(size)) return { type: 'odd number', isBigEndian };
  if (type === 8 && size === 1 && isBoolean(enum_type!.members)) return { type: 'bool', isBigEndian };
  return { type: `${signed && type !== 4 ? 'int' : 'uint'}${size * 8}` as NumericType, isBigEndian };
}

const isBoolean = (members: Readonly<Record<string, number>>): boolean =>
  Object.keys(members).length === 2 && members['FALSE'] === 0 && members['TRUE'] === 1;
