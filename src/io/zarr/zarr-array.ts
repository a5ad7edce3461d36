import { InputError } from '../../errors.js';
import { badHeader, corruptData, placeIn, tooLarge } from '../format-error.js';
import { widenFloat16 } from '../half.js';
import {
  bytesOfType,
  elementCount,
  type NumericArray,
  type NumericData,
  type NumericType,
} from '../numeric-array.js';
import { selectionWithin, type Selection } from '../selection.js';
import { chunksWithin, place, type ChunkPlace, type Strided } from './chunk-grid.js';
import { installCodecs, knownCodecs, type CodecRegistry } from './codecs.js';
import { parseMetadata, readMetadata2, readMetadata3, type ZarrMetadata } from './metadata.js';
import { ZarrFolder } from './zarr-folder.js';

export type { ZarrMetadata } from './metadata.js';

export interface ZarrOptions {
  /** Largest array that is read at once, in bytes; default 4 GiB. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

const MAX_BYTES = 4 * 2 ** 30;
const MAX_CHUNK_BYTES = 2 ** 30;
/** Chunks that were never written are fine up to here; above, a store has to hold something. */
const SPARSE_BYTES = 256 * 2 ** 20;
const MAX_RATIO = 1100;

/**
 * An array of a Zarr store, version 2 or 3. Chunks are read one at a time; those never written give the fill value.
 */
export class ZarrArray {
  private constructor(
    private readonly folder: ZarrFolder,
    /** Place in the store: `''` or `/group/name`. */
    readonly key: string,
    readonly metadata: ZarrMetadata,
    readonly where: string,
  ) {}

  /**
   * @param folder the store, or the array's own folder
   * @param name array in it: `group/name`; default: the folder itself is the array
   * @throws InputError FILE_MISSING, NOT_ZARR, BAD_HEADER, UNSUPPORTED, UNSAFE (objects of Python; files outside the folder)
   */
  static open(folder: string | ZarrFolder, name = ''): ZarrArray {
    const store = typeof folder === 'string' ? new ZarrFolder(folder) : folder;
    const key = name
      .split('/')
      .filter(Boolean)
      .map((part) => `/${part}`)
      .join('');
    const where = key === '' ? store.folder : placeIn(store.folder, key.slice(1));
    return new ZarrArray(store, key, readMetadata(store, key, where), where);
  }

  get shape(): readonly number[] {
    return this.metadata.shape;
  }

  /**
   * The numbers, or a part of them: `{ start, count }` along each axis.
   * @throws InputError TOO_LARGE (before anything is allocated), CORRUPT_DATA, TRUNCATED, UNSUPPORTED, UNSAFE, SELECTION_OUTSIDE; the
   *   signal's reason
   */
  async read(given?: Selection, options: ZarrOptions = {}): Promise<NumericArray> {
    const { shape, chunks, type, isBigEndian } = this.metadata;
    const selection = selectionWithin(given, shape, this.where);
    this.refuseLarge(selection, options);
    const stored = storedType(type);
    const data = allocate(stored, elementCount(selection.count));
    if (data.length > 0) {
      const reader = await this.chunkReader(stored);
      for (const at of chunksWithin(selection, this.chunkShape ?? chunks)) {
        options.signal?.throwIfAborted();
        place(await reader(at), at, selection, data);
      }
    }
    return {
      shape: selection.count,
      type,
      isBigEndian,
      data: type === 'float16' ? widenFloat16(data as Uint16Array) : data,
    };
  }

  /** Shape of the pieces that are read one at a time: those inside of shards, where there are shards. */
  private get chunkShape(): readonly number[] | undefined {
    const shards = this.metadata.codecs.find(({ name }) => name === 'sharding_indexed');
    const inner = shards?.configuration['chunk_shape'];
    if (!shards) return undefined;
    const { chunks } = this.metadata;
    const fits =
      Array.isArray(inner) &&
      inner.length === chunks.length &&
      inner.every((size, axis) => Number.isSafeInteger(size) && size > 0 && chunks[axis]! % size === 0);
    if (!fits)
      throw badHeader(
        this.where,
        `Pieces of ${JSON.stringify(inner)} do not fill shards of [${chunks.join(', ')}].`,
      );
    return inner as number[];
  }

  private refuseLarge(selection: Selection, { maxBytes = MAX_BYTES }: ZarrOptions): void {
    const { shape, chunks, type } = this.metadata;
    const bytes = elementCount(selection.count) * bytesOfType(type);
    const chunkBytes = elementCount(this.chunkShape ?? chunks) * bytesOfType(type);
    const claim = `The array [${shape.join(', ')}]`;
    if (!(bytes <= maxBytes))
      throw tooLarge(this.where, `${claim} has ${bytes} bytes; the limit here is ${maxBytes}.`);
    if (!(chunkBytes <= MAX_CHUNK_BYTES))
      throw tooLarge(this.where, `A chunk of the array has ${chunkBytes} bytes.`);
    const larger = Math.max(bytes, chunkBytes);
    if (larger <= SPARSE_BYTES) return;
    const stored = this.folder.storedBytes(this.key, larger / MAX_RATIO);
    if (stored * MAX_RATIO < larger)
      throw tooLarge(this.where, `${claim} claims more than the ${stored} bytes of its files can hold.`);
  }

