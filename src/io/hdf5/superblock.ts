import type { ByteSource } from '../byte-source.js';
import { badHeader, notTheFormat, truncated, unsupported } from '../format-error.js';
import { SNIFF_BYTES } from '../sniff.js';

/** What the first block of an HDF5 file says about addresses. */
export interface Superblock {
  /** Added to every address. */
  readonly base: number;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
}

const SIGNATURE = '\x89HDF\r\n\x1a\n';

/**
 * Finds and checks the first block: at byte 0, 512, 1024, 2048, …
 * @throws InputError EMPTY_FILE, NOT_HDF5, TRUNCATED (the file ends before what the block says), BAD_HEADER, UNSUPPORTED
 */
export function readSuperblock(source: ByteSource): Superblock {
  const { where, size } = source;
  const head = source.read(0, Math.min(SNIFF_BYTES, size));
  let start = 0;
  while (!hasSignature(source, start)) {
    start = start === 0 ? 512 : start * 2;
    if (start + 8 > size) throw notTheFormat('NOT_HDF5', 'HDF5 file', head, size, where);
  }
  const bytes = source.read(start, Math.min(128, size - start));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 48) throw truncated(where, 'The file ends inside its first block.');
  const version = bytes[8]!;
  if (version > 3)
    throw unsupported(where, `The file is HDF5 with a superblock of version ${version}; 0 to 3 are read.`);
  const isOld = version < 2;
  const offsetBytes = bytes[isOld ? 13 : 9]!;
  const lengthBytes = bytes[isOld ? 14 : 10]!;
  if (![2, 4, 8].includes(offsetBytes) || ![2, 4, 8].includes(lengthBytes))
    throw badHeader(where, `Addresses of ${offsetBytes} and lengths of ${lengthBytes} bytes cannot be.`);
  const first = version === 0 ? 24 : version === 1 ? 28 : 12;
  const base = readUnsigned(view, first, offsetBytes);
  const end = readUnsigned(view, first + 2 * offsetBytes, offsetBytes);
  if (end > size)
    throw truncated(where, `The file should have ${end} bytes by its first block, and it has ${size}.`);
  return { base, offsetBytes, lengthBytes };
}

function hasSignature(source: ByteSource, start: number): boolean {
  return start + 8 <= source.size && Buffer.from(source.read(start, 8)).toString('latin1') === SIGNATURE;
}

/** A little-endian number of 1 to 8 bytes; all ones (no address) comes as Infinity. */
export function readUnsigned(view: DataView, at: number, bytes: number): number {
  let value = 0;
  let isUndefined = true;
  for (let i = bytes - 1; i >= 0; i--) {
    const byte = view.getUint8(at + i);
    if (byte !== 255) isUndefined = false;
    value = value * 256 + byte;
  }
  return isUndefined ? Infinity : value;
}
