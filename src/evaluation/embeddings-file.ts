import path from 'node:path';
import { inspect } from 'node:util';
import { InputError } from '../errors.js';
import { writeFileAtomic } from '../io/atomic-file.js';
import type { ByteSource } from '../io/byte-source.js';
import type { ParquetValue } from '../io/parquet/parquet-value.js';
import type { Embeddings } from './embed-samples.js';
import { isClassIndex, MAX_CLASSES } from './probes/class-index.js';

/** The encoder of files that do not name theirs. */
export const ENCODER_NOT_SAID = 'not said';

/**
 * Writes embeddings. `.npy`: float32 [sample, number], with encoder, precision, ids, splits, labels and values as JSON beside it (`NAME.json`).
 * `.parquet`: a row a sample with `id`, `split`, `label` (JSON), of a regression `value`, and one column a number, `e0`, `e1`, ….
 * @returns the files written
 * @throws InputError FORMAT_UNKNOWN, READ_ONLY, NO_PERMISSION; RunError DISK_FULL, WRITE_FAILED
 */
export async function writeEmbeddings(embeddings: Embeddings, file: string): Promise<string[]> {
  switch (path.extname(file)) {
    case '.npy': {
      const { vectors, ...facts } = embeddings;
      const beside = `${file.slice(0, -'.npy'.length)}.json`;
      await writeFileAtomic(file, npyBytes(vectors));
      await writeFileAtomic(beside, `${JSON.stringify(facts)}\n`);
      return [file, beside];
    }
    case '.parquet':
      await writeFileAtomic(file, await parquetBytes(embeddings));
      return [file];
    default:
      throw new InputError('FORMAT_UNKNOWN', `What to write into "${path.basename(file)}" is not known.`, {
        where: file,
        hint: 'Let its name end in .npy or .parquet.',
      });
  }
}

