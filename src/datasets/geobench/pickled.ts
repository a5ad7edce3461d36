import { InputError } from '../../errors.js';
import { corruptData, unsafe } from '../../io/format-error.js';
import type { InertPickle } from '../../io/pickle-attribute.js';
import { NumpyArray, PickleObject, PickleTuple, entry, isMap, type PickleValue } from '../../io/pickle.js';
import type { Affine } from '../sample.js';

/**
 * Attributes of a dict or of an object, by name.
 * @throws InputError UNSAFE if the pickle names what runs code where pickles are executed; CORRUPT_DATA if it holds neither
 */
export function members({ value, dangerous }: InertPickle, what: string, where: string): PickledMembers {
  if (dangerous.length > 0)
    throw unsafe(where, `The pickle with the ${what} names ${dangerous.join(', ')}, which no data needs.`);
  const attributes = value instanceof PickleObject ? value.state : value;
  if (isMap(attributes)) return attributes;
  throw corruptData(where, `The pickle holds no ${what}.`);
}

export type PickledMembers = ReadonlyMap<PickleValue, PickleValue>;

/** Items of a list or tuple; undefined for anything else. */
export function itemsOf(value: PickleValue | undefined): readonly PickleValue[] | undefined {
  if (value instanceof PickleTuple) return value.items;
  return Array.isArray(value) ? (value as readonly PickleValue[]) : undefined;
}

/** A number, also one of NumPy's; undefined for anything else. */
export function numberOf(value: PickleValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  const isScalar = typeof value === 'object' && value !== null && 'kind' in value;
  if (isScalar && value.kind === 'numpy-scalar') return Number(value.value);
  return undefined;
}

/** Numbers of a list, tuple or array of NumPy; undefined for anything else. */
export function numbersIn(value: PickleValue | undefined): readonly number[] | undefined {
  if (value instanceof NumpyArray) {
    const numbers = Array.from(value.data, (item) => numberOf(item));
    return numbers.some((item) => item === undefined) ? undefined : (numbers as number[]);
  }
  const numbers = itemsOf(value)?.map(numberOf);
  return numbers && !numbers.includes(undefined) ? (numbers as number[]) : undefined;
}

/** Texts of a list or tuple; undefined for anything else. */
export function textsIn(value: PickleValue | undefined): readonly string[] | undefined {
  const items = itemsOf(value);
  return items?.every((item) => typeof item === 'string') ? items : undefined;
}

/** Name of an object's class, without its module: three generations of modules hold the same classes. */
export const className = (value: PickleValue | undefined): string | null =>
  value instanceof PickleObject ? value.type.name : null;

export const attribute = (value: PickleValue | undefined, name: string): PickleValue | undefined =>
  entry(value instanceof PickleObject ? value.state : value, name);

/** `YYYY-MM-DD` of a pickled date or time, or of a text that begins so; null: none. */
export function dateOf(value: PickleValue | undefined): string | null {
  if (typeof value === 'string') return /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0] ?? null;
  if (!(value instanceof PickleObject) || value.type.module !== 'datetime') return null;
  const [state] = value.args; // year in two bytes, month, day, then the time of day
  if (!(state instanceof Uint8Array) || state.length < 4) return null;
  const [high, low, month, day] = state as unknown as [number, number, number, number];
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${String(high * 256 + low).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

/** The six numbers of a pickled Affine, whichever way its version pickles itself; null: none. */
export function affineOf(value: PickleValue | undefined): Affine | null {
  if (!(value instanceof PickleObject)) return null;
  const named = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => numberOf(attribute(value, name)));
  const stated = numbersIn(value.state);
  const given = value.args.length > 0 ? value.args.map(numberOf) : (stated ?? named);
  const six = given.slice(0, 6);
  return six.length === 6 && !six.includes(undefined) ? (six as unknown as Affine) : null;
}

/** `EPSG:n` where the text says so, else the text (WKT); null: none. */
export function crsOf(value: PickleValue | undefined): string | null {
  const text =
    value instanceof PickleObject
      ? [value.state, ...value.args].find((part) => typeof part === 'string')
      : value;
  return typeof text === 'string' && text !== '' ? (epsgOf(text) ?? text) : null;
}

/** The code of the whole system: of WKT the last one that stands on the outermost level. */
function epsgOf(text: string): string | undefined {
  const plain = /^epsg:(\d+)$/i.exec(text.trim());
  if (plain) return `EPSG:${plain[1]!}`;
  const outer = /(?:AUTHORITY\["EPSG","|ID\["EPSG",)(\d+)"?\]\s*\]\s*$/.exec(text);
  return outer ? `EPSG:${outer[1]!}` : undefined;
}

/** What a file lacks that it has to have. */
export const missing = (what: string, where: string, hint: string): InputError =>
  new InputError('SAMPLE_INCOMPLETE', `The file has no ${what}.`, { where, hint });
