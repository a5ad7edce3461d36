import type { ByteSource } from '../byte-source.js';
import { corruptData, unsupported } from '../format-error.js';
import type { PixelArray } from '../raster.js';
import type { Window } from '../window.js';
import type { BlockTable } from './block-table.js';
import type { Codec } from './codecs/codec.js';
import { BlockFault } from './kernels.js';
import type { Layout } from './layout.js';
import { fill } from './raster-source.js';
import { isPlain, toSamples } from './samples.js';

/** What is read of a page. */
export interface PixelRequest {
  readonly layout: Layout;
  readonly table: BlockTable;
  readonly source: ByteSource;
  /** Lies inside the image. */
  readonly window: Window;
  /** Places of the wanted bands, from 0, in the order wanted. */
  readonly bands: readonly number[];
  /** Value of pixels in blocks that are not stored. */
  readonly absent: number;
}

/** The part of one block that is wanted. Rows and columns count from the block's corner; ends are exclusive. */
interface Part {
  readonly index: number;
  /** Band of the block where the layout is planar, else 0. */
  readonly plane: number;
  readonly firstRow: number;
  readonly endRow: number;
  readonly firstColumn: number;
  readonly endColumn: number;
  /** Of the block that are in the image. */
  readonly rows: number;
  /** Where the part's corner lies in the window. */
  readonly toRow: number;
  readonly toColumn: number;
}

/** Bytes of an uncompressed block that are read and turned into samples at once. */
const STRETCH_BYTES = 4 * 2 ** 20;

/**
 * Checks that the file holds every wanted block, before anything is allocated.
 * @throws InputError TRUNCATED, CORRUPT_DATA, BAD_HEADER
 */
export function checkBlocks(request: PixelRequest): void {
  for (const part of partsOf(request)) request.table.place(part.index, part.rows);
}

/**
 * Fills `out`, [window.height, window.width, band], block by block; it may be stopped between any two.
 * @throws InputError TRUNCATED, CORRUPT_DATA, UNSUPPORTED, PRECISION_LOSS
 */
export function* readPixels(request: PixelRequest, codec: Codec, out: PixelArray): Generator<void, void> {
  const { layout, table, source } = request;
  let input = new Uint8Array(0);
  for (const part of partsOf(request)) {
    const { at, length } = table.place(part.index, part.rows);
    if (length === 0) fillPart(request, part, out);
    else if (layout.compression === 1) yield* readPlain(request, part, at, out);
    else {
      if (!codec.input && input.length < length) input = new Uint8Array(Math.ceil(length * 1.25));
      const packed = codec.input?.(length) ?? input.subarray(0, length);
      fill(source, packed, at);
      if (layout.isFillReversed && layout.compression !== 7) reverseBits(packed);
      const bytes = decodeBlock(request, part, codec, packed);
      const samples = toSamples(layout, bytes, part.endRow, codec.isNative, source.where);
      copyPart(request, part, samples, layout.blockWidth, part.firstRow, out);
    }
    yield;
  }
}

function* partsOf({ layout, table, window, bands }: PixelRequest): Generator<Part> {
  const { blockWidth, blockHeight, isPlanar, height } = layout;
  const endRow = window.row + window.height;
  const endColumn = window.column + window.width;
  const planes = isPlanar ? [...new Set(bands)] : [0];
  for (let row = Math.floor(window.row / blockHeight); row * blockHeight < endRow; row++) {
    for (let column = Math.floor(window.column / blockWidth); column * blockWidth < endColumn; column++) {
      const [top, left] = [row * blockHeight, column * blockWidth];
      const firstRow = Math.max(0, window.row - top);
      const firstColumn = Math.max(0, window.column - left);
      for (const plane of planes) {
        yield {
          index: table.index(row, column, plane),
          plane,
          firstRow,
          endRow: Math.min(blockHeight, endRow - top),
          firstColumn,
          endColumn: Math.min(blockWidth, endColumn - left),
          rows: layout.isTiled ? blockHeight : Math.min(blockHeight, height - top),
          toRow: top + firstRow - window.row,
          toColumn: left + firstColumn - window.column,
        };
      }
    }
  }
}

function decodeBlock(
  { layout, source }: PixelRequest,
  part: Part,
  codec: Codec,
  packed: Uint8Array,
): Uint8Array {
  const what = `${layout.isTiled ? 'Tile' : 'Strip'} ${part.index}`;
  const needed = layout.rowBytes * part.rows;
  let bytes: Uint8Array;
  try {
    bytes = codec.decode(packed, part.rows);
  } catch (cause) {
    if (!(cause instanceof BlockFault)) throw cause;
    const message = `${what} cannot be decoded: ${cause.message}.`;
    throw cause.isUnsupported
      ? unsupported(source.where, message, undefined, cause)
      : corruptData(source.where, message, cause);
  }
  if (bytes.length >= needed) return bytes;
  throw corruptData(source.where, `${what} decodes to ${bytes.length} bytes; its pixels have ${needed}.`);
}

