import type { ByteSource } from '../byte-source.js';
import { corruptData } from '../format-error.js';
import { readUnsigned } from './superblock.js';

const SIGNATURE = [0x47, 0x43, 0x4f, 0x4c]; // GCOL

/** Whether a collection of the global heap, where texts of variable length lie, begins with these bytes. */
export const isGlobalHeap = (bytes: Uint8Array): boolean => SIGNATURE.every((byte, at) => bytes[at] === byte);

/**
 * Checks that the objects of a collection follow one another to its end. The library walks along their sizes: where one
 * of size 0 says that it is the free space, it never arrives.
 * @throws InputError CORRUPT_DATA, TRUNCATED
 */
export function checkGlobalHeap(source: ByteSource, start: number, lengthBytes: number): void {
  const headBytes = 8 + lengthBytes;
  const numberAt = (at: number): number => {
    const bytes = source.read(at, lengthBytes);
    return readUnsigned(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, lengthBytes);
  };
  const fault = (message: string): Error =>
    corruptData(source.where, `The texts of variable length at byte ${start} are damaged: ${message}.`);
  const end = start + numberAt(start + 8);
  if (!(end <= source.size)) throw fault('they reach past the end of the file');
  for (let at = start + headBytes; at + headBytes <= end;) {
    const [low, high] = source.read(at, 2) as Uint8Array & [number, number];
    const isFree = low === 0 && high === 0;
    const size = numberAt(at + 8);
    // free space counts its own head, and ends the collection
    const next = isFree ? at + size : at + headBytes + Math.ceil(size / 8) * 8;
    if (!(next > at) || !(next <= end)) throw fault(`one of ${size} bytes lies at byte ${at}`);
    at = next;
  }
}
