import { BlockFault, inflateBlock, unsupportedBlock } from '../kernels.js';
import type { Layout } from '../layout.js';
import { loadZstd } from './zstd.js';

const TYPES: Readonly<Record<string, string>> = {
  int8: 'S8',
  uint8: 'U8',
  int16: 'S16',
  uint16: 'U16',
  int32: 'S32',
  uint32: 'U32',
  float32: 'F32',
  float64: 'F64',
};

/**
 * Loads the LERC decoder. Pixels that its mask hides come back as NaN.
 * @param packing 0: none, 1: Deflate, 2: ZSTD around the LERC data
 * @returns undefined for a packing that is not read
 */
export async function loadLerc(
  layout: Layout,
  packing: number,
): Promise<((input: Uint8Array, rows: number) => Uint8Array) | undefined> {
  if (packing > 2) return undefined;
  const unzstd = packing === 2 ? await loadZstd() : undefined;
  const { decode, getBlobInfo, load } = await import('lerc');
  await load();
  const { blockWidth, blockHeight, samplesPerBlockPixel: samples, rowBytes, type } = layout;
  // LERC data is hardly ever larger than the pixels; a mask and headers come on top
  const room = Math.ceil(rowBytes * blockHeight * 1.25) + 65_536;
  return (input, rows) => {
    const blob = unzstd ? unzstd(input, room) : packing === 1 ? inflateBlock(input, room) : input;
    const info = attempt(() => getBlobInfo(blob));
    const isOther = info.width !== blockWidth || info.height < rows || info.height > blockHeight;
    if (isOther || info.bandCount !== 1 || info.depthCount !== samples) {
      throw new BlockFault(
        `its LERC data has ${info.height} × ${info.width} pixels with ${info.depthCount * info.bandCount} samples, the header ${blockHeight} × ${blockWidth} with ${samples}`,
      );
    }
    const { pixels, mask, pixelType } = attempt(() => decode(blob, { returnInterleaved: true }));
    const values = pixels[0]!;
    if (pixelType !== TYPES[type]) {
      throw new BlockFault(`its LERC data holds ${pixelType} where the header says ${type}`);
    }
    if (mask && mask.includes(0)) {
      if (!layout.isFloat) throw unsupportedBlock('its LERC data hides whole numbers by a mask');
      for (let i = 0; i < mask.length; i++) if (!mask[i]) values.fill(NaN, i * samples, (i + 1) * samples);
    }
    return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  };
}

function attempt<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new BlockFault('its LERC data is damaged', { cause });
  }
}
