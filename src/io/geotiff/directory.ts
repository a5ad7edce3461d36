import { InputError } from '../../errors.js';
import { badHeader, emptyFile, notTheFormat, truncated } from '../format-error.js';
import { SNIFF_BYTES } from '../sniff.js';
import type { HeadReader } from './raster-source.js';
import { PIXEL_TAGS, TYPE_BYTES, WHOLE_TYPES } from './tags.js';

interface Entry {
  readonly type: number;
  readonly count: number;
  /** Where the values lie in the file. */
  readonly at: number;
}

/** More pages than this are a chain that was made to keep a reader busy. */
const MAX_PAGES = 65_536;
/** Tags of all pages together: pages may overlap, so the size of the file is no bound. */
const MAX_TAGS = 1_000_000;

const UTF8 = new TextDecoder();

/** The directory of one page: its tags, read when asked for. */
export class Directory {
  constructor(
    private readonly source: HeadReader,
    readonly isLittleEndian: boolean,
    private readonly entries: ReadonlyMap<number, Entry>,
  ) {}

  has(tag: number): boolean {
    return this.entries.has(tag);
  }

  count(tag: number): number {
    return this.entries.get(tag)?.count ?? 0;
  }

  /** Bytes of a tag as they are stored. */
  bytes(tag: number): Uint8Array | undefined {
    const entry = this.entries.get(tag);
    return entry && this.source.read(entry.at, entry.count * TYPE_BYTES[entry.type]!);
  }

  /** Text of a tag with whatever zeros and blanks are at its end. */
  text(tag: number): string | undefined {
    const bytes = this.bytes(tag);
    return bytes && UTF8.decode(bytes);
  }

  /** Values `from` to `to` (all, if left out); integers past 2^53 come as the nearest double. */
  numbers(tag: number, from = 0, to = this.count(tag)): number[] | undefined {
    const entry = this.entries.get(tag);
    if (!entry) return undefined;
    const size = TYPE_BYTES[entry.type]!;
    const bytes = this.source.read(entry.at + from * size, (to - from) * size);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Array.from({ length: to - from }, (_, i) =>
      readValue(view, i * size, entry.type, this.isLittleEndian),
    );
  }

  /** The first value, or `missing` where the tag is not there. */
  number(tag: number, missing: number): number;
  number(tag: number): number | undefined;
  number(tag: number, missing?: number): number | undefined {
    return this.count(tag) > 0 ? this.numbers(tag, 0, 1)![0] : missing;
  }
}

function readValue(view: DataView, at: number, type: number, little: boolean): number {
  switch (type) {
    case 3:
      return view.getUint16(at, little);
    case 4:
    case 13:
      return view.getUint32(at, little);
    case 5:
      return view.getUint32(at, little) / view.getUint32(at + 4, little);
    case 6:
      return view.getInt8(at);
    case 8:
      return view.getInt16(at, little);
    case 9:
      return view.getInt32(at, little);
    case 10:
      return view.getInt32(at, little) / view.getInt32(at + 4, little);
    case 11:
      return view.getFloat32(at, little);
    case 12:
      return view.getFloat64(at, little);
    case 16:
    case 18:
      return Number(view.getBigUint64(at, little));
    case 17:
      return Number(view.getBigInt64(at, little));
    default:
      return view.getUint8(at);
  }
}

/**
 * The directories of all pages of a TIFF or BigTIFF, in file order.
 * @throws InputError EMPTY_FILE, NOT_A_RASTER, TRUNCATED, BAD_HEADER
 */
export function readDirectories(source: HeadReader): Directory[] {
  const { isLittleEndian: little, isBig, first } = readHeader(source);
  const bad = (message: string): Error => badHeader(source.where, message);
  if (first === 0) throw bad('The header names no page.');
  const seen = new Set<number>();
  const pages: Directory[] = [];
  let tags = 0;
  for (let at = first; at !== 0;) {
    if (seen.has(at)) throw bad(`The chain of pages loops: page ${pages.length} points back to byte ${at}.`);
    if (pages.length === MAX_PAGES) throw bad(`The chain has more than ${MAX_PAGES} pages.`);
    seen.add(at);
    const { entries, next } = readEntries(source, at, little, isBig);
    tags += entries.size;
    if (tags > MAX_TAGS) throw bad(`Its pages have more than ${MAX_TAGS} tags.`);
    pages.push(new Directory(source, little, entries));
    at = next;
  }
  return pages;
}

