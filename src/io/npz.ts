import { InputError } from '../errors.js';
import { FileSource, MemorySource, readHead, type ByteSource } from './byte-source.js';
import { corruptData, notTheFormat, placeIn, tooLarge, truncated, unsafe } from './format-error.js';
import { readNpyFrom, readNpyHeader, type NpyArray, type NpyHeader, type NpyOptions } from './npy.js';
import { elementCount } from './numeric-array.js';
import { SNIFF_BYTES } from './sniff.js';
import { ZipArchive } from './zip.js';

const MAX_BYTES = 4 * 2 ** 30;
/** Enough for the header of any array. */
const HEADER_BYTES = 66_000;
/** Deflate shrinks at most about so many times; what its header declares is let through up to this. */
const DEFLATE_RATIO = 1100;

/** An open `.npz`: arrays by name, each read when it is asked for. Close it after use. */
export class NpzFile {
  private constructor(
    private readonly zip: ZipArchive,
    private readonly options: NpyOptions,
    /** Names of the arrays, in the order of the file. */
    readonly names: readonly string[],
  ) {}

  /**
   * Reads the list of arrays.
   * @throws InputError EMPTY_FILE, NOT_NPY, TRUNCATED or CORRUPT_DATA (damaged archive), UNSAFE (a name leads out of the folder, an
   *   entry lies over another), FILE_MISSING, NO_PERMISSION, NOT_A_FILE
   */
  static async open(file: string, options: NpyOptions = {}): Promise<NpzFile> {
    const source = FileSource.open(file);
    try {
      const head = readHead(source, SNIFF_BYTES);
      if (head[0] !== 0x50 || head[1] !== 0x4b)
        throw notTheFormat('NOT_NPY', 'bundle of NumPy arrays', head, source.size, file);
    } finally {
      source.close();
    }
    const zip = await ZipArchive.open(file).catch((error: unknown) => {
      throw asFormatError(error, file);
    });
    const names = [...zip.entries.keys()].filter((name) => name.endsWith('.npy'));
    return new NpzFile(
      zip,
      options,
      names.map((name) => name.slice(0, -'.npy'.length)),
    );
  }

  get where(): string {
    return this.zip.path;
  }

  /** What the header of an array states, without its numbers. @throws as `read` */
  async header(name: string): Promise<NpyHeader> {
    const { entry, where } = this.find(name);
    try {
      return readNpyHeader(partial(await this.zip.readStart(entry.name, HEADER_BYTES), entry.size, where));
    } catch (error) {
      throw asFormatError(error, where);
    }
  }

  /**
   * @throws InputError MEMBER_MISSING, UNSAFE (objects: pickles), UNSUPPORTED, BAD_HEADER, TRUNCATED, CORRUPT_DATA (it unpacks to
   *   another size than its header declares, or its checksum differs), TOO_LARGE
   */
  async read(name: string): Promise<NpyArray> {
    const { entry, where } = this.find(name);
    const { maxBytes = MAX_BYTES } = this.options;
    try {
      const header = await this.header(name);
      const each = Number(/\d+$/.exec(header.descr)?.[0] ?? 0);
      const declared = header.start + elementCount(header.shape) * each;
      if (each > 0 && declared !== entry.size)
        throw corruptData(where, `Its header declares ${declared} bytes, and it unpacks to ${entry.size}.`);
      if (entry.size > maxBytes)
        throw tooLarge(where, `It unpacks to ${entry.size} bytes; the limit here is ${maxBytes}.`);
      const bytes = await this.zip.read(entry.name, maxBytes, DEFLATE_RATIO);
      return readNpyFrom(new MemorySource(bytes, where), this.options);
    } catch (error) {
      throw asFormatError(error, where);
    }
  }

  close(): void {
    this.zip.close();
  }

  private find(name: string): { entry: { name: string; size: number }; where: string } {
    const entry = this.zip.entries.get(`${name}.npy`);
    if (!entry) {
      throw new InputError('MEMBER_MISSING', `The bundle has no array "${name}".`, {
        where: this.where,
        hint: `It has ${this.names.slice(0, 20).join(', ') || 'none'}.`,
      });
    }
    return { entry, where: placeIn(this.where, name) };
  }
}

/** Source of `size` bytes, of which only the first are at hand. */
function partial(bytes: Uint8Array, size: number, where: string): ByteSource {
  const memory = new MemorySource(bytes, where);
  return {
    where,
    size,
    read: (start, length) => memory.read(start, length),
    readInto: (target, start) => memory.readInto(target, start),
  };
}

/** The archive's faults under the codes that all formats share. */
function asFormatError(error: unknown, where: string): unknown {
  if (!(error instanceof InputError)) return error;
  switch (error.code) {
    case 'ZIP_UNSAFE':
      return unsafe(where, error.message, error.hint);
    case 'ZIP_TOO_LARGE':
      return tooLarge(where, error.message, error.hint);
    case 'ZIP_MALFORMED':
      return /end of central directory|file ends|past the end/i.test(error.message)
        ? truncated(where, error.message, error)
        : corruptData(where, error.message, error);
    default:
      return error;
  }
}
