import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { FileSource, readHead } from '../byte-source.js';
import { readError, systemCode } from '../file-errors.js';
import { tooLarge, unsafe } from '../format-error.js';

const MAX_METADATA_BYTES = 64 * 2 ** 20;
const MAX_ENTRIES = 200_000;

/** The folder of a Zarr store: files by key, none outside of it. */
export class ZarrFolder {
  private readonly root: string;

  /** @throws InputError FILE_MISSING, NO_PERMISSION */
  constructor(readonly folder: string) {
    try {
      this.root = realpathSync(folder);
    } catch (cause) {
      throw readError(cause, folder);
    }
  }

  get isFolder(): boolean {
    return statSync(this.root).isDirectory();
  }

  /** Text of a metadata file, or undefined. @throws InputError TOO_LARGE, UNSAFE, NO_PERMISSION */
  text(key: string): string | undefined {
    return this.with(key, (source) => {
      if (source.size > MAX_METADATA_BYTES)
        throw tooLarge(
          source.where,
          `The metadata has ${source.size} bytes; the limit here is ${MAX_METADATA_BYTES}.`,
        );
      return new TextDecoder().decode(readHead(source, source.size));
    });
  }

  /** Bytes of a chunk, or undefined where it was never written. @throws InputError TOO_LARGE, UNSAFE */
  bytes(key: string, maxBytes: number): Uint8Array | undefined {
    return this.with(key, (source) => {
      if (source.size > maxBytes)
        throw tooLarge(source.where, `The chunk has ${source.size} bytes, more than it can unpack to.`);
      return source.read(0, source.size);
    });
  }

  /** A part of a file, or undefined where there is no file. @throws InputError TRUNCATED, UNSAFE */
  range(
    key: string,
    range: { offset: number; length: number } | { suffixLength: number },
  ): Uint8Array | undefined {
    return this.with(key, (source) =>
      'suffixLength' in range
        ? source.read(source.size - range.suffixLength, range.suffixLength)
        : source.read(range.offset, range.length),
    );
  }

  /** Whether an array lies at a key: `''`, `/a`, `/a/b`. */
  isArray(key: string): boolean {
    if (!this.isFolder) return false;
    return (
      existsSync(path.join(this.root, key, '.zarray')) ||
      /"chunk_grid"\s*:/.test(this.text(`${key}/zarr.json`) ?? '')
    );
  }

  /** Folders of groups and arrays below the root, as keys (`''`, `/a`, `/a/b`), sorted; at most 200 000. */
  nodes(): string[] {
    const found: string[] = [];
    const pending = [''];
    for (let key = pending.shift(); key !== undefined; key = pending.shift()) {
      const entries = readdirSync(path.join(this.root, key), { withFileTypes: true });
      const names = new Set(entries.map(({ name }) => name));
      const isArray = this.isArray(key);
      if (isArray || names.has('.zgroup') || names.has('zarr.json') || key === '') found.push(key);
      if (found.length + pending.length > MAX_ENTRIES)
        throw tooLarge(this.folder, `The store has more than ${MAX_ENTRIES} folders.`);
      if (isArray) continue; // below it are chunks
      const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${key}/${name}`);
      pending.push(...folders.sort());
    }
    return found;
  }

  /** Bytes of all files below a node, counted until they pass `enough`. */
  storedBytes(key: string, enough: number): number {
    let total = 0;
    let entriesLeft = MAX_ENTRIES;
    const pending = [path.join(this.root, key)];
    for (let folder = pending.pop(); folder !== undefined && total < enough; folder = pending.pop()) {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (--entriesLeft < 0) return Infinity; // so many chunks may hold anything
        const full = path.join(folder, entry.name);
        if (entry.isDirectory()) pending.push(full);
        else if (entry.isFile()) total += statSync(full).size;
      }
    }
    return total;
  }

  private with<T>(key: string, use: (source: FileSource) => T): T | undefined {
    const full = path.join(this.root, key);
    if (!existsSync(full)) return undefined;
    let real: string;
    try {
      real = realpathSync(full);
    } catch (cause) {
      if (systemCode(cause) === 'ENOENT') return undefined;
      throw readError(cause, full);
    }
    if (real !== this.root && !real.startsWith(this.root + path.sep))
      throw unsafe(
        full,
        `"${key}" leads out of the store, to ${real}.`,
        'It was not opened. Copy the files into the store if you trust it.',
      );
    const source = FileSource.open(real);
    try {
      return use(source);
    } finally {
      source.close();
    }
  }
}
