import { closeSync, createWriteStream, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import { InputError } from '../errors.js';
import { messageOf, readError, systemCode, writeError } from './file-errors.js';
import { unsupported } from './format-error.js';
import { makeFolder } from './make-folder.js';
import { requireFileSync } from './regular-file.js';
import {
  ChecksumStream,
  LOCAL_HEADER_BYTES,
  malformed,
  refuseBomb,
  refuseOverlaps,
  tooLarge,
  unsafe,
} from './zip-checks.js';

export interface ZipEntry {
  /** With `/` between folders; a folder's name ends with it. */
  readonly name: string;
  /** Bytes once unpacked. */
  readonly size: number;
  readonly compressedSize: number;
  /** True where the bytes lie in the archive as they are. */
  readonly isStored: boolean;
  readonly crc32: number;
}

export interface ExtractOptions {
  /** Bytes that all chosen entries together may unpack to; default 8 GiB. */
  readonly maxBytes?: number;
  /** How many times its size a large entry may grow; default 300. Raise it for files whose hash is known. */
  readonly maxRatio?: number;
  readonly signal?: AbortSignal;
  /** Bytes written so far and in all. */
  readonly onProgress?: (done: number, total: number) => void;
}

const DEFAULT_MAX_BYTES = 8 * 2 ** 30;
const MAX_ENTRIES = 1_000_000;

const [STORED, DEFLATED] = [0, 8]; // methods of compression

const fromFd = promisify<number, yauzl.Options, yauzl.ZipFile>(yauzl.fromFd);

/** An open zip archive: entries by name, bytes of stored entries without unpacking. Close it after use. */
export class ZipArchive {
  private readonly dataStarts = new Map<string, number>();
  private isOpen = true;

  private constructor(
    readonly path: string,
    private readonly fd: number,
    private readonly zip: yauzl.ZipFile,
    private readonly raw: ReadonlyMap<string, yauzl.Entry>,
    /** In the order of the archive. */
    readonly entries: ReadonlyMap<string, ZipEntry>,
  ) {}

  /**
   * Reads the list of entries. Refuses encrypted archives, names that lead out of a folder, names that
   * occur twice, and entries that lie over each other.
   * @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, ZIP_MALFORMED, ZIP_UNSAFE
   */
  static async open(file: string): Promise<ZipArchive> {
    let fd: number;
    try {
      requireFileSync(file);
      fd = openSync(file, 'r');
    } catch (cause) {
      throw readError(cause, file);
    }
    try {
      const zip = await fromFd(fd, { lazyEntries: true, autoClose: false });
      const raw = await listEntries(zip, file);
      refuseOverlaps(raw, file);
      const entries = new Map([...raw].map(([name, entry]) => [name, describeEntry(entry)]));
      return new ZipArchive(file, fd, zip, raw, entries);
    } catch (cause) {
      closeSync(fd);
      if (cause instanceof InputError) throw cause;
      const message = messageOf(cause);
      if (/^(invalid relative|absolute) path|^invalid characters in fileName/.test(message))
        throw unsafe(file, `A name leads out of the folder: ${message}.`);
      throw malformed(file, message, cause);
    }
  }

  /** Where in the archive the bytes of a stored entry start; reads the entry's local header once. */
  dataStart(name: string): number {
    const known = this.dataStarts.get(name);
    if (known !== undefined) return known;
    const entry = this.find(name);
    const header = this.readAt(entry.relativeOffsetOfLocalHeader, LOCAL_HEADER_BYTES, name);
    const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
    if (view.getUint32(0, true) !== 0x04034b50)
      throw malformed(this.path, `The header of "${name}" is not where it should be.`);
    const start =
      entry.relativeOffsetOfLocalHeader +
      LOCAL_HEADER_BYTES +
      view.getUint16(26, true) +
      view.getUint16(28, true);
    if (start + entry.compressedSize > this.zip.fileSize)
      throw malformed(this.path, `"${name}" reaches past the end of the file.`);
    this.dataStarts.set(name, start);
    return start;
  }

  /**
   * Bytes [start, start + length) of a stored entry, read from the disk now; the rest of it is not touched.
   * @throws InputError ZIP_MALFORMED where the archive is shorter than it says, ZIP_COMPRESSED
   */
  readStored(name: string, start: number, length: number): Uint8Array {
    const entry = this.find(name);
    if (entry.compressionMethod !== STORED) {
      throw new InputError('ZIP_COMPRESSED', `"${name}" is compressed, so no part of it can be read alone.`, {
        where: this.path,
        hint: 'Unpack the archive and pack it again without compression.',
      });
    }
    if (start < 0 || length < 0 || start + length > entry.uncompressedSize) {
      throw malformed(
        this.path,
        `Bytes ${start} to ${start + length} of "${name}" do not exist; it has ${entry.uncompressedSize}.`,
      );
    }
    return this.readAt(this.dataStart(name) + start, length, name);
  }

  /**
   * First bytes of an entry, unpacked, as many as there are up to `length`; no more of it is unpacked.
   * @throws InputError ZIP_MALFORMED
   */
  async readStart(name: string, length: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let got = 0;
    const stream = await this.stream(this.find(name));
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        chunks.push(chunk);
        got += chunk.length;
        if (got >= length) break; // the stream is destroyed
      }
    } catch (cause) {
      throw malformed(this.path, messageOf(cause), cause);
    }
    return Buffer.concat(chunks).subarray(0, length);
  }

  /**
   * A whole entry, unpacked, its checksum compared. A large entry may grow `maxRatio` times, default 300: raise it
   * where its unpacked size is known by other means.
   * @throws InputError ZIP_TOO_LARGE above `maxBytes`, ZIP_MALFORMED, ZIP_UNSAFE
   */
  async read(name: string, maxBytes: number, maxRatio?: number): Promise<Uint8Array> {
    const entry = this.find(name);
    refuseBomb(entry, this.path, { maxBytes, maxRatio });
    const chunks: Uint8Array[] = [];
    const check = new ChecksumStream(entry, this.path);
    try {
      await pipeline(await this.stream(entry), check, async (source: AsyncIterable<Uint8Array>) => {
        for await (const chunk of source) chunks.push(chunk);
      });
    } catch (cause) {
      throw cause instanceof InputError ? cause : malformed(this.path, messageOf(cause), cause);
    }
    return Buffer.concat(chunks);
  }

  /**
   * Unpacks chosen entries below `folder`, stream by stream. `pick` gives the path below the folder, or
   * undefined to leave the entry out. Existing files are never overwritten. Returns the paths in order.
   * Where it fails, files written so far stay: unpack into a temporary folder and rename it.
   * @throws InputError ZIP_MALFORMED, ZIP_UNSAFE, ZIP_TOO_LARGE; RunError DISK_FULL; the signal's reason
   */
  async extract(
    pick: (entry: ZipEntry) => string | undefined,
    folder: string,
    options: ExtractOptions = {},
  ): Promise<string[]> {
    const chosen: { entry: yauzl.Entry; target: string }[] = [];
    const limit = options.maxBytes ?? DEFAULT_MAX_BYTES;
    let total = 0;
    for (const [name, entry] of this.raw) {
      const picked = name.endsWith('/') ? undefined : pick(this.entries.get(name)!);
      if (picked === undefined) continue;
      const target = path.resolve(folder, picked);
      if (!target.startsWith(path.resolve(folder) + path.sep))
        throw unsafe(this.path, `"${picked}" leads out of the folder.`);
      if (((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000)
        throw unsafe(this.path, `"${name}" is a symbolic link.`);
      refuseBomb(entry, this.path, { maxBytes: limit, maxRatio: options.maxRatio });
      total += entry.uncompressedSize;
      chosen.push({ entry, target });
    }
    if (total > limit) throw tooLarge(this.path, `The chosen entries unpack to ${total} bytes`, limit);
    let done = 0;
    for (const { entry, target } of chosen) {
      await this.extractOne(entry, target, options.signal, (bytes) =>
        options.onProgress?.((done += bytes), total),
      );
    }
    return chosen.map(({ target }) => target);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    closeSync(this.fd);
  }

  private async extractOne(
    entry: yauzl.Entry,
    target: string,
    signal: AbortSignal | undefined,
    onBytes: (bytes: number) => void,
  ): Promise<void> {
    try {
      await makeFolder(path.dirname(target));
      const check = new ChecksumStream(entry, this.path, onBytes);
      const source = await this.stream(entry);
      const sink = createWriteStream(target, { flags: 'wx' }); // last: only the pipeline hears that it fails
      await pipeline([source, check, sink], signal ? { signal } : {});
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      if (cause instanceof InputError) throw cause;
      if (systemCode(cause).startsWith('Z_') || systemCode(cause) === '')
        throw malformed(this.path, messageOf(cause), cause);
      throw writeError(cause, target);
    }
  }

  /** @throws InputError ZIP_MALFORMED, UNSUPPORTED (a compression, by its number) */
  private stream(entry: yauzl.Entry): Promise<Readable> {
    const { compressionMethod: method, fileName } = entry;
    if (method !== STORED && method !== DEFLATED) {
      const message = `"${fileName}" is packed with method ${method} of zip archives; 0 (none) and 8 (Deflate) are read.`;
      return Promise.reject(unsupported(this.path, message, 'Pack the archive again with Deflate.'));
    }
    return new Promise((resolve, reject) => {
      this.zip.openReadStream(entry, (error, stream) =>
        error ? reject(malformed(this.path, error.message, error)) : resolve(stream),
      );
    });
  }

  private find(name: string): yauzl.Entry {
    const entry = this.raw.get(name);
    if (entry) return entry;
    const some = [...this.raw.keys()].slice(0, 5).join(', ');
    throw malformed(this.path, `The archive has no "${name}". It has ${this.raw.size} entries: ${some} …`);
  }

  private readAt(position: number, length: number, name: string): Uint8Array {
    if (!this.isOpen) throw new InputError('ZIP_CLOSED', 'The archive was closed.', { where: this.path });
    if (position + length > this.zip.fileSize)
      throw malformed(this.path, `"${name}" reaches past the end of the file.`);
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const count = readSync(this.fd, bytes, done, length - done, position + done);
      if (count === 0) throw malformed(this.path, `The file ends inside "${name}".`);
      done += count;
    }
    return bytes;
  }
}

function listEntries(zip: yauzl.ZipFile, file: string): Promise<Map<string, yauzl.Entry>> {
  const entries = new Map<string, yauzl.Entry>();
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: yauzl.Entry) => {
      if (entry.isEncrypted()) return reject(unsafe(file, `"${entry.fileName}" is encrypted.`));
      if (entries.has(entry.fileName))
        return reject(unsafe(file, `The name "${entry.fileName}" occurs twice.`));
      if (entries.size >= MAX_ENTRIES)
        return reject(unsafe(file, `It has more than ${MAX_ENTRIES} entries.`));
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.on('end', () => resolve(entries));
    zip.on('error', reject);
    zip.readEntry();
  });
}

const describeEntry = (entry: yauzl.Entry): ZipEntry => ({
  name: entry.fileName,
  size: entry.uncompressedSize,
  compressedSize: entry.compressedSize,
  isStored: entry.compressionMethod === STORED,
  crc32: entry.crc32,
});
