import type { ZSTDDecoder } from 'zstddec';

/** Unpacks one block to exactly `length` bytes; throws an Error where it does not give them. */
export type UnpackZstd = (packed: Uint8Array, length: number) => Uint8Array;

/** The decoder's memory is shared by all blocks of a thread and never shrinks. */
const MAX_BYTES = 2 ** 30;

let loading: Promise<ZSTDDecoder> | undefined;

/** The Zstandard decoder, once a thread. It never writes more than the length that is asked for. */
export async function loadZstd(): Promise<UnpackZstd> {
  loading ??= import('zstddec').then(async ({ ZSTDDecoder: Decoder }) => {
    const decoder = new Decoder();
    await decoder.init();
    return decoder;
  });
  const decoder = await loading;
  return (packed, length) => {
    if (length > MAX_BYTES) throw new Error(`a block of ${length} bytes is above ${MAX_BYTES}`);
    if (length === 0) return new Uint8Array(0);
    const bytes = decoder.decode(packed, length);
    if (bytes.length !== length) throw new Error(`the block does not unpack to ${length} bytes`);
    return bytes;
  };
}
