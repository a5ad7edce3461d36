import { KERNELS } from './kernels-wasm.js';

/** What tools/wasm/raster-kernels.as exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly consumed: { readonly value: number };
  inflate(input: number, length: number, output: number, room: number): number;
  adler32(at: number, length: number): number;
  lzw(input: number, length: number, output: number, room: number): number;
}

/** The types of Node leave out the values of WebAssembly. */
const { WebAssembly: wasm } = globalThis as unknown as {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
  };
};

/** Below lie the kernels' tables. */
const FIRST_FREE = 65_536;
/** The kernels read and write a little past the end of what counts. */
const MARGIN = 320;
const PAGE = 65_536;
/** Memory that an instance may keep when smaller blocks follow. */
const KEPT_BYTES = 64 * 2 ** 20;

let compiled: object | undefined;
let current: { readonly exports: Exports } | undefined;

/** Why a block does not decode. */
export class BlockFault extends Error {
  constructor(
    message: string,
    options?: ErrorOptions,
    /** Well-formed, but of a kind that is not read. */
    readonly isUnsupported = false,
  ) {
    super(message, options);
  }
}

/** A block that is well-formed, but of a kind that is not read. */
export const unsupportedBlock = (message: string): BlockFault =>
  new BlockFault(`${message}, which is not read`, undefined, true);

const DAMAGED = 'its compressed data is damaged';
const TOO_LONG = 'it unpacks to more bytes than its pixels have';
const CUT_OFF = 'its compressed data ends early';

const reason = (code: number): string => (code === -2 ? TOO_LONG : code === -3 ? CUT_OFF : DAMAGED);

/**
 * Inflates a zlib stream and checks its checksum.
 * @param room most bytes that may come out
 * @returns a view of memory that the next call overwrites
 * @throws BlockFault
 */
export function inflateBlock(input: Uint8Array, room: number): Uint8Array {
  const isZlib = input.length >= 2 && (input[0]! & 15) === 8 && ((input[0]! << 8) | input[1]!) % 31 === 0;
  if (!isZlib || input[1]! & 32) throw new BlockFault('it is no zlib stream');
  const { exports, from, to } = load(input, room);
  const length = exports.inflate(from + 2, input.length - 2, to, room);
  if (length < 0) throw new BlockFault(reason(length));
  const end = 2 + exports.consumed.value;
  if (end + 4 > input.length) throw new BlockFault(CUT_OFF);
  const checksum = new DataView(input.buffer, input.byteOffset).getUint32(end);
  if (checksum !== exports.adler32(to, length) >>> 0) throw new BlockFault('its checksum is wrong');
  return new Uint8Array(exports.memory.buffer, to, length);
}

/**
 * Unpacks TIFF's LZW; what would come after `room` bytes is left out.
 * @returns a view of memory that the next call overwrites
 * @throws BlockFault
 */
export function unpackLzw(input: Uint8Array, room: number): Uint8Array {
  if (input.length >= 2 && input[0] === 0 && input[1]! & 1) {
    throw unsupportedBlock('it is packed in the old order of bits');
  }
  const { exports, from, to } = load(input, room);
  const length = exports.lzw(from, input.length, to, room);
  if (length < 0) throw new BlockFault(reason(length));
  return new Uint8Array(exports.memory.buffer, to, length);
}

/**
 * Memory of the kernels for packed data: what is read into it needs no copy when it is unpacked.
 * @param room most bytes that will come out
 * @returns a view that the next call of anything here overwrites or detaches
 */
export function kernelInput(length: number, room: number): Uint8Array {
  return new Uint8Array(reserve(length, room).exports.memory.buffer, FIRST_FREE, length);
}

function reserve(length: number, room: number): { exports: Exports; to: number } {
  const to = (FIRST_FREE + length + MARGIN + 15) & ~15;
  const end = to + room + MARGIN;
  let exports = current?.exports;
  // an instance keeps the memory it once needed: one that grew large makes way for the next small block
  if (!exports || (exports.memory.buffer.byteLength > KEPT_BYTES && end <= KEPT_BYTES)) {
    exports = instantiate();
    current = { exports };
  }
  const missing = end - exports.memory.buffer.byteLength;
  if (missing > 0) exports.memory.grow(Math.ceil(missing / PAGE));
  return { exports, to };
}

function load(input: Uint8Array, room: number): { exports: Exports; from: number; to: number } {
  const isInside = input.buffer === current?.exports.memory.buffer && input.byteOffset === FIRST_FREE;
  const { exports, to } = isInside
    ? { exports: current!.exports, to: (FIRST_FREE + input.length + MARGIN + 15) & ~15 }
    : reserve(input.length, room);
  if (to + room + MARGIN > exports.memory.buffer.byteLength)
    throw new RangeError('kernelInput was given less room');
  if (!isInside) new Uint8Array(exports.memory.buffer).set(input, FIRST_FREE);
  return { exports, from: FIRST_FREE, to };
}

function instantiate(): Exports {
  compiled ??= new wasm.Module(Buffer.from(KERNELS, 'base64'));
  return new wasm.Instance(compiled, {}).exports as Exports;
}
