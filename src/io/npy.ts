import { FileSource, MemorySource, readHead, type ByteSource } from './byte-source.js';
import {
  badHeader,
  corruptData,
  notTheFormat,
  tooLarge,
  truncated,
  unsafe,
  unsupported,
} from './format-error.js';
import {
  bytesOfType,
  elementCount,
  fromFortranOrder,
  numbersOf,
  swapBytes,
  typeOfNumpyCode,
  type NumericArray,
  type NumericData,
  type NumericType,
} from './numeric-array.js';
import { LiteralFault, parsePythonLiteral, type PythonLiteral } from './python-literal.js';
import { SNIFF_BYTES } from './sniff.js';

/** A NumPy array in C order. */
export type NpyArray = NumericArray;
export type NpyData = NumericData;

export interface NpyOptions {
  /** Largest array that is read, in bytes; default 4 GiB. */
  readonly maxBytes?: number;
}

/** What the header of a `.npy` file states. */
export interface NpyHeader {
  readonly shape: readonly number[];
  /** NumPy's type, such as `<f4`; a structured type as Python prints it. */
  readonly descr: string;
  readonly isFortran: boolean;
  /** Where the numbers start. */
  readonly start: number;
}

const MAGIC = '\x93NUMPY';
/** Header texts are short; a longer one is a claim, not a header. */
const MAX_HEADER_BYTES = 65_536;
const MAX_BYTES = 4 * 2 ** 30;
const MAX_AXES = 64;

/**
 * Reads a `.npy` file, format 1.0 to 3.0, whole. Byte order and Fortran order are undone.
 * @throws InputError EMPTY_FILE, NOT_NPY, TRUNCATED, CORRUPT_DATA (bytes too many), BAD_HEADER, TOO_LARGE, UNSUPPORTED
 *   (texts, dates, structures, complex numbers), UNSAFE (objects: pickles), FILE_MISSING, NO_PERMISSION, NOT_A_FILE
 */
// eslint-disable-next-line @typescript-eslint/require-await -- what fails is a rejection
export async function readNpy(file: string, options: NpyOptions = {}): Promise<NpyArray> {
  const source = FileSource.open(file);
  try {
    return readNpyFrom(source, options);
  } finally {
    source.close();
  }
}

/** As `readNpy`, of bytes in memory. @param where file that errors name */
export const parseNpy = (bytes: Uint8Array, where: string): NpyArray =>
  readNpyFrom(new MemorySource(bytes, where));

/** As `readNpy`, of any bytes. */
export function readNpyFrom(source: ByteSource, options: NpyOptions = {}): NpyArray {
  const header = readNpyHeader(source);
  const { type, isBigEndian } = requireNumeric(header.descr, source.where);
  const { shape, start } = header;
  const length = bodyLength(shape, bytesOfType(type), source, start, options);
  const bytes = new Uint8Array(length); // a copy, aligned
  if (source.readInto(bytes, start) < length)
    throw truncated(source.where, 'The file became shorter while it was read.');
  if (isBigEndian) swapBytes(bytes, bytesOfType(type));
  const stored = numbersOf(bytes, type);
  return { shape, type, isBigEndian, data: header.isFortran ? fromFortranOrder(stored, shape) : stored };
}

/**
 * Texts of a `.npy` file (NumPy's types `U` and `S`), in C order.
 * @throws InputError as `readNpy`, UNSUPPORTED where it holds no texts
 */
export function readNpyTexts(
  file: string,
  options: NpyOptions = {},
): { shape: readonly number[]; texts: string[] } {
  const source = FileSource.open(file);
  try {
    const { descr, shape, start, isFortran } = readNpyHeader(source);
    const [, order, kind, letters] = /^([<>|=])([US])(\d+)$/.exec(descr) ?? [];
    if (!kind || (isFortran && shape.length > 1))
      throw unsupported(source.where, `The array is of type ${descr}, which is no text in C order.`);
    const width = Number(letters) * (kind === 'U' ? 4 : 1);
    const bytes = source.read(start, bodyLength(shape, width, source, start, options));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const texts = Array.from({ length: elementCount(shape) }, (_, item) => {
      if (kind === 'S')
        return new TextDecoder().decode(bytes.subarray(item * width, (item + 1) * width)).replace(/\0+$/, '');
      let text = '';
      for (let at = item * width; at < (item + 1) * width; at += 4) {
        const code = view.getUint32(at, order !== '>');
        if (code > 0x10ffff) throw corruptData(source.where, `Text ${item} holds no letters.`);
        text += String.fromCodePoint(code);
      }
      return text.replace(/\0+$/, '');
    });
    return { shape, texts };
  } finally {
    source.close();
  }
}

