import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../io/file-errors.js';
import { requireFileSync } from '../io/regular-file.js';
import { malformed } from './checkpoint-error.js';
import { FileBytes } from './file-bytes.js';
import { TENSOR_DTYPES, TensorEntry, UnsupportedTensor, type TensorDtype } from './tensor-entry.js';

export interface SafetensorsContent {
  readonly tensors: ReadonlyMap<string, TensorEntry | UnsupportedTensor>;
  /** Texts that the writer added. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly close: () => void;
}

const MAX_HEADER_BYTES = 100_000_000;
const MAX_INDEX_BYTES = 64 * 2 ** 20;

const DTYPES: ReadonlyMap<string, TensorDtype> = new Map([
  ['F64', 'float64'],
  ['F32', 'float32'],
  ['F16', 'float16'],
  ['BF16', 'bfloat16'],
  ['I64', 'int64'],
  ['I32', 'int32'],
  ['I16', 'int16'],
  ['I8', 'int8'],
  ['U64', 'uint64'],
  ['U32', 'uint32'],
  ['U16', 'uint16'],
  ['U8', 'uint8'],
  ['BOOL', 'bool'],
] as const);

/** Element types of the form that are not read, and their bits. */
const UNREAD_BITS: ReadonlyMap<string, number> = new Map([
  ['F8_E4M3', 8],
  ['F8_E5M2', 8],
  ['F8_E8M0', 8],
  ['F8_E4M3FNUZ', 8],
  ['F8_E5M2FNUZ', 8],
  ['F4', 4],
  ['F6_E2M3', 6],
  ['F6_E3M2', 6],
  ['C64', 64],
]);

/**
 * Reads the header of a safetensors file and checks that the tensors fill the rest of it, without gap or
 * overlap. @throws InputError CHECKPOINT_MALFORMED
 */
export function readSafetensors(file: FileBytes): SafetensorsContent {
  const header = parseHeader(file);
  const tensors = new Map<string, TensorEntry | UnsupportedTensor>();
  let metadata = new Map<string, string>();
  const spans: { name: string; begin: number; end: number }[] = [];
  for (const [name, value] of Object.entries(header.content)) {
    if (name === '__metadata__') metadata = parseMetadata(value, file.path);
    else {
      const { tensor, begin, end } = parseTensor(name, value, file, header.dataStart);
      tensors.set(name, tensor);
      spans.push({ name, begin, end });
    }
  }
  refuseGaps(spans, file.size - header.dataStart, file.path);
  return { tensors, metadata, close: () => file.close() };
}

/**
 * Several safetensors files behind an index (`….safetensors.index.json`), opened as one.
 * @throws InputError CHECKPOINT_MALFORMED, also for an index that points outside its folder
 */
export function readShardedSafetensors(indexFile: string): SafetensorsContent {
  const where = indexFile;
  requireFileSync(indexFile);
  if (statSync(indexFile).size > MAX_INDEX_BYTES)
    throw malformed(where, 'The index is larger than any index is.');
  const index = parseJson(readFileSync(indexFile), where);
  const weightMap = isRecord(index) ? index['weight_map'] : undefined;
  if (!isRecord(weightMap)) throw malformed(where, 'The index has no weight_map.');
  const opened = new Map<string, SafetensorsContent>();
  const close = (): void => opened.forEach((content) => content.close());
  try {
    const tensors = new Map<string, TensorEntry | UnsupportedTensor>();
    for (const [name, shard] of Object.entries(weightMap)) {
      const content = opened.get(shard as string) ?? openShard(indexFile, shard);
      opened.set(shard as string, content);
      const tensor = content.tensors.get(name);
      if (!tensor) throw malformed(where, `"${name}" is not in ${String(shard)}, where the index puts it.`);
      tensors.set(name, tensor);
    }
    return { tensors, metadata: new Map(), close };
  } catch (error) {
    close();
    throw error;
  }
}

function openShard(indexFile: string, shard: unknown): SafetensorsContent {
  const isPlainName = typeof shard === 'string' && shard !== '..' && /^[^/\\\0]+\.safetensors$/.test(shard);
  if (!isPlainName)
    throw malformed(
      indexFile,
      `The index points to ${JSON.stringify(shard)}, which is no file of its folder.`,
    );
  const shardFile = path.join(path.dirname(indexFile), shard);
  if (!existsSync(shardFile))
    throw malformed(indexFile, `The file ${shard}, which the index names, is missing.`);
  const file = FileBytes.open(shardFile);
  try {
    return readSafetensors(file);
  } catch (error) {
    file.close();
    throw error;
  }
}

function parseHeader(file: FileBytes): { content: Record<string, unknown>; dataStart: number } {
  if (file.size < 8)
    throw malformed(file.path, `It has ${file.size} bytes, fewer than the length of its header takes.`);
  const prefix = file.read(0, 8);
  const length = Number(new DataView(prefix.buffer, prefix.byteOffset, 8).getBigUint64(0, true));
  if (length > MAX_HEADER_BYTES) throw malformed(file.path, `Its header claims ${length} bytes.`);
  if (8 + length > file.size)
    throw malformed(file.path, `Its header claims ${length} bytes of ${file.size - 8}.`);
  const content = parseJson(file.read(8, length), file.path);
  if (!isRecord(content)) throw malformed(file.path, 'Its header is not a JSON object.');
  return { content, dataStart: 8 + length };
}

function parseJson(bytes: Uint8Array, where: string): unknown {
  try {
    // own keys only: JSON.parse makes "__proto__" an ordinary key
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw malformed(where, `Its header is not JSON: ${messageOf(cause)}`, cause);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Own member only: a header may hold keys that every object inherits. */
const member = (value: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && (item as number) >= 0);

function parseMetadata(value: unknown, where: string): Map<string, string> {
  const entries = isRecord(value) ? Object.entries(value) : undefined;
  if (!entries?.every(([, text]) => typeof text === 'string'))
    throw malformed(where, 'Its metadata are not all texts.');
  return new Map(entries as [string, string][]);
}

function parseTensor(
  name: string,
  value: unknown,
  file: FileBytes,
  dataStart: number,
): { tensor: TensorEntry | UnsupportedTensor; begin: number; end: number } {
  const fail = (message: string): Error => malformed(file.path, `Tensor "${name}" ${message}.`);
  if (!isRecord(value)) throw fail('is not described by an object');
  const code = member(value, 'dtype');
  const shape = member(value, 'shape');
  const offsets = member(value, 'data_offsets');
  if (!isCounts(shape)) throw fail('has no shape of natural numbers');
  if (!isCounts(offsets) || offsets.length !== 2) throw fail('has no two offsets');
  const [begin, end] = offsets as [number, number];
  if (begin > end || end > file.size - dataStart)
    throw fail(`lies at bytes ${begin} to ${end} of ${file.size - dataStart}`);
  const dtype = typeof code === 'string' ? DTYPES.get(code) : undefined;
  const bits = dtype
    ? TENSOR_DTYPES[dtype] * 8
    : typeof code === 'string'
      ? UNREAD_BITS.get(code)
      : undefined;
  if (bits === undefined) throw fail(`has the unknown element type ${JSON.stringify(code)}`);
  const count = shape.reduce((product, size) => product * size, 1);
  if (count * bits !== (end - begin) * 8)
    throw fail(`of shape [${shape.join(', ')}] and type ${String(code)} has ${end - begin} bytes`);
  if (!dtype) return { tensor: new UnsupportedTensor(`element type ${String(code)}`), begin, end };
  const read = (start: number, length: number): Uint8Array => file.read(dataStart + begin + start, length);
  const storage = { key: name, byteLength: end - begin, read };
  return { tensor: new TensorEntry(storage, { dtype, shape }, file.path), begin, end };
}

function refuseGaps(
  spans: { name: string; begin: number; end: number }[],
  size: number,
  where: string,
): void {
  let position = 0;
  for (const { name, begin, end } of spans.sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== position)
      throw malformed(where, `Tensor "${name}" starts at byte ${begin}, expected ${position}.`);
    position = end;
  }
  if (position !== size) throw malformed(where, `The tensors end at byte ${position} of ${size}.`);
}
