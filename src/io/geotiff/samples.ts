import { InputError } from '../../errors.js';
import { widenFloat16 } from '../half.js';
import type { PixelArray } from '../raster.js';
import type { Layout, SampleType } from './layout.js';

const ARRAYS = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  uint64: Float64Array,
  int64: Float64Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

type ArrayConstructor = new (buffer: ArrayBufferLike, offset?: number, length?: number) => PixelArray;

/** Bytes of one sample in the array that is read. */
export const readBytes = (type: SampleType): number => ARRAYS[type].BYTES_PER_ELEMENT;

/** An array of a sample type over a buffer; 64-bit integers become doubles. */
export const samplesOver = (
  type: SampleType,
  buffer: ArrayBufferLike,
  offset = 0,
  length?: number,
): PixelArray => new (ARRAYS[type] as ArrayConstructor)(buffer, offset, length);

/** Whether decoded bytes are the samples already: whole bytes, in this machine's order. */
export const isPlain = ({ bits, type, isFloat }: Layout): boolean =>
  (bits === 8 || bits === 16 || bits === 32 || bits === 64) &&
  !type.endsWith('int64') &&
  !(isFloat && bits === 16);

/**
 * Decoded bytes of `rows` whole block rows as samples, row by row, all bands of the block fastest.
 * @param bytes may be overwritten
 * @param isNative the bytes are in this machine's order
 * @throws InputError PRECISION_LOSS
 */
export function toSamples(
  layout: Layout,
  bytes: Uint8Array,
  rows: number,
  isNative: boolean,
  where: string,
): PixelArray {
  const { bits, isLittleEndian, predictor, blockWidth, samplesPerBlockPixel: samples, rowBytes } = layout;
  const rowSamples = blockWidth * samples;
  let used = bytes.subarray(0, rowBytes * rows);
  if (bits !== 8 && bits !== 16 && bits !== 32 && bits !== 64) return unpackBits(layout, used, rows);
  if (used.byteOffset % 8 !== 0) used = Uint8Array.from(used);
  if (predictor === 3) undoFloatPredictor(used, rows, rowSamples, samples, bits / 8);
  else {
    if (!isLittleEndian && !isNative) swapBytes(used, bits / 8);
    if (predictor === 2) undoDifferences(used, rows, rowSamples, samples, bits);
  }
  if (layout.isFloat && bits === 16) {
    return widenFloat16(new Uint16Array(used.buffer, used.byteOffset, used.length / 2));
  }
  if (layout.type === 'int64' || layout.type === 'uint64') return toDoubles(used, layout.type, where);
  return samplesOver(layout.type, used.buffer, used.byteOffset, (used.length * 8) / bits);
}

/** Reverses the order of the bytes of each number, in place. */
function swapBytes(bytes: Uint8Array, size: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (size === 2) buffer.swap16();
  else if (size === 4) buffer.swap32();
  else if (size === 8) buffer.swap64();
}

/** Horizontal predictor: each sample was stored as its difference to the same band of the pixel before. */
function undoDifferences(
  bytes: Uint8Array,
  rows: number,
  rowSamples: number,
  stride: number,
  bits: number,
): void {
  if (bits === 64) return undoWideDifferences(bytes, rows, rowSamples, stride);
  const { buffer, byteOffset, length } = bytes;
  // floats too: the differences are those of their bits
  if (bits === 8) sumUp(bytes, rows, rowSamples, stride);
  else if (bits === 16) sumUp(new Uint16Array(buffer, byteOffset, length / 2), rows, rowSamples, stride);
  else sumUp(new Uint32Array(buffer, byteOffset, length / 4), rows, rowSamples, stride);
}

function sumUp(
  values: Uint8Array | Uint16Array | Uint32Array,
  rows: number,
  rowSamples: number,
  stride: number,
): void {
  for (let row = 0; row < rows; row++) {
    const end = (row + 1) * rowSamples;
    for (let i = row * rowSamples + stride; i < end; i++) values[i]! += values[i - stride]!;
  }
}

function undoWideDifferences(bytes: Uint8Array, rows: number, rowSamples: number, stride: number): void {
  const halves = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let row = 0; row < rows; row++) {
    const end = (row + 1) * rowSamples;
    for (let i = row * rowSamples + stride; i < end; i++) {
      const low = halves[2 * i]! + halves[2 * (i - stride)]!;
      halves[2 * i] = low;
      halves[2 * i + 1]! += halves[2 * (i - stride) + 1]! + (low > 0xffffffff ? 1 : 0);
    }
  }
}

/**
 * Floating-point predictor: a row holds the highest bytes of all its numbers, then the next, …; each byte was stored
 * as its difference to the one `stride` before.
 */
function undoFloatPredictor(
  bytes: Uint8Array,
  rows: number,
  rowSamples: number,
  stride: number,
  size: number,
): void {
  const rowBytes = rowSamples * size;
  const whole = new Uint8Array(rowBytes);
  for (let row = 0; row < rows; row++) {
    const line = bytes.subarray(row * rowBytes, (row + 1) * rowBytes);
    for (let i = stride; i < rowBytes; i++) line[i]! += line[i - stride]!;
    for (let place = 0; place < size; place++) {
      const from = (size - 1 - place) * rowSamples;
      for (let i = 0; i < rowSamples; i++) whole[i * size + place] = line[from + i]!;
    }
    line.set(whole);
  }
}

/** Samples of 1 to 31 bits, the highest bit first; each row starts on a whole byte. */
function unpackBits(layout: Layout, bytes: Uint8Array, rows: number): PixelArray {
  const { bits, isSigned, blockWidth, samplesPerBlockPixel, rowBytes, type } = layout;
  const rowSamples = blockWidth * samplesPerBlockPixel;
  const size = readBytes(type);
  const out = samplesOver(type, new ArrayBuffer(rows * rowSamples * size));
  const wrap = 2 ** bits;
  for (let row = 0; row < rows; row++) {
    let at = row * rowBytes;
    let held = 0; // bits not used yet, as a number below 2^(bits + 8)
    let count = 0;
    for (let i = 0; i < rowSamples; i++) {
      while (count < bits) {
        held = held * 256 + bytes[at++]!;
        count += 8;
      }
      count -= bits;
      const rest = 2 ** count;
      const value = Math.floor(held / rest);
      held -= value * rest;
      out[row * rowSamples + i] = isSigned && value >= wrap / 2 ? value - wrap : value;
    }
  }
  return out;
}

/** 64-bit integers as doubles. @throws InputError PRECISION_LOSS where one is not exactly a double */
function toDoubles(bytes: Uint8Array, type: 'int64' | 'uint64', where: string): Float64Array {
  const low = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const high = type === 'int64' ? new Int32Array(low.buffer, low.byteOffset, low.length) : low;
  const out = new Float64Array(low.length / 2);
  for (let i = 0; i < out.length; i++) {
    const top = high[2 * i + 1]!;
    const value = top * 2 ** 32 + low[2 * i]!;
    out[i] = value;
    if (top < 2 ** 21 && top >= -(2 ** 21)) continue; // below 2^53
    const exact = BigInt(top) * 2n ** 32n + BigInt(low[2 * i]!);
    if (BigInt(value) === exact) continue;
    throw new InputError(
      'PRECISION_LOSS',
      `Its pixels are 64-bit integers such as ${exact}, which a double cannot hold.`,
      { where, hint: 'Write them as 32-bit integers where they fit: `gdal_translate -ot Int32 IN OUT`.' },
    );
  }
  return out;
}
