import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { unsupported } from '../format-error.js';
import { loadZstd } from '../zstd.js';

/** Unpacks a page to exactly `length` bytes; throws an Error where it does not give them. */
export type Unpack = (packed: Uint8Array, length: number) => Uint8Array;

/**
 * Codecs by Parquet's names; none writes more than the length that the page's header states, which is checked before.
 * @throws InputError UNSUPPORTED, naming the codec
 */
export async function loadCodec(name: string, where: string): Promise<Unpack> {
  switch (name) {
    case 'UNCOMPRESSED':
      return (bytes, length) => exactly(bytes, length);
    case 'SNAPPY': {
      const { snappyUncompress } = await import('hyparquet');
      return (packed, length) => {
        const out = new Uint8Array(length);
        snappyUncompress(packed, out);
        return out;
      };
    }
    case 'GZIP':
      return (packed, length) =>
        exactly(gunzipSync(packed, { maxOutputLength: Math.max(length, 1) }), length);
    case 'BROTLI':
      return (packed, length) =>
        exactly(brotliDecompressSync(packed, { maxOutputLength: Math.max(length, 1) }), length);
    case 'ZSTD':
      return loadZstd();
    default:
      throw unsupported(
        where,
        `The table is packed with the codec ${name}, which is not read.`,
        'Write it again with compression="zstd" or "snappy".',
      );
  }
}

function exactly(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length !== length) throw new Error(`a page gives ${bytes.length} bytes, not ${length}`);
  return bytes;
}
