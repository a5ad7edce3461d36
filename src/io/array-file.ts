import { readFile } from 'node:fs/promises';
import { writeFileAtomic } from './atomic-file.js';
import { badHeader, truncated } from './format-error.js';

/** A named array of 32-bit floats. */
export interface NamedArray {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

export interface ArrayFile {
  readonly arrays: ReadonlyMap<string, NamedArray>;
  /** Texts beside them. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Arrays of 32-bit floats in one file, in the form of safetensors, so that other tools can read them. The file appears
 * whole or not at all.
 */
export const writeArrays = (file: string, content: ArrayFile): Promise<void> =>
  writeFileAtomic(file, encodeArrays(content));

/** The bytes of such a file. */
export function encodeArrays({ arrays, metadata }: ArrayFile): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, { data, shape }] of arrays) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, end + data.byteLength] };
    end += data.byteLength;
  }
  const text = JSON.stringify(header);
  const padded = text.padEnd(Math.ceil(text.length / 8) * 8); // floats begin at a multiple of 8
  const head = Buffer.from(padded, 'utf8');
  const bytes = Buffer.alloc(8 + head.length + end);
  bytes.writeBigUInt64LE(BigInt(head.length));
  head.copy(bytes, 8);
  let at = 8 + head.length;
  for (const { data } of arrays.values()) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}

/**
 * A file of `writeArrays`, whole. Checkpoints of others are read by `openCheckpoint`, lazily and with every check.
 * @throws InputError TRUNCATED, BAD_HEADER; what reading a file throws
 */
export const readArrays = async (file: string): Promise<ArrayFile> =>
  decodeArrays(await readFile(file), file);

/** As `readArrays`, of bytes. @param file that errors name */
export function decodeArrays(bytes: Buffer, file: string): ArrayFile {
  const length = bytes.length < 8 ? Infinity : Number(bytes.readBigUInt64LE());
  if (8 + length > bytes.length) throw truncated(file, 'The file ends inside its header.');
  let header: Record<string, unknown>;
  try {
    header = JSON.parse(bytes.toString('utf8', 8, 8 + length)) as Record<string, unknown>;
  } catch (cause) {
    throw badHeader(file, 'The header is no JSON.', cause);
  }
  const start = 8 + length;
  const arrays = new Map<string, NamedArray>();
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const { shape, data_offsets: offsets } = value as { shape?: number[]; data_offsets?: [number, number] };
    const count = shape?.reduce((product, size) => product * size, 1);
    if (!shape || !offsets || offsets[1] - offsets[0] !== count! * 4 || start + offsets[1] > bytes.length)
      throw truncated(file, `${name} does not fit into the file.`);
    // a copy of its own: small views would keep the whole file in memory
    const data = new Float32Array(count!);
    new Uint8Array(data.buffer).set(bytes.subarray(start + offsets[0], start + offsets[1]));
    arrays.set(name, { data, shape });
  }
  return { arrays, metadata: (header['__metadata__'] ?? {}) as Record<string, string> };
}
