import type { ByteSource } from '../byte-source.js';
import { badHeader, corruptData, tooLarge } from '../format-error.js';
import type { Unpack } from './compression.js';
import { readThrift, ThriftFault, type ThriftStruct } from './thrift.js';

/** A column of a row group, as the footer states it. */
export interface ColumnChunk {
  readonly name: string;
  readonly start: number;
  readonly length: number;
  readonly valueCount: number;
  readonly maxRepetition: number;
  readonly maxDefinition: number;
  readonly isBoolean: boolean;
}

/** Values of a column in one row group; above, no table of this kind is meant. */
const MAX_VALUES = 100_000_000;
const MAX_PAGE_BYTES = 512 * 2 ** 20;
const HEADER_BYTES = 2 ** 16;

const [DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2] = [0, 2, 3];
const [PLAIN_DICTIONARY, RLE, RLE_DICTIONARY] = [2, 3, 8];

/**
 * Goes through the pages of a column before they are decoded: their sizes, and the lengths of the runs in them, which
 * the decoder takes at their word.
 * @throws InputError BAD_HEADER, CORRUPT_DATA, TOO_LARGE
 */
export function checkPages(source: ByteSource, chunk: ColumnChunk, unpack: Unpack, where: string): void {
  const { name, start, length, valueCount } = chunk;
  if (!(valueCount <= MAX_VALUES))
    throw tooLarge(
      where,
      `The column ${name} claims ${valueCount} values in one row group; the limit is ${MAX_VALUES}.`,
    );
  let valuesLeft = valueCount;
  for (let at = start; at < start + length - 1;) {
    const { header, headerLength } = readPageHeader(source, at, start + length - at, chunk, where);
    const packedLength = sizeOf(header.get(3));
    const plainLength = sizeOf(header.get(2));
    const kind = header.get(1);
    const fault = (message: string): Error => badHeader(where, `A page of the column ${name} ${message}.`);
    if (packedLength === undefined || plainLength === undefined) throw fault('has no length');
    if (at + headerLength + packedLength > start + length) throw fault('reaches past the end of the column');
    if (plainLength > MAX_PAGE_BYTES)
      throw tooLarge(where, `A page of the column ${name} unpacks to ${plainLength} bytes.`);
    const isV2 = kind === DATA_PAGE_V2;
    const details = header.get(kind === DATA_PAGE ? 5 : kind === DICTIONARY_PAGE ? 7 : 8);
    const count = details instanceof Map ? sizeOf((details as ThriftStruct).get(1)) : undefined;
    if (![DATA_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2].includes(kind as number) || count === undefined)
      throw fault('is of no known kind');
    if (kind === DICTIONARY_PAGE) {
      if (count > plainLength && !(chunk.isBoolean && count <= plainLength * 8))
        throw fault(`claims ${count} values in ${plainLength} bytes`);
    } else {
      valuesLeft -= count;
      if (valuesLeft < 0) throw fault('has more values than the column');
    }
    const body = source.read(at + headerLength, packedLength);
    try {
      if (isV2) checkPageV2(body, details as ThriftStruct, plainLength, count, chunk, unpack);
      else {
        const plain = unpack(body, plainLength);
        if (kind === DATA_PAGE) checkPage(plain, sizeOf((details as ThriftStruct).get(2)), count, chunk);
      }
    } catch (cause) {
      throw corruptData(
        where,
        `A page of the column ${name} cannot be decoded: ${(cause as Error).message}.`,
        cause,
      );
    }
    at += headerLength + packedLength;
  }
}

function readPageHeader(
  source: ByteSource,
  at: number,
  left: number,
  { name }: ColumnChunk,
  where: string,
): { header: ThriftStruct; headerLength: number } {
  const bytes = source.read(at, Math.min(left, HEADER_BYTES));
  try {
    const { value, end } = readThrift(bytes);
    return { header: value, headerLength: end };
  } catch (cause) {
    if (!(cause instanceof ThriftFault)) throw cause;
    throw badHeader(where, `A page of the column ${name} has no readable header: ${cause.message}.`, cause);
  }
}

const sizeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** Page of version 1: levels and values packed together, each run of levels with its length. */
function checkPage(page: Uint8Array, encoding: number | undefined, count: number, chunk: ColumnChunk): void {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  let at = 0;
  let present = count;
  for (const [max, isDefinition] of [
    [chunk.maxRepetition, false],
    [chunk.maxDefinition, true],
  ] as const) {
    if (max === 0) continue;
    if (at + 4 > page.length) throw new Error('it ends before its levels');
    const length = view.getUint32(at, true);
    const equal = checkRuns(page, at + 4, at + 4 + length, bitsFor(max), count, max);
    if (isDefinition) present = equal;
    at += 4 + length;
  }
  checkValues(page, at, encoding, present, chunk);
}

/** Page of version 2: levels first, unpacked; then the values. */
function checkPageV2(
  body: Uint8Array,
  details: ThriftStruct,
  plainLength: number,
  count: number,
  chunk: ColumnChunk,
  unpack: Unpack,
): void {
  const definitionLength = sizeOf(details.get(5)) ?? 0;
  const repetitionLength = sizeOf(details.get(6)) ?? 0;
  const levels = definitionLength + repetitionLength;
  if (levels > body.length || levels > plainLength) throw new Error('its levels are longer than it');
  let present = count;
  if (chunk.maxRepetition > 0) checkRuns(body, 0, repetitionLength, bitsFor(chunk.maxRepetition), count, -1);
  if (chunk.maxDefinition > 0)
    present = checkRuns(
      body,
      repetitionLength,
      levels,
      bitsFor(chunk.maxDefinition),
      count,
      chunk.maxDefinition,
    );
  const packed = body.subarray(levels);
  const isPacked = details.get(7) !== false;
  const room = plainLength - levels;
  const values = isPacked && room > 0 ? unpack(packed, room) : packed;
  const nulls = sizeOf(details.get(2)) ?? 0;
  if (nulls > count || count - nulls > Math.max(present, 0)) throw new Error('it counts its nulls wrongly');
  checkValues(values, 0, sizeOf(details.get(4)), count - nulls, chunk);
}

function checkValues(
  page: Uint8Array,
  at: number,
  encoding: number | undefined,
  count: number,
  { isBoolean }: ColumnChunk,
): void {
  const isDictionary = encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY;
  if (count === 0 || (!isDictionary && encoding !== RLE)) return;
  // booleans have their length before them, numbers of a dictionary their width
  const width = isBoolean ? 1 : page[at]!;
  const start = at + (isBoolean ? 4 : 1);
  if (!(width <= 32)) throw new Error(`its values have ${width} bits`);
  if (width > 0) checkRuns(page, start, page.length, width, count, -1);
}

const bitsFor = (max: number): number => 32 - Math.clz32(max);

/**
 * Runs of repeated and of packed values; they must give `count` and no more than a packed group needs.
 * @returns how many of them are `wanted`
 */
function checkRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  width: number,
  count: number,
  wanted: number,
): number {
  if (end > bytes.length) throw new Error('its levels are longer than it');
  const valueBytes = (width + 7) >> 3;
  let at = start;
  let seen = 0;
  let found = 0;
  while (seen < count) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= end || shift > 28) throw new Error('a run in it does not end');
      const byte = bytes[at++]!;
      header += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    const length = Math.floor(header / 2);
    if (header % 2 === 0) {
      if (length > count - seen || length === 0)
        throw new Error(`a run of ${length} is longer than its values`);
      let value = 0;
      for (let i = 0; i < valueBytes; i++) value += (bytes[at++] ?? NaN) * 256 ** i;
      if (at > end || Number.isNaN(value)) throw new Error('a run in it is cut off');
      if (value === wanted) found += length;
      seen += length;
      continue;
    }
    // groups of eight; only the last may be longer than the values that are left
    if ((length - 1) * 8 >= count - seen || length === 0)
      throw new Error(`${length} packed groups are more than its values`);
    // the bytes of a last group may end with its last value
    const needed = Math.ceil((Math.min(length * 8, count - seen) * width) / 8);
    if (at + needed > end) throw new Error('packed values in it are cut off');
    if (wanted >= 0) {
      const values = Math.min(length * 8, count - seen);
      for (let i = 0, bit = at * 8; i < values; i++, bit += width) {
        let value = 0;
        for (let b = 0; b < width; b++) value += ((bytes[(bit + b) >> 3]! >> ((bit + b) & 7)) & 1) * 2 ** b;
        if (value === wanted) found++;
      }
    }
    at += length * width;
    seen += length * 8;
  }
  return found;
}
