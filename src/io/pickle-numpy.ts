import { widenFloat16 } from './half.js';
import { PickleFault } from './pickle-input.js';
import {
  NumpyArray,
  PickleObject,
  PickleTuple,
  type NumpyData,
  type NumpyScalar,
  type NumpyType,
  type PickleValue,
} from './pickle-values.js';

interface ElementType {
  readonly dtype: NumpyType;
  readonly size: number;
  readonly isBigEndian: boolean;
}

const ELEMENT_TYPES: ReadonlyMap<string, readonly [NumpyType, number]> = new Map([
  ['b1', ['bool', 1]],
  ['i1', ['int8', 1]],
  ['i2', ['int16', 2]],
  ['i4', ['int32', 4]],
  ['i8', ['int64', 8]],
  ['u1', ['uint8', 1]],
  ['u2', ['uint16', 2]],
  ['u4', ['uint32', 4]],
  ['u8', ['uint64', 8]],
  ['f2', ['float16', 2]],
  ['f4', ['float32', 4]],
  ['f8', ['float64', 8]],
] as const);

/** Type code such as `f8` of a pickled `numpy.dtype`, with the byte order that its state sets. */
function typeCode(value: PickleValue | undefined): { code: string; isBigEndian: boolean } {
  const code = value instanceof PickleObject ? value.args[0] : undefined;
  if (typeof code !== 'string') throw new PickleFault('an array has no element type');
  const state = value instanceof PickleObject && value.state instanceof PickleTuple ? value.state.items : [];
  return { code: code.replace(/^[<>=|]/, ''), isBigEndian: state[1] === '>' || code.startsWith('>') };
}

function elementType(value: PickleValue | undefined): ElementType | undefined {
  const { code, isBigEndian } = typeCode(value);
  const known = ELEMENT_TYPES.get(code);
  return known && { dtype: known[0], size: known[1], isBigEndian };
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

type Elements = Exclude<NumpyData, readonly PickleValue[]>;

function decodeElements(source: Uint8Array, { dtype, size, isBigEndian }: ElementType): Elements {
  const bytes = new Uint8Array(source); // a copy, aligned
  if (isBigEndian) for (let i = 0; i < bytes.length; i += size) bytes.subarray(i, i + size).reverse();
  const { buffer } = bytes;
  if (buffer.byteLength % size !== 0) throw new PickleFault('an array has a part of an element');
  switch (dtype) {
    case 'bool':
    case 'uint8':
      return bytes;
    case 'int8':
      return new Int8Array(buffer);
    case 'int16':
      return new Int16Array(buffer);
    case 'uint16':
      return new Uint16Array(buffer);
    case 'int32':
      return new Int32Array(buffer);
    case 'uint32':
      return new Uint32Array(buffer);
    case 'int64':
      return new BigInt64Array(buffer);
    case 'uint64':
      return new BigUint64Array(buffer);
    case 'float16':
      return widenFloat16(new Uint16Array(buffer));
    case 'float32':
      return new Float32Array(buffer);
    case 'float64':
      return new Float64Array(buffer);
  }
}

/** First axis fastest → last axis fastest. */
function fromFortranOrder(data: Elements, shape: readonly number[]): Elements {
  const result = data.slice();
  const index = new Array<number>(shape.length).fill(0);
  const strides = shape.map((_, axis) => shape.slice(0, axis).reduce((product, size) => product * size, 1));
  for (let i = 0; i < data.length; i++) {
    const from = index.reduce((sum, position, axis) => sum + position * strides[axis]!, 0);
    (result as Float64Array)[i] = (data as Float64Array)[from]!;
    for (let axis = shape.length - 1; axis >= 0 && ++index[axis]! === shape[axis]; axis--) index[axis] = 0;
  }
  return result;
}
