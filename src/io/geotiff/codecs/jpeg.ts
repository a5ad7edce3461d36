import { BlockFault, unsupportedBlock } from '../kernels.js';
import type { Layout } from '../layout.js';

/**
 * Loads the JPEG decoder of the package `geotiff`. Colours stored as YCbCr come back as red, green and blue.
 * @param tables the page's JPEGTables, which its blocks leave out
 */
export async function loadJpeg(
  layout: Layout,
  tables: Uint8Array | undefined,
): Promise<(input: Uint8Array, rows: number) => Uint8Array> {
  const { getDecoder } = await import('geotiff');
  const { blockWidth, blockHeight, samplesPerBlockPixel: samples } = layout;
  const parameters = {
    tileWidth: blockWidth,
    tileHeight: blockHeight,
    predictor: 1,
    bitsPerSample: 8,
    planarConfiguration: 1,
    ...(tables && { JPEGTables: tables }),
  };
  let decoder: Awaited<ReturnType<typeof getDecoder>>;
  try {
    decoder = await getDecoder(7, parameters);
  } catch (cause) {
    return () => {
      throw new BlockFault('the JPEG tables of its page are damaged', { cause });
    };
  }
  const isYCbCr = layout.photometric === 6 && samples === 3;
  return (input, rows) => {
    const frame = readFrame(input);
    if (frame.precision !== 8) {
      throw unsupportedBlock(`its JPEG has ${frame.precision} bits per sample`);
    }
    const fits = frame.width === blockWidth && frame.height >= rows && frame.height <= blockHeight;
    if (!fits || frame.samples !== samples) {
      throw new BlockFault(
        `its JPEG has ${frame.height} × ${frame.width} pixels with ${frame.samples} samples, the header ${blockHeight} × ${blockWidth} with ${samples}`,
      );
    }
    const pixels = decodeWhole(decoder, input);
    if (isYCbCr) toRgb(pixels);
    return pixels;
  };
}

function decodeWhole(decoder: { decodeBlock(buffer: ArrayBuffer): unknown }, input: Uint8Array): Uint8Array {
  try {
    return new Uint8Array(decoder.decodeBlock(Uint8Array.from(input).buffer) as ArrayBuffer);
  } catch (cause) {
    throw new BlockFault('its JPEG stream is damaged', { cause });
  }
}

/** Full-range YCbCr of JFIF to RGB, in place. */
function toRgb(pixels: Uint8Array): void {
  const clamped = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length);
  for (let i = 0; i < clamped.length; i += 3) {
    const y = clamped[i]!;
    const cb = clamped[i + 1]! - 128;
    const cr = clamped[i + 2]! - 128;
    clamped[i] = y + 1.402 * cr;
    clamped[i + 1] = y - 0.344136 * cb - 0.714136 * cr;
    clamped[i + 2] = y + 1.772 * cb;
  }
}

interface Frame {
  readonly precision: number;
  readonly height: number;
  readonly width: number;
  readonly samples: number;
}

/** The frame header of a JPEG stream. */
function readFrame(bytes: Uint8Array): Frame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker === 0xff) at++;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      if (marker > 0xc2) throw unsupportedBlock('its JPEG is lossless or arithmetic');
      return {
        precision: bytes[at + 4]!,
        height: view.getUint16(at + 5),
        width: view.getUint16(at + 7),
        samples: bytes[at + 9]!,
      };
    } else if (marker === 0xda) break;
    else at += 2 + view.getUint16(at + 2);
  }
  throw new BlockFault('it is no JPEG stream');
}
