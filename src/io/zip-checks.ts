import { Transform } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry } from 'yauzl';
import { InputError } from '../errors.js';

/** An entry above this size that shrinks further than this is taken for a zip bomb (libraries: 3 to 10). */
const BOMB_BYTES = 16 * 2 ** 20;
const BOMB_RATIO = 300;
/** Bytes of the header before each entry, without its name and extra field. */
export const LOCAL_HEADER_BYTES = 30;

/** Passes bytes on, counts them and compares the checksum at the end. */
export class ChecksumStream extends Transform {
  private sum = 0;
  constructor(
    private readonly entry: Entry,
    private readonly file: string,
    private readonly onBytes?: (bytes: number) => void,
  ) {
    super();
  }
  override _transform(chunk: Buffer, _: string, done: (error: Error | null, chunk: Buffer) => void): void {
    this.sum = crc32(chunk, this.sum);
    this.onBytes?.(chunk.length);
    done(null, chunk);
  }
  override _flush(done: (error: Error | null) => void): void {
    const isSame = this.sum === this.entry.crc32;
    done(
      isSame
        ? null
        : malformed(this.file, `The checksum of "${this.entry.fileName}" differs; the archive is damaged.`),
    );
  }
}

/** Archives whose entries share bytes unpack to far more than they hold. */
export function refuseOverlaps(entries: ReadonlyMap<string, Entry>, file: string): void {
  const sorted = [...entries.values()].sort(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  );
  let end = 0;
  for (const entry of sorted) {
    if (entry.relativeOffsetOfLocalHeader < end)
      throw unsafe(file, `"${entry.fileName}" lies over another entry.`);
    end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.compressedSize;
  }
}

/**
 * @throws InputError ZIP_TOO_LARGE above `maxBytes`, ZIP_UNSAFE where a large entry grows more than `maxRatio`
 * times (default 300)
 */
export function refuseBomb(
  entry: Entry,
  file: string,
  { maxBytes, maxRatio = BOMB_RATIO }: { readonly maxBytes: number; readonly maxRatio?: number | undefined },
): void {
  const { fileName, uncompressedSize: size, compressedSize } = entry;
  if (size > maxBytes) throw tooLarge(file, `"${fileName}" unpacks to ${size} bytes`, maxBytes);
  if (size > BOMB_BYTES && size > compressedSize * maxRatio)
    throw unsafe(file, `"${fileName}" grows from ${compressedSize} to ${size} bytes, as zip bombs do.`);
}

/** What cannot be read: damaged or cut off. */
export const malformed = (where: string, message: string, cause?: unknown): InputError =>
  new InputError('ZIP_MALFORMED', `The zip archive cannot be read: ${message}`, {
    where,
    hint: 'The file may be cut off or damaged; fetch it again.',
    cause,
  });

/** What can be read but is meant to do harm. */
export const unsafe = (where: string, message: string): InputError =>
  new InputError('ZIP_UNSAFE', `The zip archive is refused: ${message}`, {
    where,
    hint: 'Do not use this file unless you know who made it and why.',
  });

export const tooLarge = (where: string, what: string, limit: number): InputError =>
  new InputError('ZIP_TOO_LARGE', `${what}; the limit here is ${limit}.`, {
    where,
    hint: 'Check that this is the right file.',
  });
