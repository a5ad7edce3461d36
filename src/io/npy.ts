import { readFile } from 'node:fs/promises';
import { InputError } from '../errors.js';
import { widenFloat16 } from './half.js';
import { readError } from './file-errors.js';
import { requireFile } from './regular-file.js';

/** A NumPy array in C order. */
export interface NpyArray {
  readonly shape: readonly number[];
  /** float16 comes widened to float32, bool as 0 and 1. */
  readonly data: NpyData;
}

export type NpyData =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

type Constructor = new (buffer: ArrayBuffer) => NpyData;

const TYPES: Readonly<Record<string, { size: number; make: Constructor | 'half' }>> = {
  u1: { size: 1, make: Uint8Array },
  b1: { size: 1, make: Uint8Array },
  i1: { size: 1, make: Int8Array },
  u2: { size: 2, make: Uint16Array },
  i2: { size: 2, make: Int16Array },
  u4: { size: 4, make: Uint32Array },
  i4: { size: 4, make: Int32Array },
  u8: { size: 8, make: BigUint64Array },
  i8: { size: 8, make: BigInt64Array },
  f2: { size: 2, make: 'half' },
  f4: { size: 4, make: Float32Array },
  f8: { size: 8, make: Float64Array },
};

/** Header texts are short; a longer one is a claim, not a header. */
const MAX_HEADER_BYTES = 65_536;

/**
 * Reads a `.npy` file, format 1.0 to 3.0, whole.
 * @throws InputError NPY_MALFORMED, NPY_UNSUPPORTED (objects, text, structures, complex, Fortran order), FILE_MISSING
 */
export async function readNpy(file: string): Promise<NpyArray> {
  await requireFile(file);
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw readError(cause, file);
  });
  return parseNpy(bytes, file);
}

/** @param where file that errors name */
export function parseNpy(bytes: Uint8Array, where: string): NpyArray {
  const fail = (reason: string): never => {
    throw new InputError('NPY_MALFORMED', `This is no NumPy array: ${reason}.`, {
      where,
      hint: 'Write it again with numpy.save(…, allow_pickle=False).',
    });
  };
  if (bytes.length < 10 || Buffer.from(bytes.subarray(0, 6)).toString('latin1') !== '\x93NUMPY')
    fail('the magic is missing');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const major = bytes[6]!;
  if (major < 1 || major > 3) fail(`format ${major} is unknown`);
  const start = major === 1 ? 10 : 12;
  if (bytes.length < start) fail('the file is cut off');
  const headerLength = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (headerLength > MAX_HEADER_BYTES || start + headerLength > bytes.length)
    fail('the header reaches past the end');
  const header = Buffer.from(bytes.subarray(start, start + headerLength)).toString('latin1');
  const descr = /'descr'\s*:\s*'([<>|=])([a-zA-Z]\d+)'/.exec(header);
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(header);
  const shapeText = /'shape'\s*:\s*\(([\d,\s]*)\)/.exec(header);
  if (!order || !shapeText) return fail('the header does not state order and shape');
  const type = descr ? TYPES[descr[2]!] : undefined;
  const shape = shapeText[1]!
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number);
  if (!type || (order[1] === 'True' && shape.length > 1)) {
    throw new InputError('NPY_UNSUPPORTED', `Arrays of this kind are not read: ${header.trim()}`, {
      where,
      hint: 'Save numbers or booleans in C order.',
    });
  }
  const size = shape.reduce((product, axis) => product * axis, 1);
  const body = bytes.subarray(start + headerLength);
  if (!Number.isSafeInteger(size) || body.length !== size * type.size) {
    fail(`shape (${shape.join(', ')}) needs ${size * type.size} bytes, the file has ${body.length}`);
  }
  const copy = Uint8Array.from(body);
  if (descr![1] === '>') swapBytes(copy, type.size);
  const data = type.make === 'half' ? widenFloat16(new Uint16Array(copy.buffer)) : new type.make(copy.buffer);
  return { shape, data };
}

function swapBytes(bytes: Uint8Array, size: number): void {
  for (let start = 0; start < bytes.length; start += size) bytes.subarray(start, start + size).reverse();
}
