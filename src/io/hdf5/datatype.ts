/**
 * Whether a stored number type is one that the machine has, bit for bit. HDF5 has others (12 bits in two bytes,
 * floats with their own exponent), which the library hands over unconverted.
 */
export function describeOddNumber(message: DataView): string | undefined {
  if (message.byteLength < 8) return 'a type whose description is cut off';
  const kind = message.getUint8(0) & 15;
  const size = message.getUint32(4, true);
  if (kind === 8) {
    // an enumeration: the description of its numbers follows
    return message.byteLength < 16
      ? 'a type whose description is cut off'
      : describeOddNumber(new DataView(message.buffer, message.byteOffset + 8, message.byteLength - 8));
  }
  if (kind === 0 || kind === 4) return describeOddInteger(message, size);
  if (kind === 1) return describeOddFloat(message, size);
  return undefined;
}

function describeOddInteger(message: DataView, size: number): string | undefined {
  if (message.byteLength < 12) return 'a type whose description is cut off';
  const offset = message.getUint16(8, true);
  const precision = message.getUint16(10, true);
  if (![1, 2, 4, 8].includes(size)) return `integers of ${size} bytes`;
  if (offset !== 0 || precision !== size * 8) return `integers of ${precision} bits in ${size} bytes`;
  return undefined;
}

/** Bits: exponent at, exponent size, mantissa size, bias. */
const IEEE: ReadonlyMap<number, readonly number[]> = new Map([
  [2, [10, 5, 10, 15]],
  [4, [23, 8, 23, 127]],
  [8, [52, 11, 52, 1023]],
]);

function describeOddFloat(message: DataView, size: number): string | undefined {
  if (message.byteLength < 20) return 'a type whose description is cut off';
  const known = IEEE.get(size);
  if (!known) return `floats of ${size} bytes`;
  const isVax = (message.getUint8(1) & 0x40) !== 0;
  const hasImpliedBit = ((message.getUint8(1) >> 4) & 3) === 2;
  const signAt = message.getUint8(2);
  const found = [
    message.getUint8(12),
    message.getUint8(13),
    message.getUint8(15),
    message.getUint32(16, true),
  ];
  const isWhole = message.getUint16(8, true) === 0 && message.getUint16(10, true) === size * 8;
  const isIeee =
    isWhole &&
    !isVax &&
    hasImpliedBit &&
    signAt === size * 8 - 1 &&
    message.getUint8(14) === 0 &&
    found.join() === known.join();
  if (isIeee) return undefined;
  return `floats of ${size} bytes with ${found[1]} bits of exponent and ${found[2]} of mantissa`;
}
