import type { ByteSource } from '../byte-source.js';
import { checkGlobalHeap, isGlobalHeap } from './global-heap.js';
import type { Superblock } from './superblock.js';

/** What of the HDF5 library is used. Names and arguments are h5wasm's; files are ids, below 0 for none. */
export interface Hdf5Library {
  readonly HEAPU8: Uint8Array;
  readonly FS: FileSystem;
  readonly H5F_ACC_RDONLY: number;
  readonly H5G_GROUP: number;
  readonly H5G_DATASET: number;
  readonly H5G_TYPE: number;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  UTF8ToString(pointer: number): string;
  open(name: string, mode: number, trackOrder: boolean, low: number, high: number): bigint;
  close_file(file: bigint): number;
  get_names(file: bigint, path: string, isRecursive: boolean): string[];
  get_type(file: bigint, path: string): number;
  get_symbolic_link(file: bigint, path: string): string | null;
  get_external_link(file: bigint, path: string): { filename?: string; obj_path?: string };
  get_attribute_names(file: bigint, path: string): string[];
  get_attribute_metadata(file: bigint, path: string, name: string): Metadata;
  get_attribute_data(file: bigint, path: string, name: string, pointer: bigint): number;
  get_dataset_metadata(file: bigint, path: string): Metadata;
  get_dataset_filters(file: bigint, path: string): Filter[];
  get_dataset_data(
    file: bigint,
    path: string,
    count: readonly bigint[] | null,
    offset: readonly bigint[] | null,
    strides: readonly bigint[] | null,
    pointer: bigint,
  ): number;
  create_object_reference(file: bigint, path: string): ArrayLike<number>;
  reclaim_vlen_memory(file: bigint, path: string, attribute: string, pointer: bigint): number;
}

/** Type and shape of a dataset or an attribute, as h5wasm tells them. */
export interface Metadata {
  /** Class of the type: 0 integer, 1 float, 3 text, 4 bits, 6 compound, 7 reference, 8 enumeration, 9 variable length, 10 array. */
  readonly type: number;
  readonly size: number;
  readonly signed: boolean;
  readonly littleEndian: boolean;
  readonly vlen: boolean;
  readonly cset?: number;
  readonly strpad?: number;
  readonly shape: readonly number[] | null;
  readonly chunks: readonly number[] | null;
  readonly total_size: number;
  readonly enum_type?: { readonly type: number; readonly members: Readonly<Record<string, number>> };
  readonly virtual_sources?: readonly { readonly file_name: string; readonly dset_name: string }[];
}

export interface Filter {
  readonly id: number;
  readonly name: string;
  readonly cd_values: readonly number[];
}

interface FileNode {
  node_ops: { getattr(node: FileNode): { size: number; blocks: number } };
  stream_ops: unknown;
}

interface FileSystem {
  createFile(parent: string, name: string, properties: object, canRead: boolean, canWrite: boolean): FileNode;
  unlink(path: string): void;
  getStream(fd: number): { tty?: { ops: unknown } } | null;
  ErrnoError: new (errno: number) => Error;
}

interface Stream {
  position: number;
}

/** Text that the library prints about its failures, latest last; emptied before each call that may fail. */
export class LibraryMessages {
  private text = '';
  clear(): void {
    this.text = '';
  }
  add(code: number): void {
    if (this.text.length < 20_000) this.text += String.fromCharCode(code);
  }
  /** The innermost reasons, as one line. */
  get reason(): string {
    const reasons = [...this.text.matchAll(/line \d+ in \w+\(\): (.+)/g)].map((match) => match[1]!);
    return [...new Set(reasons)].slice(-2).join('; ');
  }
  get all(): string {
    return this.text;
  }
}

export interface LoadedLibrary {
  readonly h5: Hdf5Library;
  readonly messages: LibraryMessages;
}

let loading: Promise<LoadedLibrary> | undefined;

/**
 * The HDF5 library in WebAssembly, once a thread: about 0.2 s and 40 MB. It has a file system in memory only, so
 * nothing that a file names can be opened but what `exposeFile` put there.
 */
export function loadHdf5Library(): Promise<LoadedLibrary> {
  loading ??= load();
  return loading;
}

async function load(): Promise<LoadedLibrary> {
  const { ready } = await import('h5wasm');
  const h5 = (await ready) as unknown as Hdf5Library;
  const messages = new LibraryMessages();
  const errors = h5.FS.getStream(2);
  // its reports go to the console otherwise
  if (errors?.tty) {
    errors.tty.ops = {
      put_char: (_: unknown, code: number) => code && messages.add(code),
      fsync: () => undefined,
    };
  }
  return { h5, messages };
}

const EIO = 29;
let exposedCount = 0;

export interface ExposedFile {
  /** Path inside the library. */
  readonly path: string;
  /** What stopped the latest read, if anything did; whoever calls the library sets it back. */
  fault: unknown;
  readonly remove: () => void;
}

/**
 * Lets the library see a source as a file, read piece by piece: nothing is copied into its memory as a whole. What would
 * keep it busy for ever is refused when it reads it.
 */
export function exposeFile(
  h5: Hdf5Library,
  source: ByteSource,
  { lengthBytes }: Pick<Superblock, 'lengthBytes'>,
): ExposedFile {
  const name = `source-${++exposedCount}`;
  const node = h5.FS.createFile('/', name, {}, true, false);
  const exposed = {
    path: `/${name}`,
    fault: undefined as unknown,
    remove: () => h5.FS.unlink(`/${name}`),
  };
  const { getattr } = node.node_ops;
  node.node_ops = {
    ...node.node_ops,
    getattr: (of) => ({ ...getattr(of), size: source.size, blocks: Math.ceil(source.size / 512) }),
  };
  node.stream_ops = {
    read(_: Stream, heap: Int8Array, offset: number, length: number, position: number): number {
      const count = Math.max(0, Math.min(length, source.size - position));
      try {
        const bytes = new Uint8Array(heap.buffer, heap.byteOffset + offset, count);
        const found = source.readInto(bytes, position);
        if (isGlobalHeap(bytes)) checkGlobalHeap(source, position, lengthBytes);
        return found;
      } catch (error) {
        exposed.fault = error;
        throw new h5.FS.ErrnoError(EIO);
      }
    },
    llseek(stream: Stream, offset: number, whence: number): number {
      return offset + (whence === 1 ? stream.position : whence === 2 ? source.size : 0);
    },
  };
  return exposed;
}
