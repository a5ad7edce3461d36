import { BlockFault } from '../kernels.js';
import type { Layout } from '../layout.js';

/** Loads the WebP decoder, for blocks of three or four samples of 8 bits. */
export async function loadWebp(layout: Layout): Promise<(input: Uint8Array, rows: number) => Uint8Array> {
  const { decode } = await import('@cwasm/webp');
  const { blockWidth, blockHeight, samplesPerBlockPixel: samples } = layout;
  return (input, rows) => {
    const size = readSize(input);
    if (size.width !== blockWidth || size.height < rows || size.height > blockHeight) {
      throw new BlockFault(
        `its WebP image has ${size.height} × ${size.width} pixels, the header ${blockHeight} × ${blockWidth}`,
      );
    }
    let rgba: Uint8ClampedArray;
    try {
      rgba = decode(input).data;
    } catch (cause) {
      throw new BlockFault('its WebP data is damaged', { cause });
    }
    if (samples === 4) return new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.length);
    const rgb = new Uint8Array((rgba.length / 4) * 3);
    for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
      rgb[to] = rgba[from]!;
      rgb[to + 1] = rgba[from + 1]!;
      rgb[to + 2] = rgba[from + 2]!;
    }
    return rgb;
  };
}

/** Width and height from the first chunk of a WebP file: `VP8 `, `VP8L` or `VP8X`. */
function readSize(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = file.toString('latin1', 12, 16);
  if (file.length >= 30 && file.toString('latin1', 0, 4) === 'RIFF') {
    if (kind === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
    if (kind === 'VP8 ') {
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
    }
    const bits = file.readUInt32LE(21);
    if (kind === 'VP8L') return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  throw new BlockFault('it is no WebP image');
}
