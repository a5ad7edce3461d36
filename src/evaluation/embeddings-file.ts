import path from 'node:path';
import { InputError } from '../errors.js';
import { writeFileAtomic } from '../io/atomic-file.js';
import type { ByteSource } from '../io/byte-source.js';
import type { Embeddings } from './embed-samples.js';

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
  const { readFile } = await import('node:fs/promises');
  const { data, shape } = await readNpy(file);
  const beside = `${file.slice(0, -'.npy'.length)}.json`;
  const facts = await readFile(beside, 'utf8')
    .then((text) => JSON.parse(text) as Partial<Embeddings>)
    .catch((cause: unknown) => {
      throw invalid(beside, 'Ids and labels are missing, or no JSON.', cause);
    });
  const [count, width] = shape as [number, number];
  const { encoder = 'not said', precision, ids, splits, labels, values } = facts;
  if (shape.length !== 2 || ids?.length !== count || labels?.length !== count || splits?.length !== count)
    throw invalid(
      file,
      `The array is [${shape.join(', ')}], and ${beside} names ${ids?.length ?? 0} samples.`,
    );
  const all = Float32Array.from(data as ArrayLike<number>);
  const vectors = ids.map((_, index) => all.slice(index * width, (index + 1) * width));
  return {
    ...{ encoder, ids, splits, labels, vectors },
    ...(precision && { precision }),
    ...(values && { values }),
  };
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
  const numbers = [...table].filter(([name]) => /^e\d+$/.test(name)).map(([, column]) => column);
  if (numbers.length === 0 || !ids || !splits || !texts)
    throw invalid(source.where, 'It has no columns id, split, label and e0, e1, ….');
  return {
    encoder: 'not said',
    ids: ids.map(String),
    splits: splits.map(String),
    labels: texts.map((text) => (text === null ? null : (JSON.parse(String(text)) as number | number[]))),
    ...(values && { values: values.map((value) => (value === null ? null : Number(value))) }),
    vectors: ids.map((_, row) => Float32Array.from(numbers, (column) => Number(column[row]))),
  };
}

const invalid = (where: string, what: string, cause?: unknown): InputError =>
  new InputError('EMBEDDINGS_INVALID', what, {
    where,
    hint: 'Give a file of `gondwana embed`, with what was written beside it.',
    ...(cause !== undefined && { cause }),
  });
