import { BlockFault } from '../kernels.js';

/** Unpacks PackBits: runs and stretches of bytes, each behind its length. What comes after `room` bytes is left out. */
export function unpackPackBits(input: Uint8Array, room: number): Uint8Array {
  const out = new Uint8Array(room);
  let at = 0;
  let done = 0;
  while (at < input.length && done < room) {
    const head = input[at++]!;
    if (head === 128) continue; // does nothing
    const length = Math.min(head < 128 ? head + 1 : 257 - head, room - done);
    if (at + (head < 128 ? length : 1) > input.length) throw new BlockFault('its compressed data ends early');
    if (head < 128) {
      out.set(input.subarray(at, at + length), done);
      at += head + 1;
    } else out.fill(input[at++]!, done, done + length);
    done += length;
  }
  return out.subarray(0, done);
}