  private async chunkReader(stored: NumericType): Promise<(at: ChunkPlace) => Promise<Strided>> {
    const { registry, Array: Opened, root } = await import('zarrita');
    installCodecs(registry as unknown as CodecRegistry);
    const { shape, chunks, fill, keys, codecs, attributes } = this.metadata;
    const limit = elementCount(chunks) * bytesOfType(stored) * 2 + 2 ** 16;
    const store = {
      get: (key: string) => Promise.resolve(this.folder.bytes(key, limit)),
      getRange: (key: string, range: Parameters<ZarrFolder['range']>[1]) =>
        Promise.resolve(this.folder.range(key, range)),
    };
    const array = new Opened(
      root(store as never).store,
      (this.key || '/') as never,
      {
        zarr_format: 3,
        node_type: 'array',
        shape: [...shape],
        data_type: stored,
        chunk_grid: { name: 'regular', configuration: { chunk_shape: [...chunks] } },
        chunk_key_encoding: { name: keys.name, configuration: { separator: keys.separator } },
        codecs: knownCodecs(codecs, this.where),
        fill_value: storedFill(fill, this.metadata.type, stored),
        attributes,
      } as never,
    );
    return async (at) => {
      try {
        return (await array.getChunk([...at.index])) as unknown as Strided;
      } catch (cause) {
        const inner = innermost(cause);
        if (inner instanceof InputError) throw inner;
        throw corruptData(
          this.where,
          `The chunk [${at.index.join(', ')}] cannot be read: ${messageOfFault(inner)}.`,
          cause,
        );
      }
    };
  }
}

function readMetadata(store: ZarrFolder, key: string, where: string): ZarrMetadata {
  const v3 = store.isFolder ? store.text(`${key}/zarr.json`) : undefined;
  if (v3 !== undefined) {
    const meta = parseMetadata(v3, where);
    if (meta['node_type'] === 'array') return readMetadata3(meta, where);
    throw notAnArray(store, where);
  }
  const v2 = store.isFolder ? store.text(`${key}/.zarray`) : undefined;
  if (v2 === undefined) throw notAnArray(store, where);
  const attributes = store.text(`${key}/.zattrs`);
  return readMetadata2(
    parseMetadata(v2, where),
    attributes === undefined ? {} : parseMetadata(attributes, where),
    where,
  );
}

function notAnArray(store: ZarrFolder, where: string): InputError {
  const arrays = store.isFolder ? store.nodes().filter((node) => node !== '') : [];
  return new InputError(
    'NOT_ZARR',
    'This is no Zarr array: there is no ".zarray" or "zarr.json" of an array.',
    {
      where,
      hint:
        arrays.length > 0
          ? `Name one of ${arrays
              .slice(0, 20)
              .map((node) => node.slice(1))
              .join(', ')}.`
          : 'Name the folder that holds one of the two.',
    },
  );
}

/** Half floats and booleans are read as whole numbers of the same bits. */
const storedType = (type: NumericType): NumericType =>
  type === 'float16' ? 'uint16' : type === 'bool' ? 'uint8' : type;

function storedFill(fill: ZarrMetadata['fill'], type: NumericType, stored: NumericType): number | bigint {
  if (type === 'float16') return bitsOfFloat16(Number(fill ?? 0));
  const isBig = stored === 'int64' || stored === 'uint64';
  if (fill === null) return isBig ? 0n : 0;
  return isBig ? BigInt(fill) : Number(fill);
}

/** By search, once an array: the half float that widens to the value. */
function bitsOfFloat16(value: number): number {
  const all = widenFloat16(Uint16Array.from({ length: 65_536 }, (_, bits) => bits));
  return Math.max(
    0,
    all.findIndex((candidate) => Object.is(candidate, value)),
  );
}

const allocate = (type: NumericType, length: number): NumericData => new ARRAYS[type](length);

const ARRAYS: Readonly<Record<NumericType, new (length: number) => NumericData>> = {
  bool: Uint8Array,
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  uint64: BigUint64Array,
  int64: BigInt64Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
};

function innermost(error: unknown): unknown {
  let inner = error;
  while (inner instanceof Error && !(inner instanceof InputError) && inner.cause !== undefined)
    inner = inner.cause;
  return inner;
}

const messageOfFault = (error: unknown): string => (error instanceof Error ? error.message : String(error));
