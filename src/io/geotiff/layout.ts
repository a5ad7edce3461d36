import type { HeadReader } from './raster-source.js';
import type { Directory } from './directory.js';
import { badHeader, tooLarge, unsupported } from '../format-error.js';
import { COMPRESSION_NAMES, TAG } from './tags.js';

/** What the numbers of a band are, as stored; float16 is stored, float32 is read. */
export type SampleType =
  'uint8' | 'int8' | 'uint16' | 'int16' | 'uint32' | 'int32' | 'uint64' | 'int64' | 'float32' | 'float64';

/** How the pixels of a page lie in the file. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** All of them, alpha among them. */
  readonly bandCount: number;
  readonly type: SampleType;
  /** 1 to 64; below 8, and 9 to 15 and so on, samples are packed bit by bit. */
  readonly bits: number;
  readonly isFloat: boolean;
  readonly isSigned: boolean;
  readonly isLittleEndian: boolean;
  readonly isFillReversed: boolean;
  readonly compression: number;
  readonly predictor: 1 | 2 | 3;
  readonly photometric: number;
  /** One block holds one band. */
  readonly isPlanar: boolean;
  readonly isTiled: boolean;
  readonly blockWidth: number;
  readonly blockHeight: number;
  readonly blocksAcross: number;
  readonly blocksDown: number;
  /** Of one block: all bands, or 1 where the layout is planar. */
  readonly samplesPerBlockPixel: number;
  /** Bytes of one row of a whole block once decoded. */
  readonly rowBytes: number;
}

const FAULTS = { BAD_HEADER: badHeader, UNSUPPORTED: unsupported, TOO_LARGE: tooLarge } as const;
type Fail = (fault: keyof typeof FAULTS, message: string) => never;

/** Blocks above this many bytes once decoded are refused. */
export const MAX_BLOCK_BYTES = 2 ** 30;

/**
 * The layout of a page, checked.
 * @throws InputError BAD_HEADER, UNSUPPORTED, TOO_LARGE
 */
export function readLayout(page: Directory, source: HeadReader): Layout {
  const fail: Fail = (fault, message) => {
    throw FAULTS[fault](source.where, message);
  };
  const size = (tag: number, what: string): number => {
    const value = page.number(tag);
    if (value === undefined) return fail('BAD_HEADER', `The header states no ${what}.`);
    if (!Number.isSafeInteger(value) || value < 1)
      fail('BAD_HEADER', `The header states a ${what} of ${value}.`);
    return value;
  };
  const width = size(TAG.width, 'width');
  const height = size(TAG.height, 'height');
  const bandCount = page.number(TAG.samplesPerPixel, 1);
  if (bandCount < 1 || bandCount > 65_535) fail('BAD_HEADER', `The header states ${bandCount} bands.`);

  const sameForAll = (tag: number, missing: number, what: string): number => {
    const values = page.numbers(tag, 0, Math.min(page.count(tag), bandCount)) ?? [];
    const [first = missing] = values;
    const other = values.find((value) => value !== first);
    if (other !== undefined) fail('UNSUPPORTED', `Its bands differ in ${what}: ${first} and ${other}.`);
    return first;
  };
  const bits = sameForAll(TAG.bitsPerSample, 1, 'bits per sample');
  const format = sameForAll(TAG.sampleFormat, 1, 'sample format');
  const type = sampleType(bits, format);
  if (type === undefined) {
    const isComplex = format === 5 || format === 6;
    const what = isComplex ? 'complex numbers' : `samples of ${bits} bits in format ${format}`;
    return fail('UNSUPPORTED', `Its pixels are ${what}, which are not read.`);
  }

  const planar = page.number(TAG.planarConfiguration, 1);
  if (planar !== 1 && planar !== 2)
    fail('BAD_HEADER', `There is no planar configuration ${planar}, only 1 and 2.`);
  const isPlanar = planar === 2 && bandCount > 1;
  const predictor = readPredictor(page, format, bits, fail);
  const photometric = page.number(TAG.photometric, 1);
  const compression = page.number(TAG.compression, 1);
  if (photometric === 6 && compression !== 7 && compression !== 50001) {
    fail('UNSUPPORTED', 'Its colours are stored as YCbCr without JPEG, which is not read.');
  }

  const isTiled = page.has(TAG.tileOffsets) || page.has(TAG.tileWidth);
  const rowsPerStrip = page.number(TAG.rowsPerStrip, 2 ** 32 - 1);
  if (!isTiled && rowsPerStrip < 1) fail('BAD_HEADER', 'The header states strips without rows.');
  const blockWidth = isTiled ? size(TAG.tileWidth, 'tile width') : width;
  const blockHeight = isTiled ? size(TAG.tileHeight, 'tile height') : Math.min(rowsPerStrip, height);
  const samplesPerBlockPixel = isPlanar ? 1 : bandCount;
  const rowBytes = Math.ceil((blockWidth * samplesPerBlockPixel * bits) / 8);
  if (!(rowBytes * blockHeight <= MAX_BLOCK_BYTES) && (compression !== 1 || isTiled)) {
    fail(
      'TOO_LARGE',
      `Its blocks are ${blockHeight} × ${blockWidth} pixels with ${samplesPerBlockPixel} samples; at most ${MAX_BLOCK_BYTES / 2 ** 30} GiB are decoded at once.`,
    );
  }
  return {
    width,
    height,
    bandCount,
    type,
    bits,
    isFloat: format === 3,
    isSigned: format === 2,
    isLittleEndian: page.isLittleEndian,
    isFillReversed: page.number(TAG.fillOrder, 1) === 2,
    compression,
    predictor,
    photometric,
    isPlanar,
    isTiled,
    blockWidth,
    blockHeight,
    blocksAcross: Math.ceil(width / blockWidth),
    blocksDown: Math.ceil(height / blockHeight),
    samplesPerBlockPixel,
    rowBytes,
  };
}

function sampleType(bits: number, format: number): SampleType | undefined {
  if (!Number.isInteger(bits) || bits < 1) return undefined;
  if (format === 3) return bits === 16 || bits === 32 ? 'float32' : bits === 64 ? 'float64' : undefined;
  if (format !== 1 && format !== 2 && format !== 4) return undefined;
  const width = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : bits === 64 ? 64 : undefined;
  return width && `${format === 2 ? 'int' : 'uint'}${width}`;
}

function readPredictor(page: Directory, format: number, bits: number, fail: Fail): 1 | 2 | 3 {
  const predictor = page.number(TAG.predictor, 1);
  // other compressions have no predictor: some writers leave the tag in
  if (![5, 8, 32946, 34925, 50000].includes(page.number(TAG.compression, 1))) return 1;
  if (predictor === 1) return 1;
  if (predictor !== 2 && predictor !== 3)
    return fail('BAD_HEADER', `There is no predictor ${predictor}, only 1, 2 and 3.`);
  const isWhole = bits === 8 || bits === 16 || bits === 32 || bits === 64;
  if (predictor === 3 ? format !== 3 : !isWhole) {
    return fail(
      'UNSUPPORTED',
      `Predictor ${predictor} on samples of ${bits} bits in format ${format} is not read.`,
    );
  }
  return predictor;
}

/** "LZW (compression 5)". */
export const compressionName = (code: number): string => {
  const name = COMPRESSION_NAMES[code];
  return name === null
    ? 'none'
    : name === undefined
      ? `compression ${code}`
      : `${name} (compression ${code})`;
};
