import { inflateSync } from 'node:zlib';
import type { ByteSource } from '../byte-source.js';
import { badHeader, corruptData, unsupported } from '../format-error.js';
import type { Selection } from '../selection.js';
import { DEFLATE, FLETCHER, LZF, SHUFFLE } from './filters.js';
import type { Filter } from './library.js';
import { decodeLzf } from './lzf.js';
import { MESSAGE, type HeaderMessage } from './object-header.js';
import { readUnsigned, type Superblock } from './superblock.js';

export interface ChunkedDataset {
  readonly source: ByteSource;
  readonly where: string;
  readonly superblock: Superblock;
  readonly messages: readonly HeaderMessage[];
  readonly filters: readonly Filter[];
  readonly chunks: readonly number[];
  /** Bytes of a number. */
  readonly size: number;
}

interface Chunk {
  readonly address: number;
  readonly bytes: number;
  /** Bit i set: filter i was left out. */
  readonly mask: number;
  readonly offset: readonly number[];
}

const MAX_LEVEL = 32;

/** Whether the chunks are found by a B-tree of version 1, as all but the newest form of files has it. */
export function hasChunkTree(messages: readonly HeaderMessage[]): boolean {
  const layout = layoutOf(messages);
  // a fill value in the form of the oldest files is not read here
  const hasOldFill = messages.some(({ type }) => type === MESSAGE.oldFillValue);
  return layout?.getUint8(0) === 3 && layout.getUint8(1) === 2 && !hasOldFill;
}

const layoutOf = (messages: readonly HeaderMessage[]): DataView | undefined =>
  messages.find(({ type, data }) => type === MESSAGE.layout && data.byteLength >= 3)?.data;

/**
 * Bytes of a selection in C order, in the file's byte order, of a dataset whose chunks are found by a B-tree of
 * version 1; chunks that were never written give the fill value.
 * @throws InputError UNSUPPORTED (another index), CORRUPT_DATA, BAD_HEADER, TRUNCATED
 */
export function readChunks(dataset: ChunkedDataset, selection: Selection): Uint8Array {
  const { size, chunks } = dataset;
  const out = filled(dataset, selection.count.reduce((product, count) => product * count, 1) * size);
  const chunkBytes = chunks.reduce((product, count) => product * count, 1) * size;
  for (const chunk of chunksOf(dataset)) {
    const isWanted = chunk.offset.every(
      (offset, axis) =>
        offset < selection.start[axis]! + selection.count[axis]! &&
        offset + chunks[axis]! > selection.start[axis]!,
    );
    if (isWanted) placeChunk(decodeChunk(dataset, chunk, chunkBytes), chunk.offset, dataset, selection, out);
  }
  return out;
}

function filled({ messages, size }: ChunkedDataset, bytes: number): Uint8Array {
  const out = new Uint8Array(bytes);
  const value = fillValue(messages);
  if (value?.length === size && value.some((byte) => byte !== 0)) {
    for (let at = 0; at < bytes; at += size) out.set(value, at);
  }
  return out;
}

function fillValue(messages: readonly HeaderMessage[]): Uint8Array | undefined {
  const data = messages.find(({ type, isShared }) => type === MESSAGE.fillValue && !isShared)?.data;
  if (!data || data.byteLength < 4) return undefined;
  const version = data.getUint8(0);
  const isDefined = version < 3 ? version < 2 || data.getUint8(3) !== 0 : (data.getUint8(1) & 0x20) !== 0;
  const at = version < 3 ? 4 : 2;
  if (!isDefined || at + 4 > data.byteLength) return undefined;
  const length = data.getUint32(at, true);
  if (at + 4 + length > data.byteLength) return undefined;
  return new Uint8Array(data.buffer, data.byteOffset + at + 4, length);
}

/** Chunks of the tree, in the order of their place. */
function* chunksOf({ source, where, superblock, messages, chunks }: ChunkedDataset): Generator<Chunk> {
  const layout = layoutOf(messages);
  if (!layout || !hasChunkTree(messages))
    throw unsupported(
      where,
      'The chunks are packed with LZF and found by an index of the newest form, which are not read together.',
    );
  const { base, offsetBytes } = superblock;
  if (3 + offsetBytes > layout.byteLength)
    throw badHeader(where, 'The description of the chunks is cut off.');
  const keyBytes = 8 + 8 * (chunks.length + 1);
  const taken = new Set<number>();
  const seen = new Set<number>();
  const pending = [{ address: readUnsigned(layout, 3, offsetBytes), maxLevel: MAX_LEVEL }];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.address === Infinity) continue; // nothing was written
    const start = base + node.address;
    if (seen.has(start)) throw badHeader(where, 'The index of the chunks leads back to itself.');
    seen.add(start);
    const headBytes = 8 + 2 * offsetBytes;
    const head = source.read(start, headBytes);
    if (Buffer.from(head.subarray(0, 4)).toString('latin1') !== 'TREE' || head[4] !== 1)
      throw badHeader(where, `There is no index of chunks at byte ${start}.`);
    const level = head[5]!;
    if (level > node.maxLevel) throw badHeader(where, 'The index of the chunks is deeper than it can be.');
    const entryCount = head[6]! | (head[7]! << 8);
    const entryBytes = keyBytes + offsetBytes;
    const bytes = source.read(start + headBytes, entryCount * entryBytes);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < bytes.length; at += entryBytes) {
      const address = readUnsigned(view, at + keyBytes, offsetBytes);
      if (level > 0) {
        pending.push({ address, maxLevel: level - 1 });
        continue;
      }
      const offset = chunks.map((_, axis) => Number(view.getBigUint64(at + 8 + 8 * axis, true)));
      const place = `[${offset.join(', ')}]`;
      if (offset.some((from, axis) => from % chunks[axis]! !== 0))
        throw badHeader(where, `There is a chunk at ${place}, between the places of chunks.`);
      if (taken.has(address)) throw badHeader(where, `The chunk at ${place} lies where another one does.`);
      taken.add(address);
      const [bytes, mask] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
      yield { address: base + address, bytes, mask, offset };
    }
  }
}

