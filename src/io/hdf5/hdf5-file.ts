import { InputError } from '../../errors.js';
import { FileSource, MemorySource, type ByteSource } from '../byte-source.js';
import { badHeader, placeIn, unsafe, unsupported } from '../format-error.js';
import type { NumericArray, NumericType } from '../numeric-array.js';
import { readAttribute, type Hdf5Value } from './attributes.js';
import { describeDataset, readNumbers, readTexts, type DatasetPlace } from './dataset.js';
import type { Selection } from '../selection.js';
import { exposeFile, loadHdf5Library, type ExposedFile, type LoadedLibrary } from './library.js';
import { readSuperblock, type Superblock } from './superblock.js';

export type { Hdf5Value } from './attributes.js';

/** What stands under a name in the file. */
export interface Hdf5Entry {
  /** From the root: `/group/name`. */
  readonly path: string;
  readonly kind: 'group' | 'dataset' | 'type' | 'broken link' | 'link to another file';
  /** Path that a soft link leads to, or the file that an external one names. */
  readonly target?: string;
}

export interface Hdf5Dataset {
  readonly path: string;
  /** null: an empty space, which has no numbers at all. */
  readonly shape: readonly number[] | null;
  /** `text`, a number type, or what it is instead: `compound`, `reference`, … */
  readonly type: NumericType | 'text' | Hdf5OtherType;
  readonly isBigEndian: boolean;
  /** Sizes of a chunk; null where the numbers lie in one piece. */
  readonly chunks: readonly number[] | null;
  /** Names of the filters, in the order of writing. */
  readonly filters: readonly string[];
}

export type Hdf5OtherType =
  'compound' | 'opaque' | 'reference' | 'variable length' | 'array' | 'time' | 'odd number';

export interface Hdf5Options {
  /** Largest array that is read at once, in bytes; default 4 GiB. */
  readonly maxBytes?: number;
}

const MAX_SOFT_LINKS = 16;
const SMALL_BYTES = 2 ** 20;

/**
 * An open HDF5 or NetCDF 4 file. It is read where it lies: only the parts that are asked for, nothing outside it. Close it after use.
 */
export class Hdf5File {
  private list: readonly Hdf5Entry[] | undefined;
  private isOpen = true;

  private constructor(
    private readonly source: ByteSource,
    private readonly library: LoadedLibrary,
    private readonly exposed: ExposedFile,
    private readonly id: bigint,
    private readonly superblock: Superblock,
    private readonly options: Hdf5Options,
    private readonly onClose: () => void,
  ) {}

  /**
   * @param from path, or the bytes of a file inside another
   * @throws InputError EMPTY_FILE, NOT_HDF5, TRUNCATED, BAD_HEADER, UNSUPPORTED, FILE_MISSING, NO_PERMISSION, NOT_A_FILE
   */
  static async open(from: string | ByteSource, options: Hdf5Options = {}): Promise<Hdf5File> {
    const given = typeof from === 'string' ? FileSource.open(from) : from;
    const onClose = (): void => {
      if (given !== from) (given as FileSource).close();
    };
    let exposed: ExposedFile | undefined;
    try {
      // the library reads in small steps: a small file is fetched in one
      const isSmall = given.size <= SMALL_BYTES;
      const source = isSmall ? new MemorySource(given.read(0, given.size), given.where) : given;
      const superblock = readSuperblock(source);
      const library = await loadHdf5Library();
      const { h5, messages } = library;
      exposed = exposeFile(h5, source, superblock);
      messages.clear();
      const id = h5.open(exposed.path, h5.H5F_ACC_RDONLY, false, -1, -1);
      if (id < 0n) {
        if (exposed.fault) throw exposed.fault as Error;
        throw badHeader(
          source.where,
          `The HDF5 library refuses the file: ${messages.reason || 'no reason given'}.`,
        );
      }
      return new Hdf5File(source, library, exposed, id, superblock, options, onClose);
    } catch (error) {
      exposed?.remove();
      onClose();
      throw error;
    }
  }

  get where(): string {
    return this.source.where;
  }

  /** All that the file holds, by path, links included; those to other files are named and not followed. */
  get entries(): readonly Hdf5Entry[] {
    this.list ??= this.names().map((name) => this.entryOf(`/${name}`));
    return this.list;
  }

  /** Paths of the datasets; a soft link to one counts as one. */
  get datasetPaths(): readonly string[] {
    return this.entries.filter(({ kind }) => kind === 'dataset').map(({ path }) => path);
  }

  has(path: string): boolean {
    return this.entries.some((entry) => entry.path === absolute(path));
  }

  /** Shape and type, without the numbers. @throws InputError MEMBER_MISSING, UNSAFE (a link to another file), UNSUPPORTED */
  dataset(path: string): Hdf5Dataset {
    return this.call(() => describeDataset(this.place(path)));
  }

  /**
   * Numbers of a dataset, or of a part of it: `{ start, count }` along each axis.
   * @throws InputError MEMBER_MISSING, UNSAFE (links to and numbers in other files), UNSUPPORTED (a type or filter, named),
   *   TOO_LARGE, CORRUPT_DATA, TRUNCATED, SELECTION_OUTSIDE
   */
  read(path: string, selection?: Selection): NumericArray {
    return this.call(() => readNumbers(this.place(path), selection));
  }

  /** Texts of a dataset, in C order. @throws InputError as `read` */
  texts(path: string): { readonly shape: readonly number[]; readonly texts: readonly string[] } {
    return this.call(() => readTexts(this.place(path)));
  }