/** Reads the rows, and where few columns are wanted only these, of a block that is not compressed. */
function* readPlain(request: PixelRequest, part: Part, at: number, out: PixelArray): Generator<void, void> {
  const { layout, source, window } = request;
  const { bits, samplesPerBlockPixel: samples, rowBytes } = layout;
  const columns = part.endColumn - part.firstColumn;
  const pixelBits = bits * samples;
  const isWholeRow = columns === layout.blockWidth;
  const isAsWanted = isPlain(layout) && layout.isLittleEndian && !layout.isFillReversed && isCopy(request);
  if (isAsWanted && isWholeRow && columns === window.width) {
    const to = part.toRow * rowBytes;
    const length = (part.endRow - part.firstRow) * rowBytes;
    fill(source, new Uint8Array(out.buffer, out.byteOffset + to, length), at + part.firstRow * rowBytes);
    return;
  }
  // a narrow window of wide rows: each row's own stretch
  const isNarrow = pixelBits % 8 === 0 && columns * 4 < layout.blockWidth;
  const cut = isNarrow ? { ...layout, blockWidth: columns, rowBytes: (columns * pixelBits) / 8 } : layout;
  const skipped = isNarrow ? (part.firstColumn * pixelBits) / 8 : 0;
  const cutPart = isNarrow ? { ...part, firstColumn: 0, endColumn: columns } : part;
  const step = Math.max(1, Math.floor(STRETCH_BYTES / cut.rowBytes));
  const bytes = new Uint8Array(Math.min(step, part.endRow - part.firstRow) * cut.rowBytes);
  for (let row = part.firstRow; row < part.endRow; row += step) {
    const rows = Math.min(step, part.endRow - row);
    const used = bytes.subarray(0, rows * cut.rowBytes);
    if (!isNarrow) fill(source, used, at + row * rowBytes);
    else {
      for (let i = 0; i < rows; i++) {
        fill(
          source,
          used.subarray(i * cut.rowBytes, (i + 1) * cut.rowBytes),
          at + (row + i) * rowBytes + skipped,
        );
      }
    }
    if (layout.isFillReversed) reverseBits(used);
    const pixels = toSamples(cut, used, rows, false, source.where);
    const stretch = { ...cutPart, firstRow: 0, endRow: rows, toRow: part.toRow + row - part.firstRow };
    copyPart(request, stretch, pixels, cut.blockWidth, 0, out);
    yield;
  }
}

/** A pixel of a block is, as it lies, a pixel of the output. */
const isCopy = ({ layout, bands }: PixelRequest): boolean =>
  layout.isPlanar
    ? bands.length === 1
    : bands.length === layout.bandCount && bands.every((band, place) => band === place);

/** @param firstRow of `samples` that is wanted */
function copyPart(
  request: PixelRequest,
  part: Part,
  samples: PixelArray,
  samplesWidth: number,
  firstRow: number,
  out: PixelArray,
): void {
  const { layout, window, bands } = request;
  const { samplesPerBlockPixel: stride, isPlanar } = layout;
  const columns = part.endColumn - part.firstColumn;
  const count = bands.length;
  const rows = part.endRow - part.firstRow;
  const isWhole = isCopy(request);
  const wanted = isPlanar
    ? bands.flatMap((band, place) => (band === part.plane ? [[0, place] as const] : []))
    : bands.map((band, place) => [band, place] as const);
  for (let row = 0; row < rows; row++) {
    const from = ((firstRow + row) * samplesWidth + part.firstColumn) * stride;
    const to = ((part.toRow + row) * window.width + part.toColumn) * count;
    if (isWhole) {
      out.set(samples.subarray(from, from + columns * stride), to);
      continue;
    }
    for (const [band, place] of wanted) {
      const end = to + place + columns * count;
      for (let target = to + place, at = from + band; target < end; target += count, at += stride) {
        out[target] = samples[at]!;
      }
    }
  }
}

function fillPart({ layout, window, bands, absent }: PixelRequest, part: Part, out: PixelArray): void {
  const columns = part.endColumn - part.firstColumn;
  const count = bands.length;
  const places = bands.flatMap((band, place) => (layout.isPlanar && band !== part.plane ? [] : [place]));
  for (let row = 0; row < part.endRow - part.firstRow; row++) {
    const to = ((part.toRow + row) * window.width + part.toColumn) * count;
    if (places.length === count) out.fill(absent, to, to + columns * count);
    else {
      for (const place of places) {
        for (let i = 0; i < columns; i++) out[to + i * count + place] = absent;
      }
    }
  }
}

/** Fill order 2: the lowest bit of each byte comes first. */
function reverseBits(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i]!;
    byte = ((byte & 0x0f) << 4) | (byte >> 4);
    byte = ((byte & 0x33) << 2) | ((byte >> 2) & 0x33);
    bytes[i] = ((byte & 0x55) << 1) | ((byte >> 1) & 0x55);
  }
}