function decodeChunk({ source, where, filters }: ChunkedDataset, chunk: Chunk, length: number): Uint8Array {
  let bytes = source.read(chunk.address, chunk.bytes);
  const place = `The chunk at [${chunk.offset.join(', ')}]`;
  for (let index = filters.length - 1; index >= 0; index--) {
    if (chunk.mask & (1 << index)) continue;
    const { id, cd_values: settings } = filters[index]!;
    // a checksum may have been added inside of what is packed
    const room = length + 4 * filters.filter((filter) => filter.id === FLETCHER).length;
    try {
      if (id === LZF)
        bytes = decodeLzf(
          bytes,
          filters.slice(0, index).some((filter) => filter.id === FLETCHER) ? room : length,
        );
      else if (id === DEFLATE) bytes = inflateSync(bytes, { maxOutputLength: room });
      else if (id === SHUFFLE) bytes = unshuffle(bytes, settings[0] ?? 1);
      else bytes = checkFletcher(bytes);
    } catch (cause) {
      throw corruptData(where, `${place} cannot be unpacked: ${(cause as Error).message}.`, cause);
    }
  }
  if (bytes.length !== length)
    throw corruptData(where, `${place} gives ${bytes.length} bytes, not ${length}.`);
  return bytes;
}

/** All first bytes of the numbers, then all second ones, …, back to number by number; what is left over stays. */
export function unshuffle(bytes: Uint8Array, size: number): Uint8Array {
  const count = Math.floor(bytes.length / size);
  if (size < 2 || count < 2) return bytes;
  const out = new Uint8Array(bytes); // `slice` of a Buffer would share its memory
  for (let byte = 0; byte < size; byte++) {
    for (let i = 0, from = byte * count, to = byte; i < count; i++, to += size) out[to] = bytes[from++]!;
  }
  return out;
}

/** @returns the bytes before the checksum */
function checkFletcher(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 4) throw new Error('it ends before its checksum');
  const data = bytes.subarray(0, bytes.length - 4);
  const stored = bytes.subarray(bytes.length - 4);
  let [low, high] = [0, 0];
  for (let at = 0; at < data.length; at += 2) {
    low = (low + (data[at]! << 8) + (data[at + 1] ?? 0)) % 65_535;
    high = (high + low) % 65_535;
  }
  // the writer's sums run to 65 535 where these turn to 0; very old writers turned the bytes round
  const half = (a: number, b: number): number => (stored[a]! | (stored[b]! << 8)) % 65_535;
  const isSame = half(0, 1) === low && half(2, 3) === high;
  if (!isSame && !(half(1, 0) === low && half(3, 2) === high)) throw new Error('its checksum differs');
  return data;
}

/** Copies the part of a chunk that lies in the selection, row by row. */
function placeChunk(
  chunk: Uint8Array,
  offset: readonly number[],
  { chunks, size }: ChunkedDataset,
  { start, count }: Selection,
  out: Uint8Array,
): void {
  const axes = chunks.length;
  const from = offset.map((at, axis) => Math.max(at, start[axis]!));
  const to = offset.map((at, axis) => Math.min(at + chunks[axis]!, start[axis]! + count[axis]!));
  const last = axes - 1;
  const rowBytes = (to[last]! - from[last]!) * size;
  const index = from.slice();
  for (;;) {
    let [source, target] = [0, 0];
    for (let axis = 0; axis < axes; axis++) {
      source = source * chunks[axis]! + index[axis]! - offset[axis]!;
      target = target * count[axis]! + index[axis]! - start[axis]!;
    }
    out.set(chunk.subarray(source * size, source * size + rowBytes), target * size);
    let axis = last - 1;
    for (; axis >= 0; axis--) {
      if (++index[axis]! < to[axis]!) break;
      index[axis] = from[axis]!;
    }
    if (axis < 0) return;
  }
}
