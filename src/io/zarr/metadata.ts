import { badHeader, unsafe, unsupported } from '../format-error.js';
import { float16ToNumber } from '../half.js';
import { typeOfNumpyCode, type NumericType } from '../numeric-array.js';

/** What the metadata of an array states, version 2 or 3, checked. */
export interface ZarrMetadata {
  readonly format: 2 | 3;
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly type: NumericType;
  readonly isBigEndian: boolean;
  /** Value of chunks that were never written; null: none is stated, and 0 is taken. */
  readonly fill: number | bigint | boolean | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly dimensionNames: readonly (string | null)[] | null;
  /** In the order of writing, in the form of version 3. */
  readonly codecs: readonly ZarrCodec[];
  readonly keys: { readonly name: 'default' | 'v2'; readonly separator: '.' | '/' };
}

export interface ZarrCodec {
  readonly name: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * JSON of a metadata file. Python writes NaN and infinities bare, which JSON has not, and integers beyond 2^53,
 * which JavaScript would round: both become texts.
 * @throws InputError BAD_HEADER
 */
export function parseMetadata(text: string, where: string): Json {
  const strings = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  const plain = text.replace(strings, (token) => {
    const isBare = /^-?(NaN|Infinity)$/.test(token);
    const isBig = /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token));
    return isBare || isBig ? `"${token}"` : token;
  });
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch (cause) {
    throw badHeader(where, `The metadata is not JSON: ${(cause as Error).message}.`, cause);
  }
  if (!isObject(value)) throw badHeader(where, 'The metadata is no JSON object.');
  return value;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `.zarray`, with the attributes of `.zattrs`. @throws InputError BAD_HEADER, UNSUPPORTED, UNSAFE */
export function readMetadata2(meta: Json, attributes: Json, where: string): ZarrMetadata {
  const { dtype } = meta;
  const filters = meta['filters'] ?? [];
  if (!Array.isArray(filters)) throw badHeader(where, 'The list of filters is no list.');
  const steps = filters.map((filter) => codecOf(filter, 'id', where));
  refusePickle(steps, dtype, where);
  if (typeof dtype !== 'string')
    throw unsupported(where, `The numbers are of type ${JSON.stringify(dtype)}, a structure.`);
  const [, order, code] = /^([<>|])([a-zA-Z]\d*)$/.exec(dtype) ?? [];
  const type = code === undefined ? undefined : typeOfNumpyCode(code);
  if (!type) throw unsupported(where, `The array is of type ${dtype}, not plain numbers.`);
  const isBigEndian = order === '>';
  const shape = sizes(meta['shape'], 'shape', where);
  const chunks = sizes(meta['chunks'], 'chunks', where, 1);
  sameRank(shape, chunks, where);
  const compressor = meta['compressor'] ?? null;
  const separator = meta['dimension_separator'] ?? '.';
  if (separator !== '.' && separator !== '/')
    throw badHeader(where, `The separator of chunk names is ${JSON.stringify(separator)}.`);
  if (meta['order'] !== 'C' && meta['order'] !== 'F')
    throw badHeader(where, `The order is ${JSON.stringify(meta['order'])}.`);
  const transpose = {
    name: 'transpose',
    configuration: { order: shape.map((_, axis) => shape.length - 1 - axis) },
  };
  return {
    format: 2,
    shape,
    chunks,
    type,
    isBigEndian,
    fill: fillOf(meta['fill_value'] ?? null, type, where),
    attributes,
    dimensionNames: namesOf(attributes['_ARRAY_DIMENSIONS']),
    codecs: [
      ...(meta['order'] === 'F' && shape.length > 1 ? [transpose] : []),
      ...steps,
      { name: 'bytes', configuration: { endian: isBigEndian ? 'big' : 'little' } },
      ...(compressor === null ? [] : [codecOf(compressor, 'id', where)]),
    ],
    keys: { name: 'v2', separator },
  };
}

/** `zarr.json` of an array. @throws InputError BAD_HEADER, UNSUPPORTED, UNSAFE */
export function readMetadata3(meta: Json, where: string): ZarrMetadata {
  const codecs = codecsOf(meta['codecs'], where);
  const dataType = meta['data_type'];
  refusePickle(codecs, dataType, where);
  const known = typeof dataType === 'string' ? NUMERIC_3.get(dataType) : undefined;
  if (!known)
    throw unsupported(where, `The array is of type ${JSON.stringify(dataType)}, not plain numbers.`);
  const grid = meta['chunk_grid'];
  if (!isObject(grid) || grid['name'] !== 'regular')
    throw unsupported(
      where,
      `The chunks lie in a grid of kind ${JSON.stringify(isObject(grid) ? grid['name'] : grid)}; "regular" is read.`,
    );
  const shape = sizes(meta['shape'], 'shape', where);
  const chunks = sizes(
    isObject(grid['configuration']) ? grid['configuration']['chunk_shape'] : undefined,
    'chunk_shape',
    where,
    1,
  );
  sameRank(shape, chunks, where);
  if (Array.isArray(meta['storage_transformers']) && meta['storage_transformers'].length > 0)
    throw unsupported(where, 'The array uses storage transformers.');
  const attributes = isObject(meta['attributes']) ? meta['attributes'] : {};
  return {
    format: 3,
    shape,
    chunks,
    type: known,
    isBigEndian: codecs.some(
      ({ name, configuration }) => name === 'bytes' && configuration['endian'] === 'big',
    ),
    fill: fillOf(meta['fill_value'] ?? null, known, where),
    attributes,
    dimensionNames: namesOf(meta['dimension_names']),
    codecs,
    keys: keysOf(meta['chunk_key_encoding'], where),
  };
}

