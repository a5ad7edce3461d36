import { PickleFault } from './pickle-input.js';
import { numpyFromBuffer, numpyScalar } from './pickle-numpy.js';
import { NumpyArray, PickleGlobal, PickleObject, PickleTuple, type PickleValue } from './pickle-values.js';

/** Makes a plain value of the arguments that a named class or function would have been called with. */
export type Reducer = (args: readonly PickleValue[]) => PickleValue;

/** Of a Map, of a list of pairs, or of nothing. */
function toMap([source]: readonly PickleValue[]): Map<PickleValue, PickleValue> {
  if (source === undefined) return new Map();
  if (source instanceof Map) return new Map(source);
  if (!Array.isArray(source)) throw new PickleFault('a dict is made of something that is no list of pairs');
  return new Map(source.map(pairOf));
}

function pairOf(value: PickleValue): [PickleValue, PickleValue] {
  const items = value instanceof PickleTuple ? value.items : value;
  if (!Array.isArray(items) || items.length !== 2)
    throw new PickleFault('a dict is made of something that is no pair');
  return [items[0] as PickleValue, items[1] as PickleValue];
}

/** Items of a set or frozenset: a list or tuple of them, or nothing. */
function toSet([source]: readonly PickleValue[]): Set<PickleValue> {
  if (source === undefined) return new Set();
  const items = source instanceof PickleTuple ? source.items : source;
  if (!Array.isArray(items)) throw new PickleFault('a set is made of something that is no list');
  return new Set(items as readonly PickleValue[]);
}

/** Bytes as protocols below 3 spell them: a text, one byte a letter, with the name of an encoding. */
function toBytes([source, encoding]: readonly PickleValue[]): Uint8Array {
  if (source === undefined) return new Uint8Array(0);
  if (source instanceof Uint8Array) return new Uint8Array(source);
  if (typeof source !== 'string') throw new PickleFault('bytes are made of something that is no text');
  const isLatin = typeof encoding === 'string' && /^latin[-_]?1$/i.test(encoding);
  return new Uint8Array(Buffer.from(source, isLatin ? 'latin1' : 'utf8'));
}

function toComplex([re, im]: readonly PickleValue[]): PickleValue {
  if (typeof re !== 'number' || typeof im !== 'number')
    throw new PickleFault('a complex number is not made of two numbers');
  return { kind: 'complex', re, im };
}

/** Objects of protocols 0 and 1: class, base class, content of the base. */
function reconstruct([type, , content]: readonly PickleValue[]): PickleValue {
  if (!(type instanceof PickleGlobal))
    throw new PickleFault('an object is made of something that is no class');
  if (type.fullName === 'collections.OrderedDict') return toMap(content instanceof Map ? [content] : []);
  return new PickleObject(type, content === undefined || content === null ? [] : [content]);
}

const dictOfDefaults: Reducer = () => new Map();
const inModules = (modules: readonly string[], name: string, reducer: Reducer): [string, Reducer][] =>
  modules.map((module) => [`${module} ${name}`, reducer]);
const builtins = ['builtins', '__builtin__'];
const numpyCores = ['numpy.core', 'numpy._core'];

/** Containers, bytes and numbers of Python and NumPy; whatever else a file names stays an opaque record. */
export const standardReducers: ReadonlyMap<string, Reducer> = new Map([
  ...inModules(['collections'], 'OrderedDict', toMap),
  ...inModules(['collections'], 'Counter', toMap),
  ...inModules(['collections'], 'defaultdict', dictOfDefaults),
  ...inModules(builtins, 'dict', toMap),
  ...inModules(builtins, 'set', toSet),
  ...inModules(builtins, 'frozenset', toSet),
  ...inModules(builtins, 'bytes', toBytes),
  ...inModules(builtins, 'bytearray', toBytes),
  ...inModules(builtins, 'complex', toComplex),
  ...inModules(['_codecs'], 'encode', toBytes),
  ...inModules(['copyreg', 'copy_reg'], '_reconstructor', reconstruct),
  ...numpyCores.flatMap((core) => [
    ...inModules([`${core}.multiarray`], '_reconstruct', () => new NumpyArray()),
    ...inModules([`${core}.multiarray`], 'scalar', numpyScalar),
    ...inModules([`${core}.numeric`], '_frombuffer', numpyFromBuffer),
  ]),
]);
