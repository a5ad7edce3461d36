import type { ByteSource } from '../byte-source.js';
import { badHeader, corruptData, tooLarge, truncated, unsafe, unsupported } from '../format-error.js';
import {
  bytesOfType,
  elementCount,
  numbersOf,
  swapBytes,
  type NumericArray,
  type NumericType,
} from '../numeric-array.js';
import { selectionWithin, type Selection } from '../selection.js';
import { BLOCK_BYTES, blocksOf } from './blocks.js';
import { hasChunkTree, readChunks } from './chunks.js';
import { describeOddNumber } from './datatype.js';
import { filterName, LZF, OWN, refuseUnknownFilters } from './filters.js';
import type { Hdf5Dataset, Hdf5Options } from './hdf5-file.js';
import type { ExposedFile, Filter, LoadedLibrary, Metadata } from './library.js';
import { readBuffer, textsOf } from './memory.js';
import { MESSAGE, readObjectHeader, sharedAddress, type HeaderMessage } from './object-header.js';
import { readUnsigned, type Superblock } from './superblock.js';
import { describeType } from './types.js';

/** A dataset of an open file, its links followed. */
export interface DatasetPlace {
  readonly id: bigint;
  readonly library: LoadedLibrary;
  readonly source: ByteSource;
  readonly superblock: Superblock;
  readonly exposed: ExposedFile;
  readonly options: Hdf5Options;
  readonly path: string;
  readonly where: string;
}

const MAX_BYTES = 4 * 2 ** 30;
/** The library unpacks whole chunks in its own memory, which ends at 2 GiB. */
const MAX_CHUNK_BYTES = 2 ** 30;
/** No filter shrinks data further than Deflate, which reaches about 1030 times; below the floor it does not matter. */
const MAX_RATIO = 1100;
const RATIO_FLOOR = 64 * 2 ** 20;
const ENUMERATION = 8;

export function describeDataset(place: DatasetPlace): Hdf5Dataset {
  const metadata = metadataOf(place);
  const filters = place.library.h5.get_dataset_filters(place.id, place.path);
  const { shape, chunks } = metadata;
  return { path: place.path, shape, chunks, ...describeType(metadata), filters: filters.map(filterName) };
}

export function readNumbers(place: DatasetPlace, given?: Selection): NumericArray {
  const { where } = place;
  const { metadata, messages, filters } = requireReadable(place);
  const { type, isBigEndian } = describeType(metadata);
  if (!isNumeric(type)) {
    const hint =
      type === 'text' ? 'Read it as texts.' : 'Store plain numbers, each field in a dataset of its own.';
    throw unsupported(where, `The dataset is of type ${type}, not plain numbers.`, hint);
  }
  const odd = oddNumber(place, messages);
  if (odd) throw unsupported(where, `The dataset holds ${odd}, which are not read.`);
  const shape = metadata.shape!;
  const selection = selectionWithin(given, shape, where);
  const size = bytesOfType(type);
  refuseLarge(place, metadata, elementCount(selection.count) * size);
  let bytes: Uint8Array;
  if (isReadHere(messages, filters)) {
    bytes = readChunks({ ...place, messages, filters, chunks: metadata.chunks ?? [], size }, selection);
    if (isBigEndian) swapBytes(bytes, size);
  } else {
    bytes = readByLibrary(place, metadata, selection, given === undefined);
    // the library turns the bytes of numbers, but not those of enumerations
    if (isBigEndian && metadata.type === ENUMERATION) swapBytes(bytes, size);
  }
  return { shape: selection.count, type, isBigEndian, data: numbersOf(bytes, type) };
}

export function readTexts(place: DatasetPlace): { shape: readonly number[]; texts: readonly string[] } {
  const { where, library, id, path } = place;
  const { metadata, messages, filters } = requireReadable(place);
  if (describeType(metadata).type !== 'text')
    throw unsupported(where, 'The dataset holds no texts.', 'Read it as numbers.');
  if (filters.some(({ id }) => id === LZF)) throw unsupported(where, 'Texts packed with LZF are not read.');
  const bytes = metadata.size * metadata.total_size;
  refuseLarge(place, metadata, bytes);
  const shape = metadata.shape!;
  if (!metadata.vlen && isReadHere(messages, filters)) {
    const chunked = { ...place, messages, filters, chunks: metadata.chunks ?? [], size: metadata.size };
    const content = readChunks(chunked, selectionWithin(undefined, shape, where));
    return { shape, texts: textsOf(library.h5, content, metadata) };
  }
  const read = (at: number): number => library.h5.get_dataset_data(id, path, null, null, null, BigInt(at));
  library.messages.clear();
  const texts = readBuffer(library.h5, bytes, read, (content, pointer) => {
    const found = textsOf(library.h5, content, metadata);
    if (metadata.vlen) library.h5.reclaim_vlen_memory(id, path, '', BigInt(pointer));
    return found;
  });
  if (texts === undefined) throw readFailure(place, filters);
  return { shape, texts };
}

/** The library takes a chunk of another size than it should have, and hands out what stood in its memory; here it is refused. */
const isReadHere = (messages: readonly HeaderMessage[], filters: readonly Filter[]): boolean =>
  filters.some(({ id }) => id === LZF) || (hasChunkTree(messages) && filters.every(({ id }) => OWN.has(id)));

