import type { FileMetaData, SchemaTree } from 'hyparquet';
import { InputError } from '../../errors.js';
import { FileSource, type ByteSource } from '../byte-source.js';
import { badHeader, corruptData, tooLarge, truncated, unsafe, unsupported } from '../format-error.js';
import { loadCodec, type Unpack } from './compression.js';
import { describeColumn, readFooter } from './footer.js';
import { checkPages, type ColumnChunk } from './pages.js';
import {
  interpret,
  meaningOf,
  plainValue,
  spellNanoseconds,
  withoutMeaning,
  type Meaning,
} from './values.js';
import type { ParquetValue } from './parquet-value.js';

export type { ParquetValue } from './parquet-value.js';

/** A column of the table, whatever it holds inside. */
export interface ParquetColumn {
  readonly name: string;
  /** As stored, with what it means: `INT64`, `BYTE_ARRAY (UTF8)`, `list of FLOAT`, `group of 2`. */
  readonly type: string;
}

export interface ParquetReadOptions {
  /** Default: all, in the order of the file. */
  readonly columns?: readonly string[];
}

const MAX_ROWS = 100_000_000;

/** An open Parquet file: its footer is read, columns are read when asked for. Close it after use. */
export class ParquetFile {
  private constructor(
    private readonly source: ByteSource,
    private readonly metadata: FileMetaData,
    private readonly tree: SchemaTree,
    private readonly meanings: ReadonlyMap<string, Meaning>,
    private readonly onClose: () => void,
  ) {}

  /**
   * @param from path, or the bytes of a file inside another
   * @throws InputError EMPTY_FILE, NOT_PARQUET, TRUNCATED (the footer is gone), BAD_HEADER, TOO_LARGE, UNSUPPORTED (encrypted),
   *   DUPLICATE_COLUMN, UNSAFE (columns in other files), FILE_MISSING, NO_PERMISSION, NOT_A_FILE
   */
  static async open(from: string | ByteSource): Promise<ParquetFile> {
    const source = typeof from === 'string' ? FileSource.open(from) : from;
    const onClose = (): void => {
      if (source !== from) (source as FileSource).close();
    };
    try {
      const footer = readFooter(source);
      const { parquetMetadata, parquetSchema } = await import('hyparquet');
      try {
        const read = parquetMetadata(footer, { geoparquet: false, parsers: PARSERS });
        const originals = parquetSchema(read);
        const meanings = meaningsOf(originals);
        const schema = read.schema.map((element) => (meaningOf(element) ? withoutMeaning(element) : element));
        const metadata = { ...read, schema };
        const file = new ParquetFile(source, metadata, originals, meanings, onClose);
        file.check();
        return file;
      } catch (cause) {
        if (cause instanceof InputError) throw cause;
        throw badHeader(source.where, `The footer cannot be read: ${(cause as Error).message}.`, cause);
      }
    } catch (error) {
      onClose();
      throw error;
    }
  }

  get where(): string {
    return this.source.where;
  }

  get rowCount(): number {
    return Number(this.metadata.num_rows);
  }

  get rowGroupCount(): number {
    return this.metadata.row_groups.length;
  }

  get columns(): readonly ParquetColumn[] {
    return this.tree.children.map((node) => ({ name: node.element.name, type: describeColumn(node) }));
  }