/** NumPy format 1.0: [row, number], little-endian float32. */
function npyBytes(vectors: readonly Float32Array[]): Uint8Array {
  const width = vectors[0]?.length ?? 0;
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${vectors.length}, ${width}), }`;
  // magic, version and length take 10 bytes; data begins at a multiple of 64
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const head = Buffer.alloc(10 + length, ' ');
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(length, 8);
  head.write(text, 10, 'latin1');
  head[head.length - 1] = 0x0a;
  const body = new Float32Array(vectors.length * width);
  for (const [index, vector] of vectors.entries()) body.set(vector, index * width);
  return Buffer.concat([head, Buffer.from(body.buffer)]);
}

async function parquetBytes({ ids, splits, labels, values, vectors }: Embeddings): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const width = vectors[0]?.length ?? 0;
  const numbers = Array.from({ length: width }, (_, i) => ({
    name: `e${i}`,
    type: 'FLOAT' as const,
    data: Float32Array.from(vectors, (vector) => vector[i]!),
  }));
  const columnData = [
    { name: 'id', type: 'STRING' as const, data: [...ids] },
    { name: 'split', type: 'STRING' as const, data: [...splits] },
    {
      name: 'label',
      type: 'STRING' as const,
      nullable: true,
      data: labels.map((label) => (label === null ? null : JSON.stringify(label))),
    },
    ...(values ? [{ name: 'value', type: 'DOUBLE' as const, nullable: true, data: [...values] }] : []),
    ...numbers,
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

/**
 * Reads what `writeEmbeddings` wrote.
 * @throws InputError FORMAT_UNKNOWN, EMBEDDINGS_INVALID, and for files that cannot be read
 */
export async function readEmbeddings(file: string): Promise<Embeddings> {
  switch (path.extname(file)) {
    case '.npy':
      return readNpyEmbeddings(file);
    case '.parquet':
      return readParquetEmbeddings(file);
    default:
      throw new InputError('FORMAT_UNKNOWN', `"${path.basename(file)}" holds no embeddings.`, {
        where: file,
        hint: 'Give a .npy or .parquet file of `gondwana embed`.',
      });
  }
}

async function readNpyEmbeddings(file: string): Promise<Embeddings> {
  const { readNpy } = await import('../io/npy.js');
  const { data, shape, type } = await readNpy(file);
  const [count, width] = shape;
  if (count === undefined || width === undefined || shape.length !== 2)
    throw invalid(file, `The array is [${shape.join(', ')}], and not [sample, number].`);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array)
    throw invalid(file, `The array is of type ${type}; embeddings are floating-point numbers.`);
  const beside = `${file.slice(0, -'.npy'.length)}.json`;
  const { labels, ...facts } = await factsBeside(beside, count);
  const all = Float32Array.from(data);
  return {
    ...facts,
    labels: labels.map((label, row) => checkedLabel(label, beside, `labels[${row}]`)),
    vectors: facts.ids.map((_, index) => all.slice(index * width, (index + 1) * width)),
  };
}

type Facts = Omit<Embeddings, 'vectors' | 'labels'> & { readonly labels: readonly unknown[] };

/** What stands beside an array of `count` samples; labels as they come. @throws InputError EMBEDDINGS_INVALID */
async function factsBeside(file: string, count: number): Promise<Facts> {
  const [{ z }, { readFile }] = await Promise.all([import('zod'), import('node:fs/promises')]);
  const texts = z.array(z.string());
  const schema = z.object({
    encoder: z.string().default(ENCODER_NOT_SAID),
    precision: z.enum(['float32', 'bfloat16']).optional(),
    ids: texts,
    splits: texts,
    labels: z.array(z.unknown()),
    values: z.array(z.number().nullable()).optional(),
  });
  const json = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as unknown)
    .catch((cause: unknown) => {
      throw invalid(file, 'Ids and labels are missing, or no JSON.', cause);
    });
  const found = schema.safeParse(json);
  if (!found.success) {
    const { path: place, message } = found.error.issues[0]!;
    throw invalid(file, `${place.join('.') || 'The JSON'}: ${message}.`, found.error);
  }
  const { precision, values, ...facts } = found.data;
  for (const [name, list] of Object.entries({ ...facts, ...(values && { values }) })) {
    if (typeof list === 'string' || list.length === count) continue;
    throw invalid(file, `The array has ${count} rows, and there are ${list.length} ${name}.`);
  }
  return { ...facts, ...(precision && { precision }), ...(values && { values }) };
}

async function readParquetEmbeddings(file: string): Promise<Embeddings> {
  const { FileSource } = await import('../io/byte-source.js');
  const source = FileSource.open(file);
  try {
    return await parquetEmbeddings(source);
  } finally {
    source.close();
  }
}

async function parquetEmbeddings(source: ByteSource): Promise<Embeddings> {
  const { ParquetFile } = await import('../io/parquet/parquet-file.js');
  const table = await ParquetFile.open(source)
    .then((parquet) => parquet.read())
    .catch((cause: unknown) => {
      throw invalid(source.where, 'It is no Parquet file that can be read.', cause);
    });
  const [ids, splits, texts] = [table.get('id'), table.get('split'), table.get('label')];
  const values = table.get('value');
  const numbers = numberColumns(table, source.where);
  if (numbers.length === 0 || !ids || !splits || !texts)
    throw invalid(source.where, 'It has no columns id, split, label and e0, e1, ….');
  const numberAt = ([name, column]: NamedColumn, row: number): number => {
    const value = column[row];
    if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
    throw invalid(source.where, `Column ${name} has no number in row ${row} (from 0): ${shown(value)}.`);
  };
  const textAt = (name: string, value: ParquetValue, row: number): string => {
    if (['string', 'number', 'bigint'].includes(typeof value)) return String(value);
    throw invalid(source.where, `Column ${name} has no text in row ${row} (from 0): ${shown(value)}.`);
  };
  return {
    encoder: ENCODER_NOT_SAID,
    ids: ids.map((id, row) => textAt('id', id, row)),
    splits: splits.map((split, row) => textAt('split', split, row)),
    labels: texts.map((text, row) =>
      checkedLabel(parsedLabel(text), source.where, `Column label, row ${row} (from 0)`),
    ),
    ...(values && {
      values: values.map((value, row) => (value === null ? null : numberAt(['value', values], row))),
    }),
    vectors: ids.map((_, row) => Float32Array.from(numbers, (column) => numberAt(column, row))),
  };
}

type NamedColumn = readonly [name: string, values: readonly ParquetValue[]];

/** e0, e1, … by their numbers, wherever they stand. @throws InputError EMBEDDINGS_INVALID where one is missing or there twice */
function numberColumns(table: ReadonlyMap<string, readonly ParquetValue[]>, where: string): NamedColumn[] {
  const columns = [...table]
    .filter(([name]) => /^e\d+$/.test(name))
    .sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)));
  const odd = columns.findIndex(([name], index) => name !== `e${index}`);
  if (odd < 0) return columns;
  throw invalid(where, `Column e${odd} is missing: "${columns[odd]![0]}" comes in its place.`);
}

/** JSON of a label; what is none stays as it is, and is no label. */
function parsedLabel(text: ParquetValue): unknown {
  if (typeof text === 'bigint') return Number(text);
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @throws InputError EMBEDDINGS_INVALID for what is no class index, no list of them and not null */
function checkedLabel(label: unknown, where: string, place: string): number | readonly number[] | null {
  if (label === null || isClassIndex(label)) return label;
  if (Array.isArray(label) && label.every(isClassIndex)) return label;
  throw invalid(
    where,
    `${place}: ${shown(label)} is no class index (0 … ${MAX_CLASSES - 1}), nor a list of them.`,
  );
}

const shown = (value: unknown): string => inspect(value, { breakLength: Infinity }).slice(0, 60);

const invalid = (where: string, what: string, cause?: unknown): InputError =>
  new InputError('EMBEDDINGS_INVALID', what, {
    where,
    hint: 'Give a file of `gondwana embed`, with what was written beside it.',
    ...(cause !== undefined && { cause }),
  });
