import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { systemCode } from './file-errors.js';

/** Samples a pixel by PNG colour type: grey, RGB, palette, grey with alpha, RGB with alpha. */
export const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Colour profiles have a few MB at most. */
const MAX_PROFILE_BYTES = 16 * 2 ** 20;
/** Of the seven passes of an interlaced image: first column, first row, step of columns, step of rows. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

const inflateAtMost = promisify(inflate) as (
  data: Uint8Array,
  options: { readonly maxOutputLength: number },
) => Promise<unknown>;

/**
 * Refuses a PNG whose compressed parts hold more than its header announces, before it is decoded: a few
 * kilobytes of zeros may stand for gigabytes. What else is wrong with it is left to the decoder.
 * @throws Error with the reason
 */
export async function refusePngBomb(bytes: Uint8Array): Promise<void> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Buffer[] = [];
  let previous = '';
  for (let at = 8; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const content = file.subarray(at + 8, at + 8 + length);
    if (type === 'IDAT') {
      if (data.length > 0 && previous !== 'IDAT') throw new Error('its pixels lie in several places');
      data.push(content);
    }
    // a name that ends with 0, the method, then the profile
    if (type === 'iCCP')
      await refuseMore(content.subarray(content.indexOf(0) + 2), MAX_PROFILE_BYTES, 'colour profile');
    if (type === 'IEND') break;
    previous = type;
    at += 12 + length;
  }
  await refuseMore(Buffer.concat(data), pixelBytes(file), 'pixel data');
}

/** Whether the last part of a PNG, which every whole one has, is missing or not whole. */
export function isCutOff(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 8;
  while (at + 12 <= file.length) {
    if (file.toString('latin1', at + 4, at + 8) === 'IEND') return false;
    at += 12 + file.readUInt32BE(at);
  }
  return true;
}

async function refuseMore(compressed: Buffer, limit: number, what: string): Promise<void> {
  try {
    await inflateAtMost(compressed, { maxOutputLength: Math.max(limit, 1) });
  } catch (cause) {
    if (systemCode(cause) === 'ERR_BUFFER_TOO_LARGE')
      throw new Error(`its ${what} unpacks to more than ${limit} bytes`, { cause });
  }
}

/** Bytes of all rows, each with the byte that names its filter. */
function pixelBytes(file: Buffer): number {
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const bits = (CHANNELS[file.readUInt8(25)] ?? 4) * file.readUInt8(24);
  const rows = (columns: number, count: number): number =>
    columns > 0 && count > 0 ? count * (1 + Math.ceil((columns * bits) / 8)) : 0;
  if (file.readUInt8(28) === 0) return rows(width, height);
  return PASSES.reduce(
    (sum, [column, row, across, down]) =>
      sum + rows(Math.ceil((width - column) / across), Math.ceil((height - row) / down)),
    0,
  );
}