  /** Texts that the writer left in the footer, such as `geo` and `pandas`. */
  get keyValues(): ReadonlyMap<string, string> {
    return new Map((this.metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? '']));
  }

  /** Codecs of the columns, each once. */
  get codecs(): readonly string[] {
    return [
      ...new Set(
        this.metadata.row_groups.flatMap(({ columns }) => columns.map((column) => column.meta_data!.codec)),
      ),
    ];
  }

  /**
   * Columns by name, each with one value a row.
   * @throws InputError MISSING_COLUMN, UNSUPPORTED (a codec or encoding, named), CORRUPT_DATA, BAD_HEADER, TRUNCATED, TOO_LARGE
   */
  async read({ columns }: ParquetReadOptions = {}): Promise<ReadonlyMap<string, readonly ParquetValue[]>> {
    const names = columns ?? this.columns.map(({ name }) => name);
    const table = new Map<string, readonly ParquetValue[]>();
    for (const name of names) table.set(name, await this.column(name));
    return table;
  }

  /**
   * Rows as plain records, 64-bit integers as numbers where a number holds them exactly.
   * @throws InputError as `read`
   */
  async rows(options: ParquetReadOptions = {}): Promise<Readonly<Record<string, ParquetValue>>[]> {
    const table = await this.read(options);
    return Array.from({ length: this.rowCount }, (_, row) =>
      Object.fromEntries([...table].map(([name, values]) => [name, plainValue(values[row]!)])),
    );
  }

  /** One column. @throws InputError as `read` */
  async column(name: string): Promise<readonly ParquetValue[]> {
    const node = this.tree.children.find(({ element }) => element.name === name);
    if (!node) {
      throw new InputError('MISSING_COLUMN', `The table has no column "${name}".`, {
        where: this.where,
        hint: `It has ${this.columns.map((column) => column.name).join(', ') || 'none'}.`,
      });
    }
    const codecs = await this.checkColumn(name);
    const { parquetRead } = await import('hyparquet');
    let rows: unknown[][] = [];
    try {
      await parquetRead({
        file: { byteLength: this.source.size, slice: (start, end) => this.slice(start, end) },
        metadata: this.metadata,
        columns: [name],
        compressors: Object.fromEntries(codecs),
        utf8: false,
        geoparquet: false,
        parsers: PARSERS,
        onComplete: (found) => (rows = found),
      });
    } catch (cause) {
      if (cause instanceof InputError) throw cause;
      const message = (cause as Error).message;
      throw /unsupported|not supported/i.test(message)
        ? unsupported(
            this.where,
            `The column ${name} is of a kind that is not read: ${message}.`,
            undefined,
            cause,
          )
        : corruptData(this.where, `The column ${name} cannot be read: ${message}.`, cause);
    }
    if (rows.length !== this.rowCount)
      throw corruptData(
        this.where,
        `The column ${name} has ${rows.length} rows, and the table ${this.rowCount}.`,
      );
    return rows.map(([value]) => interpret(value, node, this.meanings));
  }

  close(): void {
    this.onClose();
  }

  private slice(start: number, end = this.source.size): ArrayBuffer {
    const bytes = this.source.read(start, end - start);
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  }

  /** Sizes and pages of a column, before anything of it is decoded. */
  private async checkColumn(name: string): Promise<Map<string, Unpack>> {
    const codecs = new Map<string, Unpack>();
    for (const group of this.metadata.row_groups) {
      for (const { meta_data: meta } of group.columns) {
        if (meta!.path_in_schema[0] !== name) continue;
        const codec = meta!.codec;
        if (!codecs.has(codec)) codecs.set(codec, await loadCodec(codec, this.where));
        if (group.num_rows === 0n) continue;
        checkPages(this.source, this.chunkOf(meta!), codecs.get(codec)!, this.where);
      }
    }
    return codecs;
  }

  private chunkOf(
    meta: NonNullable<FileMetaData['row_groups'][number]['columns'][number]['meta_data']>,
  ): ColumnChunk {
    const name = meta.path_in_schema.join('.');
    const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
    const length = Number(meta.total_compressed_size);
    const isPlace = Number.isSafeInteger(start) && Number.isSafeInteger(length) && start >= 4 && length >= 0;
    if (!isPlace)
      throw badHeader(this.where, `The column ${name} lies at byte ${start} with ${length} bytes.`);
    if (start + length > this.source.size)
      throw truncated(
        this.where,
        `The column ${name} ends at byte ${start + length} of ${this.source.size}.`,
      );
    const path = pathTo(this.tree, meta.path_in_schema);
    if (!path) throw badHeader(this.where, `The column ${name} is not in the schema.`);
    const count = (type: string): number =>
      path.filter(({ element }) => element.repetition_type === type).length;
    return {
      name,
      start,
      length,
      valueCount: Number(meta.num_values),
      maxRepetition: count('REPEATED'),
      maxDefinition: count('REPEATED') + count('OPTIONAL'),
      isBoolean: meta.type === 'BOOLEAN',
    };
  }

  private check(): void {
    const { where, metadata } = this;
    if (this.tree.children.length === 0) throw badHeader(where, 'The table has no columns.');
    if (!(this.rowCount >= 0)) throw badHeader(where, `The table claims ${this.rowCount} rows.`);
    if (this.rowCount > MAX_ROWS)
      throw tooLarge(where, `The table claims ${this.rowCount} rows; the limit here is ${MAX_ROWS}.`);
    const inGroups = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0);
    if (inGroups !== this.rowCount)
      throw badHeader(where, `The table claims ${this.rowCount} rows, and its row groups ${inGroups}.`);
    const names = this.columns.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) {
      throw new InputError('DUPLICATE_COLUMN', `Two columns are called "${twice}".`, {
        where,
        hint: 'Rename one of them and write the table again.',
      });
    }
    for (const group of metadata.row_groups) {
      if (!(group.num_rows >= 0n)) throw badHeader(where, `A row group claims ${group.num_rows} rows.`);
      for (const { file_path: elsewhere, meta_data: meta } of group.columns) {
        if (elsewhere)
          throw unsafe(where, `A column lies in another file, ${elsewhere}.`, 'It was not opened.');
        if (!meta) throw unsupported(where, 'The columns are encrypted.');
      }
    }
  }
}

const text = new TextDecoder();
const PARSERS = {
  // kept as they are: what is not exact in a Date comes as text
  timestampFromNanoseconds: spellNanoseconds,
  jsonFromBytes: (bytes: Uint8Array) => bytes && text.decode(bytes),
  geometryFromBytes: (bytes: Uint8Array) => bytes,
  geographyFromBytes: (bytes: Uint8Array) => bytes,
};

function meaningsOf(tree: SchemaTree): Map<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  const pending = [tree];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const meaning = meaningOf(node.element);
    if (meaning && node.children.length === 0) meanings.set(node.path.join('.'), meaning);
    pending.push(...node.children);
  }
  return meanings;
}

function pathTo(tree: SchemaTree, names: readonly string[]): SchemaTree[] | undefined {
  const path: SchemaTree[] = [];
  let node: SchemaTree | undefined = tree;
  for (const name of names) {
    node = node.children.find(({ element }) => element.name === name);
    if (!node) return undefined;
    path.push(node);
  }
  return path;
}
