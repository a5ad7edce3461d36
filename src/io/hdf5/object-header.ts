import type { ByteSource } from '../byte-source.js';
import { badHeader } from '../format-error.js';
import { readUnsigned, type Superblock } from './superblock.js';

/** Messages of an object's header by their number in the format's specification. */
export const MESSAGE = {
  datatype: 3,
  oldFillValue: 4,
  fillValue: 5,
  externalFiles: 7,
  layout: 8,
  filters: 11,
  continuation: 16,
} as const;

export interface HeaderMessage {
  readonly type: number;
  /** The content lies elsewhere; `data` says where. */
  readonly isShared: boolean;
  readonly data: DataView;
}

const MAX_BLOCKS = 1000;
const MAX_BYTES = 16 * 2 ** 20;

/**
 * The messages of the object header at `address`, those of its continuations included. The library reads the same
 * messages, but does not tell all that is needed to trust its numbers.
 * @throws InputError TRUNCATED, BAD_HEADER
 */
export function readObjectHeader(
  source: ByteSource,
  superblock: Superblock,
  address: number,
): HeaderMessage[] {
  const messages: HeaderMessage[] = [];
  const start = superblock.base + address;
  const head = source.read(start, 4);
  const isNew = Buffer.from(head).toString('latin1') === 'OHDR';
  const first = isNew ? newStart(source, start) : oldStart(source, start);
  const blocks = [first];
  let total = 0;
  for (let block = blocks.shift(), count = 0; block; block = blocks.shift()) {
    total += block.length;
    if (++count > MAX_BLOCKS || total > MAX_BYTES)
      throw badHeader(source.where, 'A header of an object in the file goes on without end.');
    const bytes = source.read(block.start, block.length);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const message of messagesOf(view, isNew, first.hasOrder)) {
      messages.push(message);
      if (message.type !== MESSAGE.continuation) continue;
      const { offsetBytes, lengthBytes } = superblock;
      if (message.data.byteLength < offsetBytes + lengthBytes)
        throw badHeader(source.where, 'A header of an object in the file is cut off.');
      const at = superblock.base + readUnsigned(message.data, 0, offsetBytes);
      const length = readUnsigned(message.data, offsetBytes, lengthBytes);
      // new blocks begin with OCHK and end with a checksum
      blocks.push({
        start: isNew ? at + 4 : at,
        length: isNew ? length - 8 : length,
        hasOrder: first.hasOrder,
      });
    }
  }
  return messages;
}

interface Block {
  readonly start: number;
  readonly length: number;
  /** Each message has its number of creation. */
  readonly hasOrder: boolean;
}

function oldStart(source: ByteSource, start: number): Block {
  const bytes = source.read(start, 16);
  if (bytes[0] !== 1) throw badHeader(source.where, `There is no header of an object at byte ${start}.`);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  return { start: start + 16, length, hasOrder: false };
}

function newStart(source: ByteSource, start: number): Block {
  const flags = source.read(start, 6)[5]!;
  const sizeBytes = 1 << (flags & 3);
  const before = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
  const bytes = source.read(start + before, sizeBytes);
  const length = readUnsigned(new DataView(bytes.buffer, bytes.byteOffset, sizeBytes), 0, sizeBytes);
  return { start: start + before + sizeBytes, length, hasOrder: (flags & 4) !== 0 };
}

function* messagesOf(view: DataView, isNew: boolean, hasOrder: boolean): Generator<HeaderMessage> {
  const before = isNew ? (hasOrder ? 6 : 4) : 8;
  for (let at = 0; at + before <= view.byteLength;) {
    const type = isNew ? view.getUint8(at) : view.getUint16(at, true);
    const length = view.getUint16(at + (isNew ? 1 : 2), true);
    const flags = view.getUint8(at + (isNew ? 3 : 4));
    at += before;
    if (at + length > view.byteLength) return; // a gap at the end of a block
    yield {
      type,
      isShared: (flags & 2) !== 0,
      data: new DataView(view.buffer, view.byteOffset + at, length),
    };
    at += length;
  }
}

/** Address of a committed type that a shared message points to; undefined where it lies in a table of shared messages. */
export function sharedAddress(data: DataView, { offsetBytes }: Superblock): number | undefined {
  const version = data.getUint8(0);
  const isTable = version >= 3 && data.getUint8(1) === 1;
  const at = version === 1 ? 8 : 2;
  return isTable || at + offsetBytes > data.byteLength ? undefined : readUnsigned(data, at, offsetBytes);
}
