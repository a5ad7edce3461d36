import { InputError } from '../../errors.js';
import type { NumericArray } from '../numeric-array.js';
import { RunningStatistics, type Statistics } from '../statistics.js';

/** A plain value, as JSON has it; integers beyond 2^53 are texts. */
export type Fact = null | boolean | number | string | readonly Fact[] | { readonly [name: string]: Fact };

/** What a file is and what is in it, as plain values. */
export interface FileDescription {
  /** `GeoTIFF`, `HDF5`, `dataset`, `column`, … */
  readonly kind: string;
  /** Name of a part inside its container; absent for the file itself. */
  readonly name?: string;
  /** Shape, type, CRS, transform, nodata, …, in the order of printing. */
  readonly facts: Readonly<Record<string, Fact>>;
  /** Statistics of bands, or of the array as a whole: one row each. */
  readonly bands?: readonly BandDescription[];
  /** What lies inside: datasets, members, items, columns, tensors. */
  readonly parts?: readonly FileDescription[];
  /** What was left out, and what is wrong with a part, in words. */
  readonly notes?: readonly string[];
}

export interface BandDescription extends Partial<Statistics> {
  readonly name: string;
  /** Values that nodata, a mask or alpha hide; the statistics leave them out. */
  readonly hidden?: number;
  readonly unit?: string;
  /** value = stored · scale + offset, where the file states it; statistics are of what is stored. */
  readonly scale?: number;
  readonly offset?: number;
}

export interface DescribeOptions {
  /** Whether numbers are read for their statistics; default true. */
  readonly statistics?: boolean;
  /** Largest array whose statistics are taken, in bytes; default 256 MiB. */
  readonly maxBytes?: number;
  /** Parts of one container that are described; the others are counted in a note. Default 200. */
  readonly maxParts?: number;
  readonly signal?: AbortSignal;
}

/** Describes files of one kind. @throws InputError what the reader of that kind throws */
export type Describer = (file: string, options?: DescribeOptions) => Promise<FileDescription>;

const MAX_BYTES = 256 * 2 ** 20;
const MAX_PARTS = 200;

/** Whether an array of so many bytes is read for its statistics. */
export const wantsStatistics = (
  bytes: number,
  { statistics = true, maxBytes = MAX_BYTES }: DescribeOptions,
): boolean => statistics && bytes <= maxBytes;

/** Statistics over the whole array; of 64-bit integers those that are exact as numbers. */
export function describeNumbers({ data, type }: NumericArray, name = 'all'): BandDescription {
  const statistics = new RunningStatistics(!type.startsWith('float'));
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    statistics.add(Array.from(data, Number));
  else statistics.add(data);
  return { name, ...statistics.result() };
}

/** The first parts, and a note about the others. */
export function firstParts<T>(
  all: readonly T[],
  { maxParts = MAX_PARTS }: DescribeOptions,
  what: string,
): { chosen: readonly T[]; notes: string[] } {
  const left = all.length - maxParts;
  return { chosen: all.slice(0, maxParts), notes: left > 0 ? [`${left} more ${what} are not shown`] : [] };
}

/** A part that cannot be read is named with its fault, and the others are shown. @throws what is no fault of the input */
export async function describePart(
  kind: string,
  name: string,
  describe: () => FileDescription | Promise<FileDescription>,
): Promise<FileDescription> {
  try {
    return await describe();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { kind, name, facts: {}, notes: [`${error.code}: ${error.message}`] };
  }
}

/** Values of attributes and cells: long ones are cut, what is no plain value is named. */
export function factOf(value: unknown, depth = 0): Fact {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'string')
    return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)} … (${value.length} letters)` : value;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (depth > 3) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => factOf(item, depth + 1));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length} in all`] : items;
  }
  if (value instanceof Map) return factOf(Object.fromEntries(value), depth);
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([name, field]) => [name, factOf(field, depth + 1)]));
}

const MAX_TEXT = 200;
const MAX_ITEMS = 24;
