import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { InputError } from '../errors.js';
import { readError } from './file-errors.js';
import { badHeader, truncated } from './format-error.js';
import { requireFileSync } from './regular-file.js';

/** Bytes that are read from where they are needed: a file, a part of one, or memory. */
export interface ByteSource {
  /** File, with the place inside it; errors name it. */
  readonly where: string;
  readonly size: number;
  /**
   * Bytes [start, start + length).
   * @throws InputError TRUNCATED where they do not all exist; nothing is allocated then
   */
  read(start: number, length: number): Uint8Array;
  /** Fills `target` from `start` on, as far as there are bytes; returns their number. */
  readInto(target: Uint8Array, start: number): number;
}

/** A file on the disk; only what is asked for is read. Close it after use. */
export class FileSource implements ByteSource {
  private isOpen = true;
  private constructor(
    readonly where: string,
    private readonly fd: number,
    readonly size: number,
  ) {}

  /** @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE */
  static open(file: string): FileSource {
    let fd: number | undefined;
    try {
      requireFileSync(file);
      fd = openSync(file, 'r');
      return new FileSource(file, fd, fstatSync(fd).size);
    } catch (cause) {
      if (fd !== undefined) closeSync(fd);
      throw readError(cause, file);
    }
  }

  read(start: number, length: number): Uint8Array {
    requireRange(this, start, length);
    const bytes = new Uint8Array(length);
    if (this.readInto(bytes, start) < length)
      throw truncated(
        this.where,
        `The file became shorter while it was read: ${length} bytes at ${start} are gone.`,
      );
    return bytes;
  }

  readInto(target: Uint8Array, start: number): number {
    if (!this.isOpen) throw new InputError('FILE_CLOSED', 'The file was closed.', { where: this.where });
    let done = 0;
    while (done < target.length) {
      let count: number;
      try {
        count = readSync(this.fd, target, done, target.length - done, start + done);
      } catch (cause) {
        throw readError(cause, this.where);
      }
      if (count === 0) break;
      done += count;
    }
    return done;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    closeSync(this.fd);
  }
}

/** Bytes in memory; parts of it share the memory. */
export class MemorySource implements ByteSource {
  readonly size: number;
  constructor(
    private readonly bytes: Uint8Array,
    readonly where: string,
  ) {
    this.size = bytes.length;
  }

  read(start: number, length: number): Uint8Array {
    requireRange(this, start, length);
    return this.bytes.subarray(start, start + length);
  }

  readInto(target: Uint8Array, start: number): number {
    const part = this.bytes.subarray(start, start + target.length);
    target.set(part);
    return part.length;
  }
}

/**
 * Bytes [start, start + length) of another source, as a source of its own: positions count from its own start and
 * nothing outside it can be read.
 * @throws InputError TRUNCATED where they do not all exist
 */
export function partOf(source: ByteSource, start: number, length: number, where: string): ByteSource {
  requireRange({ where, size: source.size }, start, length);
  const part: ByteSource = {
    where,
    size: length,
    read(from, count) {
      requireRange(part, from, count);
      return source.read(start + from, count);
    },
    readInto(target, from) {
      const count = Math.max(0, Math.min(target.length, length - from));
      return source.readInto(target.subarray(0, count), start + from);
    },
  };
  return part;
}

/** First bytes, as many as there are up to `length`. */
export function readHead(source: ByteSource, length: number): Uint8Array {
  return source.read(0, Math.min(length, source.size));
}

function requireRange(
  { where, size }: Pick<ByteSource, 'where' | 'size'>,
  start: number,
  length: number,
): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(length) || start < 0 || length < 0)
    throw badHeader(where, `Bytes ${start} to ${start + length} cannot be: a place or a length is wrong.`);
  if (start + length > size)
    throw truncated(where, `Bytes ${start} to ${start + length} are wanted, and there are ${size}.`);
}
