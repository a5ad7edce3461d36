import type { SchemaElement, SchemaTree } from 'hyparquet';
import type { ParquetValue } from './parquet-value.js';

/** What a stored number stands for; the reader below would round it. */
export type Meaning =
  | { readonly kind: 'decimal'; readonly scale: number }
  | { readonly kind: 'date' }
  | { readonly kind: 'time'; readonly unit: TimeUnit; readonly isUtc: boolean };

type TimeUnit = 'MILLIS' | 'MICROS' | 'NANOS';

/** Digits behind the second. */
const DIGITS: Readonly<Record<TimeUnit, number>> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

/** What to do with the numbers of a column, or undefined where they are what they are. */
export function meaningOf({
  converted_type: old,
  logical_type: type,
  scale,
}: SchemaElement): Meaning | undefined {
  if (old === 'DECIMAL' || type?.type === 'DECIMAL') {
    const digits = type?.type === 'DECIMAL' ? type.scale : scale;
    return { kind: 'decimal', scale: digits ?? 0 };
  }
  if (old === 'DATE' || type?.type === 'DATE') return { kind: 'date' };
  if (type?.type === 'TIMESTAMP') return { kind: 'time', unit: type.unit, isUtc: type.isAdjustedToUTC };
  if (old === 'TIMESTAMP_MILLIS' || old === 'TIMESTAMP_MICROS')
    return { kind: 'time', unit: old === 'TIMESTAMP_MILLIS' ? 'MILLIS' : 'MICROS', isUtc: true };
  return undefined;
}

/** The element as a plain number or bytes. */
export function withoutMeaning(element: SchemaElement): SchemaElement {
  const { converted_type: _, logical_type: __, ...plain } = element;
  return plain;
}

/** 64-bit integers as numbers where a number holds them exactly, in lists and groups too. */
export function plainValue(value: ParquetValue): ParquetValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return (value as readonly ParquetValue[]).map(plainValue);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, plainValue(field as ParquetValue)]),
  );
}

/** Values of a column with their meanings; nulls are null. `meanings` by path, joined with dots. */
export function interpret(
  value: unknown,
  node: SchemaTree,
  meanings: ReadonlyMap<string, Meaning>,
): ParquetValue {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof Uint8Array))) {
    const inside = listItem(node);
    return Array.from(value as ArrayLike<unknown>, (item) => interpret(item, inside, meanings));
  }
  if (typeof value === 'object' && !(value instanceof Uint8Array)) {
    const fields = Object.entries(value).map(([name, field]): [string, ParquetValue] => {
      const child = node.children.find(({ element }) => element.name === name);
      return [name, interpret(field, child ?? node, meanings)];
    });
    return Object.fromEntries(fields);
  }
  const leaf = node.children.length === 1 ? listItem(node) : node;
  const meaning = meanings.get(leaf.path.join('.'));
  return meaning ? spell(value as number | bigint | Uint8Array, meaning) : (value as ParquetValue);
}

/** Lists are written as a group that repeats a group of one: what is inside the two. */
function listItem(node: SchemaTree): SchemaTree {
  let inside = node;
  while (inside.children.length === 1 && inside.element.repetition_type !== 'REPEATED')
    inside = inside.children[0]!;
  if (inside.element.repetition_type === 'REPEATED' && inside.children.length === 1)
    inside = inside.children[0]!;
  return inside;
}

function spell(value: number | bigint | Uint8Array, meaning: Meaning): string {
  const whole = value instanceof Uint8Array ? bigEndian(value) : BigInt(value);
  switch (meaning.kind) {
    case 'decimal':
      return spellDecimal(whole, meaning.scale);
    case 'date':
      return spellDay(whole);
    case 'time':
      return spellTime(whole, meaning.unit, meaning.isUtc);
  }
}

/** Two's complement, highest byte first. */
function bigEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

function spellDecimal(value: bigint, scale: number): string {
  if (scale <= 0) return String(value * 10n ** BigInt(-scale));
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const DAY_MS = 86_400_000;

/** Beyond the years that dates of JavaScript know, the number of days since 1970. */
function spellDay(days: bigint): string {
  const date = new Date(Number(days) * DAY_MS);
  return Number.isNaN(date.getTime()) ? `${days} days since 1970` : date.toISOString().replace(/T.*/, '');
}

/** Nanoseconds since 1970, as the oldest writers store times. */
export const spellNanoseconds = (value: bigint): string => spellTime(value, 'NANOS', false);

function spellTime(value: bigint, unit: TimeUnit, isUtc: boolean): string {
  const perSecond = 10n ** BigInt(DIGITS[unit]);
  let seconds = value / perSecond;
  let rest = value % perSecond;
  if (rest < 0n) {
    seconds -= 1n;
    rest += perSecond;
  }
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return `${value} ${unit.toLowerCase()} since 1970`;
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(DIGITS[unit], '0').replace(/0+$/, '')}`;
  return `${date.toISOString().replace(/\.\d+Z$/, '')}${fraction}${isUtc ? 'Z' : ''}`;
}
