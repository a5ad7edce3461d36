import {
  bytesOfType,
  fromFortranOrder,
  numbersOf,
  swapBytes,
  typeOfNumpyCode,
  type NumericData,
} from './numeric-array.js';
import { PickleFault } from './pickle-input.js';
import {
  NumpyArray,
  PickleObject,
  PickleTuple,
  type NumpyScalar,
  type NumpyType,
  type PickleValue,
} from './pickle-values.js';

interface ElementType {
  readonly dtype: NumpyType;
  readonly size: number;
  readonly isBigEndian: boolean;
}

/** Type code such as `f8` of a pickled `numpy.dtype`, with the byte order that its state sets. */
function typeCode(value: PickleValue | undefined): { code: string; isBigEndian: boolean } {
  const code = value instanceof PickleObject ? value.args[0] : undefined;
  if (typeof code !== 'string') throw new PickleFault('an array has no element type');
  const state = value instanceof PickleObject && value.state instanceof PickleTuple ? value.state.items : [];
  return { code: code.replace(/^[<>=|]/, ''), isBigEndian: state[1] === '>' || code.startsWith('>') };
}

function elementType(value: PickleValue | undefined): ElementType | undefined {
  const { code, isBigEndian } = typeCode(value);
  const dtype = typeOfNumpyCode(code);
  return dtype && { dtype, size: bytesOfType(dtype), isBigEndian };
}

/** `numpy.core.multiarray.scalar(dtype, bytes)`. */
export function numpyScalar(args: readonly PickleValue[]): NumpyScalar | NumpyArray {
  const type = elementType(args[0]);
  if (!type) return unread([]);
  const data = decodeElements(bytesOf(args[1]), type);
  if (data.length !== 1) throw new PickleFault('a number of NumPy has more or fewer bytes than its type');
  const value = data[0] as number | bigint;
  return { kind: 'numpy-scalar', dtype: type.dtype, value: type.dtype === 'bool' ? value !== 0 : value };
}

/** `numpy.core.numeric._frombuffer(bytes, dtype, shape, order)`. */
export function numpyFromBuffer([buffer, dtype, shape, order]: readonly PickleValue[]): NumpyArray {
  const array = new NumpyArray();
  fill(array, shapeOf(shape), dtype, buffer, order === 'F');
  return array;
}

/** State of an array: (version, shape, dtype, is in Fortran order, bytes or list). */
export function fillNumpyArray(array: NumpyArray, state: PickleValue): void {
  if (!(state instanceof PickleTuple)) throw new PickleFault('the state of an array is not a tuple');
  const [shape, dtype, isFortran, content] = state.items.slice(-4);
  fill(array, shapeOf(shape), dtype, content, isFortran === true);
}

function fill(
  array: NumpyArray,
  shape: readonly number[],
  dtype: PickleValue | undefined,
  content: PickleValue | undefined,
  isFortran: boolean,
): void {
  const count = shape.reduce((product, size) => product * size, 1);
  const type = elementType(dtype);
  if (!type)
    return void Object.assign(array, Array.isArray(content) ? objects(shape, content) : unread(shape));
  const bytes = bytesOf(content);
  if (bytes.length !== count * type.size) {
    throw new PickleFault(
      `an array of shape [${shape.join(', ')}] has ${bytes.length} bytes, not ${count * type.size}`,
    );
  }
  const data = decodeElements(bytes, type);
  array.dtype = type.dtype;
  array.shape = shape;
  array.data = isFortran && shape.length > 1 ? fromFortranOrder(data, shape) : data;
}

const objects = (shape: readonly number[], data: readonly PickleValue[]): Partial<NumpyArray> => ({
  dtype: 'object',
  shape,
  data,
});

const unread = (shape: readonly number[]): NumpyArray =>
  Object.assign(new NumpyArray(), { dtype: 'other' as const, shape, data: [] });

function shapeOf(value: PickleValue | undefined): number[] {
  const sizes = value instanceof PickleTuple ? value.items : undefined;
  const isShape = sizes?.length !== undefined && sizes.length <= 64;
  if (!isShape || !sizes.every((size) => typeof size === 'number' && Number.isInteger(size) && size >= 0)) {
    throw new PickleFault('the shape of an array is not a tuple of sizes');
  }
  return sizes as number[];
}

/** Byte strings of Python 2 that happen to be UTF-8 come as text. */
function bytesOf(value: PickleValue | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  throw new PickleFault('the content of an array is not bytes');
}

/** Little-endian numbers in memory of their own. */
function decodeElements(source: Uint8Array, { dtype, size, isBigEndian }: ElementType): NumericData {
  if (source.length % size !== 0) throw new PickleFault('an array has a part of an element');
  const bytes = new Uint8Array(source); // a copy, aligned
  if (isBigEndian) swapBytes(bytes, size);
  return numbersOf(bytes, dtype);
}
