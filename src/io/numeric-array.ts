import { InputError } from '../errors.js';
import { widenFloat16 } from './half.js';

/** Number types of arrays in files, by NumPy's names. */
export type NumericType = 'bool' | `${'int' | 'uint'}${8 | 16 | 32 | 64}` | `float${16 | 32 | 64}`;

export type NumericData =
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

/** An array of a file, whatever its format. */
export interface NumericArray {
  /** Sizes of the axes, slowest first; [] for a single number. */
  readonly shape: readonly number[];
  /** As stored. */
  readonly type: NumericType;
  /** Byte order of the file; `data` has the machine's. */
  readonly isBigEndian: boolean;
  /** C order, the last axis fastest. float16 is widened to float32, bool is 0 or 1, 64-bit integers are exact. */
  readonly data: NumericData;
}

const BYTES: Readonly<Record<NumericType, number>> = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float16: 2,
  float32: 4,
  float64: 8,
};

/** Bytes of one number in the file. */
export const bytesOfType = (type: NumericType): number => BYTES[type];

/** Product of the sizes; not a safe integer where the shape is beyond all measure. */
export const elementCount = (shape: readonly number[]): number =>
  shape.reduce((product, size) => product * size, 1);

/** NumPy's code: `<f4`, `>i2`, `|u1`. */
export function numpyCode({ type, isBigEndian }: Pick<NumericArray, 'type' | 'isBigEndian'>): string {
  const size = BYTES[type];
  const kind = type === 'bool' ? 'b' : type.startsWith('uint') ? 'u' : type.charAt(0);
  return `${size === 1 ? '|' : isBigEndian ? '>' : '<'}${kind}${size}`;
}

const TYPE_OF_CODE: ReadonlyMap<string, NumericType> = new Map(
  (Object.keys(BYTES) as NumericType[]).map((type) => [
    numpyCode({ type, isBigEndian: false }).slice(1),
    type,
  ]),
);

/** `f4` → `float32`; undefined for objects, texts, dates, complex numbers and other types that are no plain numbers. */
export const typeOfNumpyCode = (code: string): NumericType | undefined => TYPE_OF_CODE.get(code);

/** The numbers of little-endian bytes, which must be a copy of their own: they are used as they lie. */
export function numbersOf(bytes: Uint8Array, type: NumericType): NumericData {
  const { buffer, byteOffset, length } = bytes;
  const count = length / BYTES[type];
  switch (type) {
    case 'bool':
    case 'uint8':
      return bytes;
    case 'int8':
      return new Int8Array(buffer, byteOffset, count);
    case 'int16':
      return new Int16Array(buffer, byteOffset, count);
    case 'uint16':
      return new Uint16Array(buffer, byteOffset, count);
    case 'int32':
      return new Int32Array(buffer, byteOffset, count);
    case 'uint32':
      return new Uint32Array(buffer, byteOffset, count);
    case 'int64':
      return new BigInt64Array(buffer, byteOffset, count);
    case 'uint64':
      return new BigUint64Array(buffer, byteOffset, count);
    case 'float16':
      return widenFloat16(new Uint16Array(buffer, byteOffset, count));
    case 'float32':
      return new Float32Array(buffer, byteOffset, count);
    case 'float64':
      return new Float64Array(buffer, byteOffset, count);
  }
}

/** Turns the bytes of every number round, in place. */
export function swapBytes(bytes: Uint8Array, size: number): void {
  if (size === 1) return;
  for (let start = 0; start + size <= bytes.length; start += size) {
    for (let low = start, high = start + size - 1; low < high; low++, high--) {
      const byte = bytes[low]!;
      bytes[low] = bytes[high]!;
      bytes[high] = byte;
    }
  }
}

/** First axis fastest → last axis fastest. */
export function fromFortranOrder<T extends NumericData>(data: T, shape: readonly number[]): T {
  if (shape.length < 2) return data;
  const result = new (data.constructor as new (length: number) => T)(data.length);
  const strides = shape.map((_, axis) => elementCount(shape.slice(0, axis)));
  const last = shape.length - 1;
  const rowLength = shape[last]!;
  const rowStride = strides[last]!;
  const index = new Array<number>(last).fill(0);
  let row = 0; // where the current row starts in `data`
  for (let to = 0; to < data.length;) {
    for (let i = 0, from = row; i < rowLength; i++, from += rowStride) result[to++] = data[from]!;
    for (let axis = last - 1; axis >= 0; axis--) {
      row += strides[axis]!;
      if (++index[axis]! < shape[axis]!) break;
      row -= strides[axis]! * shape[axis]!;
      index[axis] = 0;
    }
  }
  return result;
}

/**
 * The same numbers without big integers, each exact: 64-bit integers become a Float64Array.
 * @throws InputError PRECISION_LOSS for an integer that a double cannot hold, naming it
 */
export function plainNumbers(
  data: NumericData,
  where: string,
): Exclude<NumericData, BigInt64Array | BigUint64Array> {
  if (!(data instanceof BigInt64Array || data instanceof BigUint64Array)) return data;
  const numbers = new Float64Array(data.length);
  for (let i = 0; i < data.length; i++) {
    const value = Number(data[i]!);
    if (!Number.isSafeInteger(value)) {
      throw new InputError(
        'PRECISION_LOSS',
        `Element ${i} is ${data[i]!}, which a double cannot hold exactly.`,
        {
          where,
          hint: 'Read it as 64-bit integers, or store smaller numbers.',
        },
      );
    }
    numbers[i] = value;
  }
  return numbers;
}
