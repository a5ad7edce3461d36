import { TensorEntry, type TensorData } from '../../checkpoints/tensor-entry.js';
import { NumpyArray, PickleObject, PickleTuple } from '../../io/pickle.js';

/** A value as `expected.json` spells it: plain JSON, or an object whose one key starts with `$`. */
export type Expected = null | boolean | number | string | { readonly [key: string]: unknown };

/** The objects of `expected.json`, one of whose `$` members is there. */
interface Parts {
  readonly $dict: readonly (readonly [Expected, Expected])[];
  readonly $list: readonly Expected[];
  readonly $tuple: readonly Expected[];
  readonly $set: readonly Expected[];
  readonly $bytes: readonly number[];
  readonly $int: string;
  readonly $complex: readonly number[];
  readonly $tensor: ExpectedArray;
  readonly $ndarray: ExpectedArray;
  readonly $numpy_scalar: { readonly dtype: string; readonly value: number };
  readonly $opaque: string;
  readonly args?: readonly Expected[];
  readonly state?: Expected;
}

interface ExpectedArray {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values: readonly (number | string)[];
  readonly parameter?: boolean;
}

interface Options {
  /** Keys of the outermost dict in any order. */
  readonly anyOrder?: boolean;
  readonly ignoreParameter?: boolean;
}

/** Paths at which what was read differs from what is expected; numbers must be equal to the last bit. */
export function differences(actual: unknown, expected: Expected, options: Options = {}, at = ''): string[] {
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(actual, expected) ? [] : [`${at}: ${String(actual)} for ${String(expected)}`];
  }
  const parts = expected as Partial<Parts>;
  const list = (got: unknown, wanted: readonly Expected[]): string[] =>
    Array.isArray(got) && got.length === wanted.length
      ? wanted.flatMap((item, i) => differences(got[i], item, {}, `${at}[${i}]`))
      : [`${at}: no list of ${wanted.length}`];
  if (parts.$dict !== undefined) return dict(actual, parts.$dict, options, at);
  if (parts.$list !== undefined) return list(actual, parts.$list);
  if (parts.$tuple !== undefined)
    return list(actual instanceof PickleTuple && [...actual.items], parts.$tuple);
  if (parts.$set !== undefined) return list(actual instanceof Set && [...actual], parts.$set);
  if (parts.$bytes !== undefined) return list(actual instanceof Uint8Array && [...actual], parts.$bytes);
  if (parts.$int !== undefined) return actual === BigInt(parts.$int) ? [] : [`${at}: ${String(actual)}`];
  if (parts.$complex !== undefined) {
    const { re, im } = actual as { re: number; im: number };
    return list([re, im], parts.$complex);
  }
  if (parts.$tensor !== undefined) return tensor(actual, parts.$tensor, options, at);
  if (parts.$ndarray !== undefined) {
    const array = actual as NumpyArray;
    const { dtype, shape, values } = parts.$ndarray;
    if (!(array instanceof NumpyArray) || array.dtype !== dtype) return [`${at}: no ${dtype} array`];
    return [...list([...array.shape], shape), ...sameValues(array.data as TensorData, values, at)];
  }
  if (parts.$numpy_scalar !== undefined) {
    const { dtype, value } = actual as { dtype: string; value: number | bigint };
    const wanted = parts.$numpy_scalar;
    return dtype === wanted.dtype && Number(value) === wanted.value ? [] : [`${at}: ${dtype} ${value}`];
  }
  if (parts.$opaque !== undefined) {
    if (!(actual instanceof PickleObject)) return [`${at}: not opaque`];
    const args = actual.args[0] instanceof PickleTuple ? actual.args[0].items : actual.args;
    return [
      ...(actual.type.fullName === parts.$opaque ? [] : [`${at}: ${actual.type.fullName}`]),
      ...(parts.args ? list([...args], parts.args) : []),
      ...(parts.state ? differences(actual.state, parts.state, {}, `${at}.state`) : []),
    ];
  }
  return [`${at}: the runner does not know ${Object.keys(parts).join()}`];
}

function dict(
  actual: unknown,
  wanted: readonly (readonly [Expected, Expected])[],
  { anyOrder }: Options,
  at: string,
): string[] {
  if (!(actual instanceof Map) || actual.size !== wanted.length)
    return [`${at}: no dict of ${wanted.length}`];
  const got = [...actual.entries()];
  return wanted.flatMap(([key, value], i) => {
    const entry = anyOrder ? got.find(([name]) => name === key) : got[i];
    return entry?.[0] === key
      ? differences(entry[1], value, {}, `${at}/${String(key)}`)
      : [`${at}: ${String(key)} is missing`];
  });
}

function tensor(actual: unknown, wanted: ExpectedArray, { ignoreParameter }: Options, at: string): string[] {
  if (!(actual instanceof TensorEntry)) return [`${at}: no tensor`];
  const { dtype, shape, isParameter } = actual;
  const isSame = dtype === wanted.dtype && shape.join() === wanted.shape.join();
  const isKind = ignoreParameter || isParameter === Boolean(wanted.parameter);
  if (!isSame || !isKind) return [`${at}: ${dtype} [${shape.join()}] parameter ${isParameter}`];
  const data = actual.read();
  if (dtype === 'bool') return sameValues(data, wanted.values.map(Number), at);
  return sameValues(data, wanted.values, at);
}

/** `"NaN"` and the infinities are texts, and so are whole numbers beyond 2^53. */
function sameValues(data: TensorData, wanted: readonly (number | string)[], at: string): string[] {
  if (data.length !== wanted.length) return [`${at}: ${data.length} values for ${wanted.length}`];
  const isBig = data instanceof BigInt64Array || data instanceof BigUint64Array;
  const wrong = wanted.findIndex((value, i) => !Object.is(data[i], isBig ? BigInt(value) : Number(value)));
  return wrong < 0 ? [] : [`${at}[${wrong}]: ${data[wrong]} for ${wanted[wrong]}`];
}
