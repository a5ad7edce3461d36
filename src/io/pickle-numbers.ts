import { PickleFault, type PickleInput } from './pickle-input.js';
import type { PickleValue } from './pickle-values.js';

/** How numbers and texts are spelt in pickles. A PickleFault is a spelling that none allows. */

const utf8 = new TextDecoder('utf-8', { fatal: true });
const MAX_DIGITS = 4300; // as Python has it: the time to read decimal digits grows with their square
const MAX_LONG_BYTES = 2 ** 16;

/** Unsigned little-endian number of 2, 4 or 8 bytes, as a length or index. */
export function readUnsigned(input: PickleInput, size: 2 | 4 | 8): number {
  let value = 0;
  for (let i = 0, weight = 1; i < size; i++, weight *= 256) value += input.byte() * weight;
  if (value > Number.MAX_SAFE_INTEGER) throw new PickleFault(`a length of ${value} bytes is impossible`);
  return value;
}

export function readFloat64(input: PickleInput): number {
  const bytes = input.bytes(8);
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, false);
}

const simplest = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : value;

/** Two's complement, little-endian; no bytes are 0. */
export function decodeLong(bytes: Uint8Array): number | bigint {
  if (bytes.length > MAX_LONG_BYTES) throw new PickleFault(`a whole number has ${bytes.length} bytes`);
  if (bytes.length === 0) return 0;
  const hex = Buffer.from(bytes).reverse().toString('hex');
  return simplest(BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`)));
}

export const decodeText = (bytes: Uint8Array): string => decodeUtf8(bytes).replace(/\r$/, '');

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // Python writes lone surrogates (surrogatepass); they come out as U+FFFD
    if (
      Buffer.from(bytes)
        .toString('latin1')
        .match(/\u00ed[\u00a0-\u00bf]/)
    )
      return new TextDecoder().decode(bytes);
    throw new PickleFault('a text is not UTF-8');
  }
}

/** Byte strings of Python 2: text where they are UTF-8, else bytes. */
export function decodeBinaryText(bytes: Uint8Array): string | Uint8Array {
  try {
    return utf8.decode(bytes);
  } catch {
    return new Uint8Array(bytes);
  }
}

export function parseIntText(line: Uint8Array): number | bigint | boolean {
  const text = decodeText(line);
  if (text === '00') return false;
  if (text === '01') return true;
  return parseWhole(text);
}

export const parseLongText = (line: Uint8Array): number | bigint =>
  parseWhole(decodeText(line).replace(/L$/, ''));

function parseWhole(text: string): number | bigint {
  if (!/^\s*[+-]?\d+\s*$/.test(text) || text.length > MAX_DIGITS)
    throw new PickleFault('a whole number is misspelt');
  return simplest(BigInt(text.trim().replace(/^\+/, '')));
}

export function parseFloatText(line: Uint8Array): number {
  const text = decodeText(line).trim();
  const special = { inf: Infinity, '-inf': -Infinity, nan: NaN };
  if (text === 'inf' || text === '-inf' || text === 'nan') return special[text];
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) throw new PickleFault('a number is misspelt');
  return Number(text);
}

/** A Python string literal in quotes, with its escapes. */
export function decodeQuotedText(line: Uint8Array): PickleValue {
  const text = Buffer.from(line).toString('latin1').replace(/\r$/, '');
  const quote = text[0];
  if (text.length < 2 || (quote !== "'" && quote !== '"') || text.at(-1) !== quote) {
    throw new PickleFault('a text has no quotes around it');
  }
  const escapes = new Map([...'abfnrtv'].map((letter, i) => [letter, '\x07\b\f\n\r\t\v'[i]!]));
  const plain = text.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|[^])/g, (_, code: string) => {
    if (code[0] === 'x' && code.length === 3) return String.fromCharCode(parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(parseInt(code, 8) & 255);
    return escapes.get(code) ?? (`\\'"`.includes(code) ? code : `\\${code}`);
  });
  return decodeBinaryText(Buffer.from(plain, 'latin1'));
}

/** Latin 1 with `\uXXXX` and `\UXXXXXXXX`. */
export function decodeRawUnicode(line: Uint8Array): string {
  const text = Buffer.from(line).toString('latin1').replace(/\r$/, '');
  return text.replace(/\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})/g, (_, short?: string, long?: string) =>
    String.fromCodePoint(parseInt(short ?? long!, 16)),
  );
}