const isNumeric = (type: string): type is NumericType => /^(bool|u?int\d+|float\d+)$/.test(type);

function metadataOf({ library, id, path, where }: DatasetPlace): Metadata {
  library.messages.clear();
  try {
    return library.h5.get_dataset_metadata(id, path);
  } catch (cause) {
    throw badHeader(
      where,
      `The dataset cannot be opened: ${library.messages.reason || String(cause)}.`,
      cause,
    );
  }
}

interface Readable {
  readonly metadata: Metadata;
  readonly messages: readonly HeaderMessage[];
  readonly filters: readonly Filter[];
}

/** Refuses numbers in other files, filters that are not there, and spaces without numbers. */
function requireReadable(place: DatasetPlace): Readable {
  const { library, id, path, where, source, superblock } = place;
  const metadata = metadataOf(place);
  const reference = Uint8Array.from(library.h5.create_object_reference(id, path)); // the address of its header
  const address = readUnsigned(new DataView(reference.buffer), 0, 8);
  const messages = readObjectHeader(source, superblock, address);
  if (messages.some(({ type }) => type === MESSAGE.externalFiles)) {
    throw unsafe(
      where,
      'The numbers of this dataset lie in another file.',
      'It was not opened. Copy the dataset into one file with h5repack.',
    );
  }
  const outside = metadata.virtual_sources?.find((virtual) => virtual.file_name !== '.');
  if (outside) {
    throw unsafe(
      where,
      `The dataset is put together from other files, such as ${outside.file_name}.`,
      'They were not opened. Copy the dataset into one file with h5repack.',
    );
  }
  const filters = library.h5.get_dataset_filters(id, path);
  refuseUnknownFilters(filters, where);
  if (metadata.shape === null) throw unsupported(where, 'The dataset is an empty space: it has no numbers.');
  return { metadata, messages, filters };
}

/** What is odd about the stored numbers, or undefined. */
function oddNumber(
  { source, superblock }: DatasetPlace,
  messages: readonly HeaderMessage[],
): string | undefined {
  let message = messages.find(({ type }) => type === MESSAGE.datatype);
  if (message?.isShared) {
    const address = sharedAddress(message.data, superblock);
    message =
      address === undefined
        ? undefined
        : readObjectHeader(source, superblock, address).find(({ type }) => type === MESSAGE.datatype);
  }
  return message ? describeOddNumber(message.data) : 'a type that lies in a table of shared messages';
}

/** @throws InputError TOO_LARGE, before anything is allocated */
function refuseLarge({ source, options, where }: DatasetPlace, metadata: Metadata, bytes: number): void {
  const { maxBytes = MAX_BYTES } = options;
  const shape = `[${metadata.shape!.join(', ')}]`;
  if (!(bytes <= maxBytes))
    throw tooLarge(where, `The dataset ${shape} has ${bytes} bytes; the limit here is ${maxBytes}.`);
  const chunkBytes = (metadata.chunks ?? []).reduce((product, size) => product * size, metadata.size);
  if (chunkBytes > MAX_CHUNK_BYTES)
    throw tooLarge(where, `A chunk of the dataset ${shape} has ${chunkBytes} bytes.`);
  const canHold = Math.max(RATIO_FLOOR, source.size * MAX_RATIO);
  if (Math.max(bytes, chunkBytes) > canHold)
    throw tooLarge(where, `The dataset ${shape} claims more than a file of ${source.size} bytes can hold.`);
}

function readByLibrary(
  place: DatasetPlace,
  metadata: Metadata,
  selection: Selection,
  isWhole: boolean,
): Uint8Array {
  const { library, id, path } = place;
  const { h5 } = library;
  const { start, count } = selection;
  const bytes = new Uint8Array(elementCount(count) * metadata.size);
  if (bytes.length === 0) return bytes;
  library.messages.clear();
  const blocks =
    isWhole && bytes.length <= BLOCK_BYTES
      ? [undefined]
      : blocksOf(selection, metadata.size, metadata.chunks);
  let at = 0;
  for (const block of blocks) {
    const length = block ? elementCount(block.count) * metadata.size : bytes.length;
    const read = (pointer: number): number =>
      h5.get_dataset_data(
        id,
        path,
        block ? block.count.map(BigInt) : null,
        block ? block.start.map(BigInt) : null,
        block ? start.map(() => 1n) : null,
        BigInt(pointer),
      );
    const isRead = readBuffer(h5, length, read, (content) => {
      bytes.set(content, at);
      return true;
    });
    if (!isRead) throw readFailure(place, h5.get_dataset_filters(id, path));
    at += length;
  }
  return bytes;
}

function readFailure({ exposed, library, where }: DatasetPlace, filters: readonly Filter[]): unknown {
  if (exposed.fault) return exposed.fault;
  const { reason, all } = library.messages;
  if (/required filter .* is not (registered|available)|not available/i.test(all))
    return unsupported(
      where,
      `The dataset needs a filter that is not there: ${filters.map(filterName).join(', ')}.`,
    );
  const message = `The numbers cannot be read: ${reason || 'no reason given'}.`;
  return /addr overflow|beyond end|truncated|file read failed/i.test(all)
    ? truncated(where, message)
    : corruptData(where, message);
}
