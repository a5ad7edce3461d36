import { BlockFault, unsupportedBlock } from './geotiff/kernels.js';

/** What the frame header of a JPEG stream says. */
export interface JpegFrame {
  /** Bits per sample. */
  readonly precision: number;
  readonly height: number;
  readonly width: number;
  /** Samples of a pixel. */
  readonly samples: number;
  /** Whether three samples are luma and two differences of colour, as JFIF has them. */
  readonly isYCbCr: boolean;
}

/**
 * The decoder of the package `geotiff`: [height, width, sample] of uint8, colours as they are stored. The caller checks
 * the size of the frame first.
 * @param tables a stream of tables that the others leave out
 * @throws BlockFault
 */
export async function loadJpegDecoder(tables?: Uint8Array): Promise<(stream: Uint8Array) => Uint8Array> {
  const { getDecoder } = await import('geotiff');
  const plain = { tileWidth: 1, tileHeight: 1, predictor: 1, bitsPerSample: 8, planarConfiguration: 1 };
  let decoder: Awaited<ReturnType<typeof getDecoder>>;
  try {
    decoder = await getDecoder(7, { ...plain, ...(tables && { JPEGTables: tables }) });
  } catch (cause) {
    throw new BlockFault('its JPEG tables are damaged', { cause });
  }
  return (stream) => {
    try {
      return new Uint8Array(decoder.decodeBlock(Uint8Array.from(stream).buffer) as ArrayBuffer);
    } catch (cause) {
      throw new BlockFault('its JPEG stream is damaged', { cause });
    }
  };
}

/** Full-range YCbCr of JFIF to RGB, in place; `pixels` is [pixel, 3]. */
export function yCbCrToRgb(pixels: Uint8Array): void {
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

const FIRST_FRAME = 0xc0;
const LAST_READ_FRAME = 0xc2; // baseline, extended, progressive
/** Markers among those of frames that are none: tables and a reserved one. */
const NO_FRAMES = [0xc4, 0xc8, 0xcc];
const ADOBE = 0xee;
const SCAN = 0xda;

/** @throws BlockFault for no JPEG stream, and for frames that are not read: not 8 bits, lossless, arithmetic */
export function readJpegFrame(bytes: Uint8Array): JpegFrame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let adobe: number | undefined;
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker >= FIRST_FRAME && marker <= 0xcf && !NO_FRAMES.includes(marker)) {
      return readFrame(view, at, marker, adobe);
    }
    if (marker === SCAN) break;
    if (marker === ADOBE && at + 15 < bytes.length && bytes[at + 4] === 0x41) adobe = bytes[at + 15];
    at += 2 + view.getUint16(at + 2);
  }
  throw new BlockFault('it is no JPEG stream');
}

function readFrame(view: DataView, at: number, marker: number, adobe: number | undefined): JpegFrame {
  if (marker > LAST_READ_FRAME) throw unsupportedBlock('its JPEG is lossless or arithmetic');
  const precision = view.getUint8(at + 4);
  if (precision !== 8) throw unsupportedBlock(`its JPEG has ${precision} bits per sample`);
  const samples = view.getUint8(at + 9);
  const names = Array.from({ length: Math.min(samples, 4) }, (_, i) =>
    at + 10 + 3 * i < view.byteLength ? view.getUint8(at + 10 + 3 * i) : 0,
  );
  const isNamedRgb = String.fromCharCode(...names) === 'RGB';
  return {
    precision,
    height: view.getUint16(at + 5),
    width: view.getUint16(at + 7),
    samples,
    isYCbCr: samples === 3 && (adobe === undefined ? !isNamedRgb : adobe === 1),
  };
}
