/** A `.npy` file, format 1.0. @param descr NumPy's type, e.g. `<f4` */
export function npyBytes(descr: string, shape: readonly number[], body: Uint8Array): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const padded = text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11, ' ') + '\n';
  const head = Buffer.from('\x93NUMPY\x01\x00', 'latin1');
  const length = Buffer.alloc(2);
  length.writeUInt16LE(padded.length);
  return Buffer.concat([head, length, Buffer.from(padded, 'latin1'), body]);
}
