import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipMember {
  readonly name: string;
  readonly content: Uint8Array | string;
  readonly deflate?: boolean;
  /** Lies about the entry, for hostile archives. */
  readonly size?: number;
  readonly mode?: number;
}

/** A zip archive in memory. */
export function writeZip(members: readonly ZipMember[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, deflate, size, mode } of members) {
    const plain = Buffer.from(content);
    const stored = deflate ? deflateRawSync(plain) : plain;
    const title = Buffer.from(name);
    const common = Buffer.alloc(26); // from "version needed" to "extra length", alike in both headers
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(deflate ? 8 : 0, 4);
    common.writeUInt32LE(crc32(plain), 10);
    common.writeUInt32LE(stored.length, 14);
    common.writeUInt32LE(size ?? plain.length, 18);
    common.writeUInt16LE(title.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), common, title, stored);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03'), common, rest, title);
    offset += 4 + common.length + title.length + stored.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}
