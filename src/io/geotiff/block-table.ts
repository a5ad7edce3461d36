import type { HeadReader } from './raster-source.js';
import { badHeader, corruptData, truncated } from '../format-error.js';
import type { Directory } from './directory.js';
import { compressionName, type Layout } from './layout.js';
import { TAG } from './tags.js';

/** Where a block lies; length 0: it is not stored, its pixels have no value. */
export interface BlockPlace {
  readonly at: number;
  readonly length: number;
}

/** Values of the tables read at once: large tables are read where blocks are asked for. */
const PART = 2048;

/** How much the bytes of a block can grow at most, by compression; others have no bound. */
const MAX_GROWTH: Readonly<Record<number, number>> = {
  5: 2732, // 4096 bytes of a string from 12 bits
  7: 2048, // 8 × 8 pixels of four samples from one bit
  8: 1032, // 258 bytes from two bits
  32946: 1032,
  32773: 64,
  50000: 33_000, // 128 KiB of one byte from 4
};

/** The places of a page's blocks. */
export class BlockTable {
  private readonly parts = new Map<string, number[]>();
  private readonly offsets: number;
  private readonly counts: number;

  /** @throws InputError BAD_HEADER */
  constructor(
    private readonly page: Directory,
    private readonly layout: Layout,
    private readonly source: HeadReader,
  ) {
    const { isTiled, blocksAcross, blocksDown, isPlanar, bandCount, compression } = layout;
    this.offsets = isTiled && page.has(TAG.tileOffsets) ? TAG.tileOffsets : TAG.stripOffsets;
    this.counts = isTiled && page.has(TAG.tileByteCounts) ? TAG.tileByteCounts : TAG.stripByteCounts;
    const needed = blocksAcross * blocksDown * (isPlanar ? bandCount : 1);
    const what = isTiled ? 'tiles' : 'strips';
    const bad = (message: string): Error => badHeader(source.where, message);
    if (!page.has(this.offsets)) throw bad(`The header does not say where its ${what} lie.`);
    if (page.count(this.offsets) < needed) {
      throw bad(`Its size asks for ${needed} ${what}; ${page.count(this.offsets)} are listed.`);
    }
    if (page.has(this.counts) ? page.count(this.counts) < needed : compression !== 1) {
      throw bad(`Its size asks for ${needed} ${what}; the lengths of ${page.count(this.counts)} are listed.`);
    }
  }

  /** Place of a block in the tables. @param band counts only where the layout is planar */
  index(row: number, column: number, band: number): number {
    const { blocksAcross, blocksDown, isPlanar } = this.layout;
    return (isPlanar ? band * blocksDown * blocksAcross : 0) + row * blocksAcross + column;
  }

  /**
   * Where a block lies; it is checked that the file holds it and that it can hold its pixels.
   * @param rows of the block that are in the image
   * @throws InputError TRUNCATED, CORRUPT_DATA, BAD_HEADER
   */
  place(index: number, rows: number): BlockPlace {
    const { layout, source } = this;
    const needed = layout.rowBytes * rows;
    const at = this.value(this.offsets, index);
    const length = this.page.has(this.counts) ? this.value(this.counts, index) : needed;
    if (length === 0) return { at, length };
    const what = `${layout.isTiled ? 'Tile' : 'Strip'} ${index}`;
    if (at < 0 || length < 0) throw badHeader(source.where, `${what} has ${length} bytes at byte ${at}.`);
    if (at === 0) throw badHeader(source.where, `${what} has ${length} bytes and no place.`);
    if (at + length > source.size) {
      const message = `${what} lies at bytes ${at} to ${at + length}; the file ends at ${source.size}.`;
      throw truncated(source.where, message);
    }
    const growth = layout.compression === 1 ? 1 : MAX_GROWTH[layout.compression];
    if (growth !== undefined && length * growth < needed) {
      const name = compressionName(layout.compression);
      const message = `${what} has ${length} bytes (compression: ${name}), which cannot hold the ${needed} bytes of its pixels.`;
      throw corruptData(source.where, message);
    }
    return { at, length };
  }

  private value(tag: number, index: number): number {
    const part = Math.floor(index / PART);
    const key = `${tag} ${part}`;
    let values = this.parts.get(key);
    if (!values) {
      values = this.page.numbers(tag, part * PART, Math.min((part + 1) * PART, this.page.count(tag)))!;
      this.parts.set(key, values);
    }
    return values[index % PART]!;
  }
}
