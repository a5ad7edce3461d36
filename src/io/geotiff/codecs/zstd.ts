import { BlockFault } from '../kernels.js';

/**
 * Loads the Zstandard decoder.
 * @returns a function that unpacks to at most `room` bytes and throws BlockFault
 */
export async function loadZstd(): Promise<(input: Uint8Array, room: number) => Uint8Array> {
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