const NUMERIC_3: ReadonlyMap<string, NumericType> = new Map(
  (
    [
      'bool',
      'int8',
      'uint8',
      'int16',
      'uint16',
      'int32',
      'uint32',
      'int64',
      'uint64',
      'float16',
      'float32',
      'float64',
    ] as const
  ).map((type) => [type, type]),
);

function keysOf(given: unknown, where: string): ZarrMetadata['keys'] {
  const name = isObject(given) ? given['name'] : given;
  if (name !== 'default' && name !== 'v2')
    throw unsupported(
      where,
      `Chunks are named by the rule ${JSON.stringify(name)}; "default" and "v2" are read.`,
    );
  const configuration = isObject(given) ? given['configuration'] : undefined;
  const separator =
    (isObject(configuration) ? configuration['separator'] : undefined) ?? (name === 'v2' ? '.' : '/');
  if (separator !== '.' && separator !== '/')
    throw badHeader(where, `The separator of chunk names is ${JSON.stringify(separator)}.`);
  return { name, separator };
}

export function codecsOf(given: unknown, where: string): ZarrCodec[] {
  if (!Array.isArray(given)) throw badHeader(where, 'The list of codecs is no list.');
  return given.map((codec) => codecOf(codec, 'name', where));
}

function codecOf(given: unknown, key: 'id' | 'name', where: string): ZarrCodec {
  if (typeof given === 'string' && key === 'name') return { name: given, configuration: {} };
  const name = isObject(given) ? given[key] : undefined;
  if (!isObject(given) || typeof name !== 'string')
    throw badHeader(where, `A codec has no name: ${JSON.stringify(given)}.`);
  if (key === 'name') {
    const { configuration } = given;
    return { name, configuration: isObject(configuration) ? configuration : {} };
  }
  const { [key]: _, ...configuration } = given;
  return { name, configuration };
}

/** Objects are pickles, or other text that only Python understands. */
function refusePickle(codecs: readonly ZarrCodec[], type: unknown, where: string): void {
  const isPickle = codecs.some(({ name }) => /(^|\.)(pickle|dill|cloudpickle)$/.test(name));
  if (!isPickle && type !== '|O' && type !== 'object') return;
  throw unsafe(
    where,
    'The array holds objects of Python, which are a program that runs when they are opened.',
  );
}

function sizes(given: unknown, name: string, where: string, least = 0): number[] {
  if (!Array.isArray(given) || given.length > 64) throw badHeader(where, `"${name}" is no list of sizes.`);
  for (const size of given as unknown[]) {
    if (!Number.isSafeInteger(size) || (size as number) < least)
      throw badHeader(where, `"${name}" holds ${JSON.stringify(size)}, which is no size.`);
  }
  return given as number[];
}

function sameRank(shape: readonly number[], chunks: readonly number[], where: string): void {
  if (shape.length !== chunks.length)
    throw badHeader(where, `The array has ${shape.length} axes and its chunks have ${chunks.length}.`);
}

const namesOf = (given: unknown): ZarrMetadata['dimensionNames'] =>
  Array.isArray(given) && given.every((name) => typeof name === 'string' || name === null)
    ? (given as (string | null)[])
    : null;

function fillOf(given: unknown, type: NumericType, where: string): ZarrMetadata['fill'] {
  if (given === null) return null;
  const fault = badHeader(where, `The fill value ${JSON.stringify(given)} is no ${type}.`);
  if (type === 'bool') {
    if (typeof given === 'boolean') return given;
    if (given === 0 || given === 1) return given === 1;
    throw fault;
  }
  if (type.startsWith('float')) {
    if (typeof given === 'number') return given;
    const special = typeof given === 'string' ? SPECIAL.get(given) : undefined;
    if (special !== undefined) return special;
    if (typeof given === 'string' && /^-?\d+$/.test(given)) return Number(given);
    if (typeof given === 'string' && /^0x[0-9a-f]+$/i.test(given)) return floatOfBits(BigInt(given), type);
    throw fault;
  }
  const isText = typeof given === 'string' && /^-?\d+$/.test(given);
  if (!isText && !Number.isSafeInteger(given)) {
    if (typeof given === 'number' && Number.isInteger(given)) return given;
    throw fault;
  }
  const value = BigInt(given as string | number);
  const bits = Number(/\d+/.exec(type)![0]);
  const isWithin = type.startsWith('u')
    ? BigInt.asUintN(bits, value) === value
    : BigInt.asIntN(bits, value) === value;
  if (!isWithin) throw fault;
  return bits === 64 ? value : Number(value);
}

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

/** Version 3 may spell a float by its bits. */
function floatOfBits(bits: bigint, type: NumericType): number {
  const view = new DataView(new ArrayBuffer(8));
  if (type === 'float64') {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  }
  if (type === 'float32') {
    view.setUint32(0, Number(BigInt.asUintN(32, bits)));
    return view.getFloat32(0);
  }
  return float16ToNumber(Number(BigInt.asUintN(16, bits)));
}
