import { readFileSync } from 'node:fs';
import path from 'node:path';
import { MemorySource, type ByteSource } from '../../src/io/byte-source.js';
import { root } from './needs.js';

/** A raster of the input cases. */
export const rasterCase = (name: string): string =>
  path.join(root, 'test/fixtures/cases/rasters', `${name}.tif`);

/** Bytes that count what is read of them. */
export class CountingSource implements ByteSource {
  bytesRead = 0;
  readonly reads: (readonly [start: number, length: number])[] = [];
  private readonly memory: MemorySource;

  constructor(
    bytes: Uint8Array,
    readonly where = 'memory',
  ) {
    this.memory = new MemorySource(bytes, where);
  }
  static of(file: string): CountingSource {
    return new CountingSource(readFileSync(file), file);
  }
  get size(): number {
    return this.memory.size;
  }
  read(start: number, length: number): Uint8Array {
    this.count(start, length);
    return this.memory.read(start, length);
  }
  readInto(target: Uint8Array, start: number): number {
    this.count(start, target.length);
    return this.memory.readInto(target, start);
  }
  private count(start: number, length: number): void {
    this.bytesRead += length;
    this.reads.push([start, length]);
  }
}

export interface TiledImage {
  readonly size: number;
  readonly tile: number;
  /** Stored bytes of a tile by its number; equal objects are stored once. */
  readonly tileOf: (index: number) => Uint8Array;
  readonly compression: number;
  /** 16 by default. */
  readonly bits?: number;
}

/** A square one-band little-endian TIFF of tiles. */
export function tiledTiff({ size, tile, tileOf, compression, bits = 16 }: TiledImage): Buffer {
  const across = Math.ceil(size / tile);
  const count = across * across;
  const places = new Map<Uint8Array, number>();
  const content: Uint8Array[] = [];
  const tags = 9;
  const tablesAt = 8 + 2 + tags * 12 + 4;
  let end = tablesAt + count * 8;
  const offsets = Buffer.alloc(count * 4);
  const lengths = Buffer.alloc(count * 4);
  for (let index = 0; index < count; index++) {
    const bytes = tileOf(index);
    if (!places.has(bytes)) {
      places.set(bytes, end);
      content.push(bytes);
      end += bytes.length;
    }
    offsets.writeUInt32LE(places.get(bytes)!, index * 4);
    lengths.writeUInt32LE(bytes.length, index * 4);
  }
  const head = Buffer.alloc(tablesAt);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(tags, 8);
  const entries: readonly (readonly [tag: number, type: 3 | 4, count: number, value: number])[] = [
    [256, 4, 1, size],
    [257, 4, 1, size],
    [258, 3, 1, bits],
    [259, 3, 1, compression],
    [262, 3, 1, 1],
    [322, 4, 1, tile],
    [323, 4, 1, tile],
    [324, 4, count, tablesAt],
    [325, 4, count, tablesAt + count * 4],
  ];
  entries.forEach(([tag, type, values, value], i) => {
    head.writeUInt16LE(tag, 10 + i * 12);
    head.writeUInt16LE(type, 12 + i * 12);
    head.writeUInt32LE(values, 14 + i * 12);
    head.writeUInt32LE(value, 18 + i * 12);
  });
  return Buffer.concat([head, offsets, lengths, ...content]);
}