function readHeader(source: HeadReader): { isLittleEndian: boolean; isBig: boolean; first: number } {
  const { where: name, size } = source;
  const head = source.read(0, Math.min(size, SNIFF_BYTES));
  if (size === 0) throw emptyFile(name);
  const order = String.fromCharCode(head[0]!, head[1] ?? 0);
  const little = order === 'II';
  if ((!little && order !== 'MM') || size < 4) throw notATiff(name, head, size);
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const version = view.getUint16(2, little);
  if (version !== 42 && version !== 43) throw notATiff(name, head, size);
  const isBig = version === 43;
  if (size < (isBig ? 16 : 8)) throw truncated(name, `The file ends after ${size} bytes, inside its header.`);
  if (!isBig) return { isLittleEndian: little, isBig, first: view.getUint32(4, little) };
  if (view.getUint16(4, little) !== 8) {
    throw badHeader(name, `This BigTIFF claims offsets of ${view.getUint16(4, little)} bytes; they have 8.`);
  }
  return { isLittleEndian: little, isBig, first: Number(view.getBigUint64(8, little)) };
}

/** Other formats by their first bytes. */
const OTHERS: readonly (readonly [name: string, start: string])[] = [
  ['a PNG image', '\x89PNG'],
  ['a JPEG image', '\xff\xd8\xff'],
  ['a GIF image', 'GIF8'],
  ['an HDF5 file', '\x89HDF'],
  ['a ZIP archive', 'PK\x03\x04'],
  ['a NumPy array', '\x93NUMPY'],
  ['a JPEG 2000 image', '\x00\x00\x00\x0cjP'],
  ['a gzip file', '\x1f\x8b'],
];

function notATiff(where: string, head: Uint8Array, size: number): Error {
  const start = Buffer.from(head.subarray(0, 8)).toString('latin1');
  const other = OTHERS.find(([, magic]) => start.startsWith(magic));
  if (!other) return notTheFormat('NOT_A_RASTER', 'TIFF', head, size, where);
  return new InputError('NOT_A_RASTER', `This is no TIFF: it is ${other[0]}.`, {
    where,
    hint: 'Give it the extension of what it is, or fetch the TIFF.',
  });
}

function readEntries(
  source: HeadReader,
  at: number,
  little: boolean,
  isBig: boolean,
): { entries: Map<number, Entry>; next: number } {
  const { where: name, size } = source;
  const [countBytes, entryBytes, inlineBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
  const place = (view: DataView, where: number): number =>
    isBig ? Number(view.getBigUint64(where, little)) : view.getUint32(where, little);
  const viewOf = (where: number, length: number): DataView => {
    const bytes = source.read(where, length);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  const counted = viewOf(at, countBytes);
  const count = isBig ? place(counted, 0) : counted.getUint16(0, little);
  if (count === 0) throw badHeader(name, `The directory at byte ${at} has no tags.`);
  const length = count * entryBytes;
  if (at + countBytes + length + inlineBytes > size) {
    throw truncated(name, `The directory at byte ${at} claims ${count} tags, past the end of the file.`);
  }
  const view = viewOf(at + countBytes, length + inlineBytes);
  const entries = new Map<number, Entry>();
  for (let i = 0; i < count; i++) {
    const start = i * entryBytes;
    const tag = view.getUint16(start, little);
    const type = view.getUint16(start + 2, little);
    const values = place(view, start + 4);
    const valueBytes = TYPE_BYTES[type];
    if (PIXEL_TAGS.has(tag) && !WHOLE_TYPES.has(type))
      throw badHeader(name, `Tag ${tag} is stored as type ${type}, which does not hold whole numbers.`);
    if (valueBytes === undefined || entries.has(tag)) continue;
    const inline = start + entryBytes - inlineBytes;
    const bytes = values * valueBytes;
    const where = bytes <= inlineBytes ? at + countBytes + inline : place(view, inline);
    if (bytes > size) {
      throw badHeader(name, `Tag ${tag} claims ${bytes} bytes; the whole file has ${size}.`);
    }
    if (where + bytes > size) {
      throw truncated(name, `The values of tag ${tag} lie past the end of the file.`);
    }
    entries.set(tag, { type, count: values, at: where });
  }
  return { entries, next: place(view, length) };
}
