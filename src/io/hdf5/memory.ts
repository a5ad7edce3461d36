import { InputError } from '../../errors.js';
import type { Hdf5Library, Metadata } from './library.js';

/**
 * Gives the library room for `bytes`, lets it write there, and hands a copy to `use`.
 * @returns undefined where the library reports a failure
 */
export function readBuffer<T>(
  h5: Hdf5Library,
  bytes: number,
  read: (pointer: number) => number,
  use: (content: Uint8Array, pointer: number) => T,
): T | undefined {
  const pointer = h5._malloc(Math.max(bytes, 1));
  if (pointer === 0)
    throw new InputError('TOO_LARGE', `The HDF5 library has no room for ${bytes} bytes.`, {
      hint: 'Read a part of the dataset, or close other files first.',
    });
  try {
    if (read(pointer) < 0) return undefined;
    return use(h5.HEAPU8.slice(pointer, pointer + bytes), pointer);
  } finally {
    h5._free(pointer);
  }
}

/** Texts of fixed or variable length; UTF-8, which ASCII is a part of. */
export function textsOf(h5: Hdf5Library, content: Uint8Array, { size, vlen, strpad }: Metadata): string[] {
  if (vlen) return Array.from(new Uint32Array(content.buffer), (at) => (at === 0 ? '' : h5.UTF8ToString(at)));
  const decoder = new TextDecoder();
  return Array.from({ length: content.length / size }, (_, index) => {
    const bytes = content.subarray(index * size, (index + 1) * size);
    const end = bytes.indexOf(0);
    const text = decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
    return strpad === 2 ? text.replace(/ +$/, '') : text;
  });
}
