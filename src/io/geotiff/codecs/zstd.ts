import * as zlib from 'node:zlib';
import { BlockFault } from '../kernels.js';

/** Node has it from 22.15 on. */
type NodeZstd = (data: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/**
 * Loads a Zstandard decoder: Node's own, else one in WebAssembly.
 * @returns a function that decodes at most `room` bytes and throws BlockFault
 */
export async function loadZstd(): Promise<(input: Uint8Array, room: number) => Uint8Array> {
  const native = (zlib as { readonly zstdDecompressSync?: NodeZstd }).zstdDecompressSync;
  if (native) {
    return (input, room) => {
      try {
        return native(input, { maxOutputLength: room });
      } catch (cause) {
        throw new BlockFault('its compressed data is damaged', { cause });
      }
    };
  }
  const { ZSTDDecoder } = await import('zstddec');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return (input, room) => {
    const bytes = decoder.decode(input, room);
    // the decoder does not throw: where it failed, the length it was told is no length
    if (bytes.length === 0 || bytes.length > room) throw new BlockFault('its compressed data is damaged');
    return bytes;
  };
}
