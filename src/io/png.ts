import { convertIndexedToRgb, decode, encode, type DecodedPng } from 'fast-png';
import { messageOf } from './file-errors.js';
import { corruptData, notTheFormat, truncated } from './format-error.js';
import { MAX_IMAGE_FILE_BYTES, readImageHead, refuseHugeImage, type ImageHead } from './image-error.js';
import { CHANNELS, isCutOff, refusePngBomb } from './png-checks.js';
import type { LabelArray, RasterArray } from './raster.js';
import { readWholeFile } from './whole-file.js';

const SIGNATURE = '89504e470d0a1a0a';
const HEADER_BYTES = 29;

/**
 * Reads a PNG as it is stored: 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGB, alpha) bands of uint8 or uint16.
 * A palette becomes RGB; samples of 1, 2 and 4 bits keep their numbers.
 * @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, EMPTY_FILE, NOT_A_RASTER, TRUNCATED, CORRUPT_DATA, TOO_LARGE
 */
export async function readPng(file: string): Promise<RasterArray> {
  const png = await decodeFile(file);
  const { width, height } = png;
  if (!png.palette) return { data: unpackBits(png), width, height, bandCount: png.channels };
  const data = convertIndexedToRgb({ ...png });
  return { data, width, height, bandCount: data.length / (width * height) };
}

/**
 * PNG of an image of uint8 or uint16: 1, 2, 3 or 4 bands.
 * @throws TypeError for other bands or elements
 */
export function encodePng({ data, width, height, bandCount }: RasterArray): Uint8Array {
  if (!(data instanceof Uint8Array || data instanceof Uint16Array) || ![1, 2, 3, 4].includes(bandCount)) {
    throw new TypeError(
      `A PNG holds 1 to 4 bands of uint8 or uint16, not ${bandCount} of ${data.constructor.name}.`,
    );
  }
  if (data.length !== width * height * bandCount) {
    throw new TypeError(`${data.length} samples are not ${height} × ${width} × ${bandCount}.`);
  }
  return encode({ data, width, height, channels: bandCount, depth: data instanceof Uint8Array ? 8 : 16 });
}

/** Grey 8-bit PNG of a label map with classes 0 to 255. @throws TypeError for other classes */
export function encodeLabelPng({ data, width, height }: LabelArray): Uint8Array {
  if (data.some((label) => label < 0 || label > 255))
    throw new TypeError('A label PNG holds classes 0 to 255.');
  return encodePng({ data: Uint8Array.from(data), width, height, bandCount: 1 });
}

async function decodeFile(file: string): Promise<DecodedPng> {
  checkHeader(await readImageHead(file), file);
  const bytes = await readWholeFile(file, { maxBytes: MAX_IMAGE_FILE_BYTES });
  try {
    await refusePngBomb(bytes);
    const png = decode(bytes, { checkCrc: true });
    const stored =
      png.depth < 8 ? Math.ceil((png.width * png.channels * png.depth) / 8) : png.width * png.channels;
    if (png.data.length !== png.height * stored) throw new Error('rows are missing');
    return png;
  } catch (cause) {
    if (isCutOff(bytes)) throw truncated(file, 'The PNG is cut off: it has no end.', cause);
    throw corruptData(file, `The PNG cannot be decoded: ${messageOf(cause)}.`, cause);
  }
}

function checkHeader({ head, size }: ImageHead, file: string): void {
  const bytes = Buffer.from(head);
  if (bytes.subarray(0, 8).toString('hex') !== SIGNATURE) {
    throw notTheFormat('NOT_A_RASTER', 'PNG', head, size, file);
  }
  if (bytes.length < HEADER_BYTES) throw truncated(file, 'The PNG is cut off inside its header.');
  const channels = CHANNELS[bytes.readUInt8(25)] ?? 4;
  refuseHugeImage(
    file,
    bytes.readUInt32BE(20),
    bytes.readUInt32BE(16),
    channels,
    bytes.readUInt8(24) > 8 ? 2 : 1,
  );
}

/** Samples of 1, 2 or 4 bits, one a byte; each row starts on a new byte. */
function unpackBits({ data, depth, width, height, channels }: DecodedPng): Uint8Array | Uint16Array {
  if (data instanceof Uint16Array) return data;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.length);
  if (depth >= 8) return bytes;
  const perRow = width * channels;
  const stride = Math.ceil((perRow * depth) / 8);
  const mask = 2 ** depth - 1;
  const result = new Uint8Array(height * perRow);
  for (let row = 0; row < height; row++) {
    for (let i = 0; i < perRow; i++) {
      const bit = i * depth;
      result[row * perRow + i] = (bytes[row * stride + (bit >> 3)]! >> (8 - depth - (bit & 7))) & mask;
    }
  }
  return result;
}
