import { inspect } from 'node:util';
import { GondwanaError, type ErrorData } from '../../errors.js';

/** What is told of an error. Members of what a cell throws may be of any type, or accessors that throw themselves. */
export interface Thrown {
  /** The code of an error of the library, else the name of the error or of its class. */
  readonly name: string;
  /** Its member `name`. */
  readonly errorName: string;
  readonly message: string;
  /** Empty where there is none. */
  readonly stack: string;
  readonly cause: unknown;
  /** Of an AggregateError. */
  readonly parts: readonly unknown[];
  /** Where it is an error of the library, also of the copy that a project has of its own. */
  readonly told: Omit<ErrorData, 'exitCode'> | undefined;
  /** Members beside the usual ones, such as `code` of Node's errors, as text; empty where there are none. */
  readonly fields: string;
}

/** Characters of a message; a notebook with more opens slowly. */
const LONGEST_MESSAGE = 20_000;
const FIELDS = 8;

export function readThrown(error: Error): Thrown {
  const read = (name: string): unknown =>
    attempt(() => (error as unknown as Record<string, unknown>)[name], undefined);
  const text = (name: string): string => {
    const value = read(name);
    return typeof value === 'string' ? value : '';
  };
  const given = read('message');
  const message = clipped(typeof given === 'string' || given === undefined ? (given ?? '') : shown(given));
  const told = libraryError(error, read, message);
  const parts: unknown = attempt(() => error instanceof AggregateError, false) ? read('errors') : [];
  return {
    name: told?.code ?? nameOf(text('name'), read('constructor')),
    errorName: text('name'),
    message,
    stack: text('stack'),
    cause: read('cause'),
    parts: Array.isArray(parts) ? (parts as unknown[]) : [],
    told,
    fields: told ? '' : attempt(() => fieldsOf(error), ''),
  };
}

/** Whether a value is an error, of any realm. */
export const isError = (value: unknown): value is Error =>
  attempt(
    () =>
      value instanceof Error ||
      (typeof value === 'object' &&
        value !== null &&
        Object.prototype.toString.call(value) === '[object Error]' &&
        typeof (value as Error).message === 'string'),
    false,
  );

/** The value as `inspect` writes it, also where it does not let itself be looked at. */
export function shown(value: unknown, depth = 2): string {
  const plain = `[${typeof value}]`;
  return clipped(attempt(() => inspect(value, { depth }), plain));
}

function clipped(text: string): string {
  const more = text.length - LONGEST_MESSAGE;
  return more <= 0 ? text : `${text.slice(0, LONGEST_MESSAGE)}… (${more} more characters)`;
}

function attempt<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

function libraryError(error: Error, read: (name: string) => unknown, message: string): Thrown['told'] {
  if (attempt(() => error instanceof GondwanaError, false)) {
    const { code, where, hint } = error as GondwanaError;
    return { code, message, where, hint };
  }
  const [code, where, hint] = ['code', 'where', 'hint'].map(read);
  const isOurs = typeof code === 'string' && typeof where === 'string' && typeof hint === 'string';
  return isOurs && read('exitCode') !== undefined ? { code, message, where, hint } : undefined;
}

function nameOf(name: string, constructor: unknown): string {
  const own = attempt(() => (constructor as { name?: unknown } | undefined)?.name, undefined);
  // a class that extends Error and sets no name of its own is better known by the class
  const isUnnamed = (name === '' || name === 'Error') && typeof own === 'string' && own !== 'Object';
  return isUnnamed && own !== '' ? own : name || 'Error';
}

const USUAL = ['stack', 'message', 'cause', 'errors', 'name'];

function fieldsOf(error: Error): string {
  const fields = Object.keys(error).flatMap((key): [string, unknown][] => {
    if (USUAL.includes(key)) return [];
    const value = attempt(() => (error as unknown as Record<string, unknown>)[key], undefined);
    return typeof value === 'function' ? [] : [[key, value]];
  });
  if (fields.length === 0) return '';
  return inspect(Object.fromEntries(fields.slice(0, FIELDS)), {
    depth: 1,
    breakLength: 100,
    compact: 3,
    maxStringLength: 1000,
  });
}
