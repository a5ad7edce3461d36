import { FileInput, readPickle, type PickleOptions, type PickleValue } from '../io/pickle.js';
import { ZipArchive } from '../io/zip.js';
import { malformed, unsupported } from './checkpoint-error.js';
import { refuseDangerous } from './dangerous-names.js';
import type { FileBytes } from './file-bytes.js';
import { closedError, type Storage } from './tensor-entry.js';
import {
  parseStorageReference,
  torchReducers,
  TypedStorage,
  type StorageReference,
} from './torch-rebuild.js';

/** What a file of PyTorch holds; tensors are `TensorEntry` values in `tree`. */
export interface TorchContent {
  readonly tree: PickleValue;
  /** Classes and functions that the file names, first seen first. */
  readonly names: readonly string[];
  readonly close: () => void;
}

const MAX_PICKLE_BYTES = 512 * 2 ** 20;

/** The form of `torch.save` since PyTorch 1.6: a zip archive, one stored record a storage. */
export async function readTorchZip(file: string): Promise<TorchContent> {
  const zip = await ZipArchive.open(file);
  try {
    const root = findRoot(zip);
    const bytes = await readPickleRecord(zip, `${root}data.pkl`);
    const storages = new Map<string, Storage>();
    let isOpen = true;
    const read = (name: string, start: number, length: number): Uint8Array => {
      if (!isOpen) throw closedError(file);
      return zip.readStored(name, start, length);
    };
    const open = (reference: StorageReference): Storage => {
      const known = storages.get(reference.key);
      const storage = known ?? openRecord(zip, `${root}data/${reference.key}`, reference, read);
      if (storage.byteLength < reference.byteLength) {
        throw malformed(
          file,
          `Storage "${reference.key}" has ${storage.byteLength} bytes of ${reference.byteLength}.`,
        );
      }
      storages.set(reference.key, storage);
      return storage;
    };
    const names: string[] = [];
    const tree = readPickle(bytes, pickleOptions(file, names, open));
    const close = (): void => {
      isOpen = false;
      zip.close();
    };
    return { tree, names, close };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** Name of the one folder in the archive, with its slash: the stem of the file, or `archive`. */
function findRoot(zip: ZipArchive): string {
  const roots = [...zip.entries.keys()]
    .filter((name) => /^[^/]+\/data\.pkl$/.test(name))
    .map((name) => name.slice(0, -8));
  if (roots.length > 1) throw malformed(zip.path, `It holds ${roots.length} pickles (${roots.join(', ')}).`);
  const root = roots[0];
  if (root === undefined) {
    const some = [...zip.entries.keys()].slice(0, 3).join(', ');
    throw malformed(
      zip.path,
      `It is a zip archive without the record data.pkl; it holds ${some || 'nothing'}.`,
    );
  }
  if (
    zip.entries.has(`${root}constants.pkl`) ||
    [...zip.entries.keys()].some((name) => name.startsWith(`${root}code/`))
  ) {
    throw unsupported(
      zip.path,
      'The file is a TorchScript program (torch.jit.save), not a checkpoint.',
      'Save its weights in PyTorch: torch.save(torch.jit.load(FILE).state_dict(), NEW_FILE).',
    );
  }
  const order = zip.entries.get(`${root}byteorder`);
  if (order && order.isStored && order.size < 16) {
    const text = new TextDecoder().decode(zip.readStored(order.name, 0, order.size)).trim();
    if (text !== 'little') {
      throw unsupported(
        zip.path,
        `The file has the byte order "${text}".`,
        'Save it again on a little-endian machine.',
      );
    }
  }
  return root;
}

async function readPickleRecord(zip: ZipArchive, name: string): Promise<Uint8Array> {
  const entry = zip.entries.get(name)!;
  if (entry.size > MAX_PICKLE_BYTES) throw malformed(zip.path, `Its pickle claims ${entry.size} bytes.`);
  return entry.isStored ? zip.readStored(name, 0, entry.size) : zip.read(name, MAX_PICKLE_BYTES);
}

function openRecord(
  zip: ZipArchive,
  name: string,
  { key }: StorageReference,
  read: (name: string, start: number, length: number) => Uint8Array,
): Storage {
  const entry = zip.entries.get(name);
  if (!entry) throw malformed(zip.path, `The record of storage "${key}" is missing.`);
  if (!entry.isStored) {
    throw unsupported(
      zip.path,
      `The record of storage "${key}" is compressed, which PyTorch never does.`,
      'Unpack the archive and pack it again without compression (zip -0 -r).',
    );
  }
  return { key, byteLength: entry.size, read: (start, length) => read(name, start, length) };
}

/** First pickle of the older form: a number that stands for it. */
const LEGACY_MAGIC = 0x1950a86a20f9469cfc6cn;
const LEGACY_PROTOCOL = 1001;

/** True where the first bytes are those of the older form; a pickle of another kind is something else. */
export const isTorchLegacy = (head: Uint8Array): boolean =>
  Buffer.from(head.subarray(0, 14)).toString('hex').includes('8a0a6cfc9c46f9206aa85019');

/** The form before PyTorch 1.6: five pickles, then the storages one after another, each with its length. */
export function readTorchLegacy(file: FileBytes): TorchContent {
  const where = file.path;
  const input = new FileInput(file.fd, 0, Math.min(file.size, Number.MAX_SAFE_INTEGER));
  const simple = {
    where,
    maxObjects: 10_000,
    onGlobal: (global) => refuseDangerous(global, where),
  } satisfies PickleOptions;
  if (readPickle(input, simple) !== LEGACY_MAGIC)
    throw malformed(where, 'It does not start with the mark of PyTorch.');
  if (readPickle(input, simple) !== LEGACY_PROTOCOL) throw malformed(where, 'It has an unknown version.');
  const system = readPickle(input, simple);
  if (system instanceof Map && system.get('little_endian') === false) {
    throw unsupported(where, 'The file has big-endian numbers.', 'Save it again on a little-endian machine.');
  }
  const places = new Map<string, number>(); // filled below: the lengths stand behind the pickles
  const sizes = new Map<string, number>();
  const open = (reference: StorageReference): Storage => {
    const { key, byteLength } = reference;
    const known = sizes.get(key);
    if (known !== undefined && known !== byteLength)
      throw malformed(where, `Storage "${key}" has two lengths.`);
    sizes.set(key, byteLength);
    return { key, byteLength, read: (start, length) => file.read(places.get(key)! + start, length) };
  };
  const names: string[] = [];
  const tree = readPickle(input, pickleOptions(where, names, open));
  const keys = readPickle(input, simple);
  if (!Array.isArray(keys)) throw malformed(where, 'The list of its storages is missing.');
  locateStorages(file, input.position, keys, sizes, places);
  return { tree, names, close: () => file.close() };
}

function locateStorages(
  file: FileBytes,
  start: number,
  keys: readonly PickleValue[],
  sizes: ReadonlyMap<string, number>,
  places: Map<string, number>,
): void {
  let position = start;
  for (const key of keys) {
    const byteLength = typeof key === 'string' ? sizes.get(key) : undefined;
    if (typeof key !== 'string' || byteLength === undefined)
      throw malformed(file.path, 'It lists a storage that no tensor uses.');
    const head = file.read(position, 8);
    const count = new DataView(head.buffer, head.byteOffset, 8).getBigInt64(0, true);
    // an element has 1 to 16 bytes; the class of the storage has told how many
    if (count < 0n || BigInt(byteLength) % (count || 1n) !== 0n || (count === 0n) !== (byteLength === 0)) {
      throw malformed(file.path, `Storage "${key}" has ${count} elements, not ${byteLength} bytes of them.`);
    }
    position += 8;
    if (position + byteLength > file.size)
      throw malformed(file.path, `The file ends inside storage "${key}".`);
    places.set(key, position);
    position += byteLength;
  }
  for (const key of sizes.keys())
    if (!places.has(key)) throw malformed(file.path, `Storage "${key}" is not in the file.`);
}

function pickleOptions(
  where: string,
  names: string[],
  open: (reference: StorageReference) => Storage,
): PickleOptions {
  return {
    where,
    reducers: torchReducers(where),
    onGlobal: (global) => {
      refuseDangerous(global, where);
      names.push(global.fullName);
    },
    persistentId: (id) => {
      const reference = parseStorageReference(id, where);
      return new TypedStorage(open(reference), reference.dtype, reference.typeName, reference.view?.offset);
    },
  };
}