  /** Attributes of a group or dataset by name; a value of a kind that is not read comes as `{ unread: kind }`. */
  attributes(path = '/'): ReadonlyMap<string, Hdf5Value> {
    const target = this.resolve(path);
    const names = this.call(() => this.library.h5.get_attribute_names(this.id, target));
    return new Map(names.map((name) => [name, this.attributeAt(target, name)]));
  }

  /** One attribute, or undefined. @throws InputError CORRUPT_DATA, TOO_LARGE */
  attribute(path: string, name: string): Hdf5Value | undefined {
    const target = this.resolve(path);
    const names = this.call(() => this.library.h5.get_attribute_names(this.id, target));
    return names.includes(name) ? this.attributeAt(target, name) : undefined;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.library.h5.close_file(this.id);
    this.exposed.remove();
    this.onClose();
  }

  /** @throws InputError BAD_HEADER where the library stops amid the tree: it gives the names before that, or none */
  private names(): readonly string[] {
    return this.call(() => {
      const { h5, messages } = this.library;
      const names = h5.get_names(this.id, '/', true);
      if (messages.reason === '') return names;
      throw badHeader(this.where, `The list of what the file holds cannot be read: ${messages.reason}.`);
    });
  }

  private attributeAt(path: string, name: string): Hdf5Value {
    const where = placeIn(this.where, `${path}@${name}`);
    return this.call(() => readAttribute(this.library, this.id, path, name, where));
  }

  private entryOf(path: string): Hdf5Entry {
    const { h5 } = this.library;
    const external = this.call(() => h5.get_external_link(this.id, path)).filename;
    if (external !== undefined) return { path, kind: 'link to another file', target: external };
    const soft = this.call(() => h5.get_symbolic_link(this.id, path));
    const target = soft === null ? {} : { target: this.resolveLinkOrNot(path) ?? soft };
    const type =
      soft !== null && this.resolveLinkOrNot(path) === undefined
        ? -1
        : this.call(() => h5.get_type(this.id, path));
    const kind =
      type === h5.H5G_DATASET
        ? 'dataset'
        : type === h5.H5G_GROUP
          ? 'group'
          : type === h5.H5G_TYPE
            ? 'type'
            : 'broken link';
    return { path, kind, ...target };
  }

  private place(path: string): DatasetPlace {
    const target = this.resolve(path);
    const type = this.call(() => this.library.h5.get_type(this.id, target));
    if (type !== this.library.h5.H5G_DATASET)
      throw unsupported(placeIn(this.where, path), 'This is no dataset.', `Datasets: ${this.known()}.`);
    const { id, library, source, superblock, exposed, options } = this;
    return {
      id,
      library,
      source,
      superblock,
      exposed,
      options,
      path: target,
      where: placeIn(this.where, path),
    };
  }

  /** The path without soft links; no part of it lies in another file. */
  private resolve(path: string): string {
    let rest = absolute(path).split('/').filter(Boolean);
    let at = '';
    for (let links = 0; rest.length > 0;) {
      const next = `${at}/${rest[0]}`;
      const external = this.call(() => this.library.h5.get_external_link(this.id, next)).filename;
      if (external !== undefined) {
        throw unsafe(
          placeIn(this.where, path),
          `"${next}" is a link into another file, ${external}.`,
          'It was not opened. If you trust it, open that file itself.',
        );
      }
      const target = this.call(() => this.library.h5.get_symbolic_link(this.id, next));
      if (target === null) {
        at = next;
        rest = rest.slice(1);
        continue;
      }
      if (++links > MAX_SOFT_LINKS) throw this.missing(path, 'its links lead round');
      rest = [...target.split('/').filter(Boolean), ...rest.slice(1)];
      if (target.startsWith('/')) at = '';
    }
    if (at !== '' && this.call(() => this.library.h5.get_type(this.id, at)) < 0)
      throw this.missing(path, 'there is none');
    return at === '' ? '/' : at;
  }

  private resolveLinkOrNot(path: string): string | undefined {
    try {
      return this.resolve(path);
    } catch (error) {
      if (error instanceof InputError && ['MEMBER_MISSING', 'UNSAFE'].includes(error.code)) return undefined;
      throw error;
    }
  }

  private missing(path: string, why: string): InputError {
    return new InputError('MEMBER_MISSING', `The file has no "${path}": ${why}.`, {
      where: this.where,
      hint: `Datasets: ${this.known()}.`,
    });
  }

  private known(): string {
    const paths = (this.list ?? []).filter(({ kind }) => kind === 'dataset').map(({ path }) => path);
    return paths.slice(0, 20).join(', ') || 'see its entries';
  }

  /** Calls into the library; its complaints are kept from the console, its exceptions become typed. */
  private call<T>(run: () => T): T {
    if (!this.isOpen) throw new InputError('FILE_CLOSED', 'The file was closed.', { where: this.where });
    this.library.messages.clear();
    this.exposed.fault = undefined;
    try {
      return run();
    } catch (cause) {
      if (this.exposed.fault) throw this.exposed.fault as Error; // why the library failed
      if (cause instanceof InputError) throw cause;
      throw badHeader(
        this.where,
        `The HDF5 library fails: ${this.library.messages.reason || String(cause)}.`,
        cause,
      );
    }
  }
}

const absolute = (path: string): string => `/${path.split('/').filter(Boolean).join('/')}`;
