import type { HeadReader } from '../raster-source.js';
import type { Directory } from '../directory.js';
import { inflateBlock, kernelInput, unpackLzw } from '../kernels.js';
import { compressionName, type Layout } from '../layout.js';
import { unsupported as unsupportedFile } from '../../format-error.js';
import { TAG } from '../tags.js';
import { unpackPackBits } from './packbits.js';
import { loadZstd } from './zstd.js';

/** How the blocks of a page are decoded. */
export interface Codec {
  /** Bytes come in this machine's order, whatever the file's is. */
  readonly isNative: boolean;
  /** Memory into which a packed block may be read to save a copy; the next call overwrites it. */
  input?(length: number): Uint8Array;
  /**
   * @param rows of the block that are in the image
   * @returns at least the bytes of these rows; a view that the next call may overwrite
   * @throws BlockFault
   */
  decode(input: Uint8Array, rows: number): Uint8Array;
}

type Loader = (layout: Layout, page: Directory) => Promise<Codec | undefined> | Codec | undefined;

const bytewise =
  (unpack: (input: Uint8Array, room: number) => Uint8Array): Loader =>
  ({ rowBytes, blockHeight }) => ({
    isNative: false,
    decode: (input) => unpack(input, rowBytes * blockHeight),
  });
/** As `bytewise`, with packed blocks read into the kernels' memory. */
const kernel =
  (unpack: (input: Uint8Array, room: number) => Uint8Array): Loader =>
  ({ rowBytes, blockHeight }) => ({
    isNative: false,
    input: (length) => kernelInput(length, rowBytes * blockHeight),
    decode: (input) => unpack(input, rowBytes * blockHeight),
  });
const plain: Codec = { isNative: false, decode: (input) => input };

/** Loader by compression number; undefined from a loader: this form of it is not read. */
const LOADERS: Readonly<Record<number, Loader>> = {
  1: () => plain,
  5: kernel(unpackLzw),
  7: async (layout, page) => {
    if (layout.bits !== 8 || layout.type !== 'uint8') return undefined;
    const { loadJpeg } = await import('./jpeg.js');
    return { isNative: true, decode: await loadJpeg(layout, page.bytes(TAG.jpegTables)) };
  },
  8: kernel(inflateBlock),
  32773: bytewise(unpackPackBits),
  32946: kernel(inflateBlock),
  34887: async (layout, page) => {
    if (layout.bits % 8 !== 0 || layout.bits > 64 || layout.type.endsWith('int64')) return undefined;
    const { loadLerc } = await import('./lerc.js');
    const decode = await loadLerc(layout, page.numbers(TAG.lercParameters)?.[1] ?? 0);
    return decode && { isNative: true, decode };
  },
  50000: async (layout, page) => bytewise(await loadZstd())(layout, page),
  50001: async (layout) => {
    if (layout.bits !== 8 || layout.samplesPerBlockPixel < 3 || layout.samplesPerBlockPixel > 4)
      return undefined;
    const { loadWebp } = await import('./webp.js');
    return { isNative: true, decode: await loadWebp(layout) };
  },
};

/** Whether blocks of this compression can be read at all. */
export const isKnownCompression = (code: number): boolean => Object.hasOwn(LOADERS, code);

/** @throws InputError UNSUPPORTED, with number and name */
export function refuseCompression(layout: Layout, source: HeadReader): void {
  if (!isKnownCompression(layout.compression)) throw unsupported(layout, source);
}

const unsupported = ({ compression, type, bits, samplesPerBlockPixel }: Layout, source: HeadReader): Error =>
  unsupportedFile(
    source.where,
    `Its pixels are compressed by ${compressionName(compression)}${isKnownCompression(compression) ? ` of ${samplesPerBlockPixel} × ${type} with ${bits} bits` : ''}, which is not read.`,
  );

/** @throws InputError UNSUPPORTED */
export async function loadCodec(layout: Layout, page: Directory, source: HeadReader): Promise<Codec> {
  const codec = await LOADERS[layout.compression]?.(layout, page);
  if (!codec) throw unsupported(layout, source);
  return codec;
}