/** Reads and checks the header only. @throws InputError EMPTY_FILE, NOT_NPY, TRUNCATED, BAD_HEADER, UNSUPPORTED (version) */
export function readNpyHeader(source: ByteSource): NpyHeader {
  const { where, size } = source;
  const head = readHead(source, SNIFF_BYTES);
  if (Buffer.from(head.subarray(0, 6)).toString('latin1') !== MAGIC) {
    if (size > 0 && size < 6 && MAGIC.startsWith(Buffer.from(head).toString('latin1')))
      throw truncated(where, 'The file ends inside its first bytes.');
    throw notTheFormat('NOT_NPY', 'NumPy array', head, size, where);
  }
  const major = head[6] ?? 1;
  if (major < 1 || major > 3)
    throw unsupported(
      where,
      `The array is in format ${major}; 1, 2 and 3 are read.`,
      'Write it again with numpy.save.',
    );
  const start = major === 1 ? 10 : 12;
  if (size < start) throw truncated(where, 'The file ends before its header.');
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (start + length > size)
    throw truncated(where, `The header claims ${length} bytes, and ${size - start} are there.`);
  if (length > MAX_HEADER_BYTES)
    throw badHeader(where, `The header claims ${length} bytes; it is a line of text.`);
  const bytes = source.read(start, length);
  const text = new TextDecoder(major === 3 ? 'utf-8' : 'latin1').decode(bytes);
  return { ...parseHeader(text, where), start: start + length };
}

function parseHeader(text: string, where: string): Omit<NpyHeader, 'start'> {
  let header: PythonLiteral;
  try {
    header = parsePythonLiteral(text);
  } catch (cause) {
    if (!(cause instanceof LiteralFault)) throw cause;
    throw badHeader(where, `The header cannot be read: ${cause.message}.`, cause);
  }
  if (!(header instanceof Map)) throw badHeader(where, 'The header is no dict.');
  const order: unknown = header.get('fortran_order');
  const shape: unknown = header.get('shape');
  const descr: unknown = header.get('descr');
  if (
    typeof order !== 'boolean' ||
    !Array.isArray(shape) ||
    (typeof descr !== 'string' && !Array.isArray(descr))
  )
    throw badHeader(where, `The header does not state type, order and shape: ${text.trim().slice(0, 120)}`);
  if (shape.length > MAX_AXES) throw badHeader(where, `The header claims ${shape.length} axes.`);
  for (const size of shape as unknown[]) {
    const isSize = typeof size === 'bigint' ? size >= 0n : Number.isInteger(size) && (size as number) >= 0;
    if (!isSize) throw badHeader(where, `The header claims an axis of ${String(size)}.`);
  }
  return {
    shape: (shape as (number | bigint)[]).map(Number),
    descr: typeof descr === 'string' ? descr : (/'descr'\s*:\s*(\[.*\])/.exec(text)?.[1] ?? 'a structure'),
    isFortran: order,
  };
}

function requireNumeric(descr: string, where: string): { type: NumericType; isBigEndian: boolean } {
  const [, order, code] = /^([<>|=]?)([a-zA-Z]\d*)/.exec(descr) ?? [];
  const type =
    code === undefined || code.length !== descr.length - order!.length ? undefined : typeOfNumpyCode(code);
  if (type) return { type, isBigEndian: order === '>' };
  if (code?.startsWith('O')) {
    throw unsafe(
      where,
      'The array holds objects, which are a pickle: a program that runs when it is opened.',
      'Nothing was run. Save numbers with numpy.save(…, allow_pickle=False).',
    );
  }
  const kind = KINDS.get(code?.charAt(0) ?? '') ?? 'a structure';
  throw unsupported(
    where,
    `The array is of type ${descr.slice(0, 200)}: ${kind}, not plain numbers.`,
    [
      'Save numbers or booleans; real and imaginary parts, fields, dates as days go into arrays of their own.',
    ].join(''),
  );
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['c', 'complex numbers'],
  ['U', 'text'],
  ['S', 'text'],
  ['a', 'text'],
  ['V', 'a structure'],
  ['M', 'dates'],
  ['m', 'durations'],
  ['f', 'extended floats'],
  ['g', 'extended floats'],
]);

/** Length of the numbers, which must be all that is left of the file. */
function bodyLength(
  shape: readonly number[],
  bytesEach: number,
  { where, size }: ByteSource,
  start: number,
  { maxBytes = MAX_BYTES }: NpyOptions,
): number {
  const length = elementCount(shape) * bytesEach;
  const left = size - start;
  const claim = `Shape (${shape.join(', ')}) needs ${length} bytes, and the file has ${left}.`;
  if (!Number.isSafeInteger(length) || length > left) throw truncated(where, claim);
  if (length < left) throw corruptData(where, claim);
  if (length > maxBytes)
    throw tooLarge(where, `The array has ${length} bytes; the limit here is ${maxBytes}.`);
  return length;
}
