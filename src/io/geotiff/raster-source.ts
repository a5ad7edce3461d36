import { FileSource, MemorySource, partOf, type ByteSource } from '../byte-source.js';
import { truncated } from '../format-error.js';

/** A raster inside another file, such as a container. */
export interface FileRange {
  readonly file: string;
  /** First byte of the raster in the file. */
  readonly offset: number;
  /** Bytes of the raster. */
  readonly length: number;
}

/** A raster in memory; errors call it `name`. */
export interface NamedBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Where a raster lies, in a form that can be sent to a thread: a path, a stretch of a file, or memory. */
export type RasterPlace = string | FileRange | NamedBytes;

/** Where a raster lies. */
export type RasterSource = RasterPlace | ByteSource;

export interface OpenSource {
  readonly source: ByteSource;
  /** Closes what `openSource` opened. */
  readonly close: () => void;
}

/** @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, TRUNCATED (a stretch beyond the file's end) */
export function openSource(place: RasterSource): OpenSource {
  const nothing = (): void => undefined;
  if (typeof place !== 'string') {
    if ('read' in place) return { source: place, close: nothing };
    if ('bytes' in place) return { source: new MemorySource(place.bytes, place.name), close: nothing };
  }
  const file = FileSource.open(typeof place === 'string' ? place : place.file);
  const close = (): void => file.close();
  if (typeof place === 'string') return { source: file, close };
  try {
    return { source: partOf(file, place.offset, place.length, place.file), close };
  } catch (cause) {
    close();
    throw cause;
  }
}

/** First bytes read at once: in most files they hold the whole header. */
const CHUNK_BYTES = 16_384;

/** Small parts of a file, read with their neighbours. */
export class HeadReader {
  private chunk: Uint8Array = new Uint8Array(0);
  private chunkAt = 0;

  constructor(readonly source: ByteSource) {}

  get where(): string {
    return this.source.where;
  }
  get size(): number {
    return this.source.size;
  }

  /** @throws InputError TRUNCATED */
  read(at: number, length: number): Uint8Array {
    const start = at - this.chunkAt;
    if (start < 0 || start + length > this.chunk.length) {
      if (length > CHUNK_BYTES || at + length > this.size) return this.source.read(at, length);
      this.chunk = this.source.read(at, Math.min(CHUNK_BYTES, this.size - at));
      this.chunkAt = at;
      return this.chunk.subarray(0, length);
    }
    return this.chunk.subarray(start, start + length);
  }
}

/** Fills all of `target` from byte `at` on. @throws InputError TRUNCATED */
export function fill(source: ByteSource, target: Uint8Array, at: number): void {
  const count = at <= source.size ? source.readInto(target, at) : 0;
  if (count === target.length) return;
  throw truncated(
    source.where,
    `Bytes ${at} to ${at + target.length} are wanted, and there are ${source.size}.`,
  );
}
