/** Half-precision floats, by their bits. */

/** IEEE 754 binary16 → number; exact. */
export function float16ToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

let table: Float32Array | undefined;

export function widenFloat16(bits: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 65536 }, (_, i) => float16ToNumber(i));
  const wide = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) wide[i] = table[bits[i]!]!;
  return wide;
}

/** bfloat16 is the upper half of a float32. */
export function widenBfloat16(bits: Uint16Array): Float32Array {
  const wide = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) wide[i] = bits[i]! << 16;
  return new Float32Array(wide.buffer);
}
