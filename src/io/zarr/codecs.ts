import { gunzipSync, inflateSync } from 'node:zlib';
import { unsupported } from '../format-error.js';
import { loadZstd } from '../zstd.js';
import { codecsOf, type ZarrCodec } from './metadata.js';

/** Why a chunk cannot be unpacked. */
export class ChunkFault extends Error {}

interface ChunkMeta {
  readonly dataType: string;
  readonly shape: readonly number[];
}

interface BytesCodec {
  readonly kind: 'bytes_to_bytes';
  encode(): never;
  decode(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** What of zarrita's list of codecs is used. */
export interface CodecRegistry {
  get(name: string): (() => unknown) | undefined;
  set(name: string, load: () => unknown): unknown;
}

/** Checksums and headers that codecs in between may add. */
const ROOM = 4096;

const encode = (): never => {
  throw new ChunkFault('arrays are not written');
};

/** Bytes that a chunk has once it is unpacked. */
function chunkBytes({ dataType, shape }: ChunkMeta): number {
  const bits = Number(/\d+$/.exec(dataType)?.[0] ?? 8);
  return shape.reduce((product, size) => product * size, 1) * (bits / 8);
}

function codec(
  decode: (bytes: Uint8Array, expected: number, meta: ChunkMeta) => Uint8Array | Promise<Uint8Array>,
): () => { fromConfig(configuration: unknown, meta: ChunkMeta): BytesCodec } {
  return () => ({
    fromConfig: (_, meta) => ({
      kind: 'bytes_to_bytes',
      encode,
      decode: (bytes) => decode(bytes, chunkBytes(meta), meta),
    }),
  });
}

interface ArrayCodec {
  readonly kind: string;
  decode(bytes: Uint8Array): unknown;
}

/** Codecs that never unpack more than the chunk they are for; others are refused by name. */
export function installCodecs(registry: CodecRegistry): void {
  if (installed.has(registry)) return;
  installed.add(registry);
  registry.set(
    'gzip',
    codec((bytes, expected) => gunzipSync(bytes, { maxOutputLength: expected + ROOM })),
  );
  registry.set(
    'zlib',
    codec((bytes, expected) => inflateSync(bytes, { maxOutputLength: expected + ROOM })),
  );
  registry.set(
    'zstd',
    codec(async (bytes, expected) => (await loadZstd())(bytes, expected)),
  );
  for (const [name, sizeAt] of [
    ['blosc', 4],
    ['lz4', 0],
  ] as const) {
    const load = registry.get(name)!;
    registry.set(name, async () => {
      const Original = (await load()) as { fromConfig(configuration: unknown, meta: ChunkMeta): ArrayCodec };
      return {
        fromConfig(configuration: unknown, meta: ChunkMeta): BytesCodec {
          const original = Original.fromConfig(configuration, meta);
          const decode = (bytes: Uint8Array): Uint8Array | Promise<Uint8Array> => {
            refuseClaim(bytes, sizeAt, chunkBytes(meta));
            return original.decode(bytes) as Uint8Array;
          };
          return { kind: 'bytes_to_bytes', encode, decode };
        },
      };
    });
  }
  const load = registry.get('bytes')!;
  registry.set('bytes', async () => {
    const Original = (await load()) as { fromConfig(configuration: unknown, meta: ChunkMeta): ArrayCodec };
    return {
      fromConfig(configuration: unknown, meta: ChunkMeta): unknown {
        const original = Original.fromConfig(configuration, meta);
        const expected = chunkBytes(meta);
        return Object.assign(Object.create(original) as object, {
          kind: original.kind,
          computeEncodedSize: (size: number) => size,
          decode(bytes: Uint8Array): unknown {
            if (bytes.length !== expected)
              throw new ChunkFault(`it gives ${bytes.length} bytes, not ${expected}`);
            // shared memory and odd places of it are no concern of what follows
            return original.decode(bytes.byteOffset % 8 === 0 ? bytes : bytes.slice());
          },
        });
      },
    };
  });
}

const installed = new WeakSet<object>();

function refuseClaim(bytes: Uint8Array, at: number, expected: number): void {
  if (bytes.length < at + 4) throw new ChunkFault('it ends inside its first bytes');
  const claimed = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
  if (claimed > expected + ROOM) throw new ChunkFault(`it claims ${claimed} bytes, not ${expected}`);
}

const NAMES = new Set([
  'bytes',
  'transpose',
  'gzip',
  'zlib',
  'zstd',
  'blosc',
  'lz4',
  'crc32c',
  'shuffle',
  'delta',
]);

/**
 * The codecs under the names that zarrita has for them.
 * @throws InputError UNSUPPORTED, naming the codec
 */
export function knownCodecs(codecs: readonly ZarrCodec[], where: string): ZarrCodec[] {
  return codecs.map(({ name, configuration }) => {
    const short = name.replace(/^numcodecs\./, '');
    if (short === 'sharding_indexed') {
      const inner = knownCodecs(codecsOf(configuration['codecs'], where), where);
      const index = knownCodecs(codecsOf(configuration['index_codecs'], where), where);
      if (configuration['index_location'] !== undefined && configuration['index_location'] !== 'end')
        throw unsupported(where, 'The shards have their index at the start; at the end it is read.');
      return { name: short, configuration: { ...configuration, codecs: inner, index_codecs: index } };
    }
    if (!NAMES.has(short))
      throw unsupported(
        where,
        `The chunks are packed with the codec ${name}, which is not read.`,
        'Pack them with blosc, gzip or zstd.',
      );
    return { name: short === 'shuffle' || short === 'delta' ? `numcodecs.${short}` : short, configuration };
  });
}
