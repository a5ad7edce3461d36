/** Why bytes are no LZF. */
export class LzfFault extends Error {}

/**
 * Unpacks LZF (LibLZF, h5py's filter 32000) to exactly `length` bytes.
 * @throws LzfFault where it does not give them
 */
export function decodeLzf(packed: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  let to = 0;
  for (let at = 0; at < packed.length;) {
    const control = packed[at++]!;
    if (control < 32) {
      const count = control + 1;
      if (at + count > packed.length || to + count > length)
        throw new LzfFault('a run of bytes does not fit');
      out.set(packed.subarray(at, at + count), to);
      at += count;
      to += count;
      continue;
    }
    let count = (control >> 5) + 2;
    if (count === 9) count += packed[at++] ?? NaN;
    const from = to - ((control & 31) << 8) - (packed[at++] ?? NaN) - 1;
    if (!(from >= 0) || !(to + count <= length)) throw new LzfFault('a repeat points outside');
    for (let i = 0; i < count; i++) out[to + i] = out[from + i]!; // may overlap: byte by byte
    to += count;
  }
  if (to !== length) throw new LzfFault(`it gives ${to} bytes, not ${length}`);
  return out;
}
