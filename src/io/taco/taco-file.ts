import { InputError } from '../../errors.js';
import { FileSource, partOf, readHead, type ByteSource } from '../byte-source.js';
import { badHeader, notTheFormat, placeIn, truncated, unsafe } from '../format-error.js';
import { ParquetFile, type ParquetValue } from '../parquet/parquet-file.js';
import { SNIFF_BYTES } from '../sniff.js';

/** A file inside the container. */
export interface TacoItem {
  readonly id: string;
  /** `GTiff`, `HDF5`, `GeoParquet`; `TORTILLA` for a container of its own. */
  readonly format: string;
  /** Split that the container states. */
  readonly split: string | null;
  /** First byte, from the start of the container that lists it; for a nested one that is not the start of the file. */
  readonly offset: number;
  readonly length: number;
  /** All columns of its row; 64-bit integers as numbers where they are exact. */
  readonly columns: Readonly<Record<string, ParquetValue>>;
  /** Container, with the items inside each other; errors name it. */
  readonly where: string;
  /** Its bytes, read where they lie. */
  readonly source: ByteSource;
}

const HEADER_BYTES = 200;
const MAGIC = ['#y', 'WX'];
const REQUIRED = ['tortilla:id', 'tortilla:file_format', 'tortilla:offset', 'tortilla:length'] as const;

/**
 * An open TACO or tortilla container, which may hold others. Only its table is read; items are read where they lie.
 * Close it after use, and not before its items.
 */
export class TacoFile {
  private constructor(
    readonly where: string,
    /** In the order of the table. */
    readonly items: readonly TacoItem[],
    private readonly onClose: () => void,
  ) {}

  /**
   * @param from path, or the bytes of a container inside another
   * @throws InputError EMPTY_FILE, NOT_TACO, TRUNCATED (the table or an item reaches past the end), BAD_HEADER, UNSAFE (an id leads out
   *   of a folder), DUPLICATE_ID, MISSING_COLUMN, and what `ParquetFile` throws
   */
  static async open(from: string | ByteSource): Promise<TacoFile> {
    const source = typeof from === 'string' ? FileSource.open(from) : from;
    const onClose = (): void => {
      if (source !== from) (source as FileSource).close();
    };
    try {
      return new TacoFile(source.where, await readItems(source), onClose);
    } catch (error) {
      onClose();
      throw error;
    }
  }

  /** @throws InputError MEMBER_MISSING */
  item(id: string): TacoItem {
    const found = this.items.find((item) => item.id === id);
    if (found) return found;
    throw new InputError('MEMBER_MISSING', `The container has no item "${id}".`, {
      where: this.where,
      hint: `It has ${
        this.items
          .slice(0, 20)
          .map((item) => item.id)
          .join(', ') || 'none'
      }.`,
    });
  }

  close(): void {
    this.onClose();
  }
}

/** The items of a container within another one; nothing has to be closed. @throws InputError as `TacoFile.open` */
export async function readTacoItems(source: ByteSource): Promise<readonly TacoItem[]> {
  return (await TacoFile.open(source)).items;
}

async function readItems(source: ByteSource): Promise<TacoItem[]> {
  const { start, length } = readTablePlace(source);
  const table = await ParquetFile.open(partOf(source, start, length, placeIn(source.where, 'table')));
  const missing = REQUIRED.find((name) => !table.columns.some((column) => column.name === name));
  if (missing !== undefined) {
    throw new InputError('MISSING_COLUMN', `The table of the container has no column "${missing}".`, {
      where: source.where,
      hint: `It has ${table.columns.map(({ name }) => name).join(', ')}.`,
    });
  }
  const items = (await table.rows()).map((row) => itemOf(row, source));
  const seen = new Set<string>();
  for (const { id } of items) {
    if (seen.has(id)) {
      throw new InputError('DUPLICATE_ID', `Two items of the container are called "${id}".`, {
        where: source.where,
        hint: 'One of them would hide the other: fetch the container again, or write it with ids of their own.',
      });
    }
    seen.add(id);
  }
  return items;
}

/** Where the table lies, by the header of 200 bytes. */
function readTablePlace(source: ByteSource): { start: number; length: number } {
  const { where, size } = source;
  const head = readHead(source, SNIFF_BYTES);
  if (!MAGIC.includes(Buffer.from(head.subarray(0, 2)).toString('latin1')))
    throw notTheFormat('NOT_TACO', 'TACO container', head, size, where);
  if (size < HEADER_BYTES) throw truncated(where, 'The container ends inside its header.');
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const start = view.getBigUint64(2, true);
  const length = view.getBigUint64(10, true);
  if (start + length > BigInt(size))
    throw truncated(
      where,
      `The table should lie at byte ${start} with ${length} bytes, and the container has ${size}.`,
    );
  if (start < BigInt(HEADER_BYTES))
    throw badHeader(where, `The table cannot lie at byte ${start}, inside the header.`);
  return { start: Number(start), length: Number(length) };
}

function itemOf(columns: Readonly<Record<string, ParquetValue>>, source: ByteSource): TacoItem {
  const [id, format, offset, length] = REQUIRED.map((name) => columns[name]);
  if (typeof id !== 'string' || id === '')
    throw badHeader(source.where, 'An item of the container has no id.');
  const where = placeIn(source.where, id);
  if (leadsOut(id)) throw unsafe(source.where, `The id "${id}" of an item leads out of a folder.`);
  if (typeof format !== 'string') throw badHeader(where, 'The item has no format.');
  if (typeof offset !== 'number' || typeof length !== 'number' || offset < HEADER_BYTES || length < 0)
    throw badHeader(where, `The item cannot lie at byte ${String(offset)} with ${String(length)} bytes.`);
  if (offset + length > source.size)
    throw truncated(where, `The item ends at byte ${offset + length}, and the container has ${source.size}.`);
  const split = columns['tortilla:data_split'];
  return {
    id,
    format,
    split: typeof split === 'string' ? split : null,
    offset,
    length,
    columns,
    where,
    source: partOf(source, offset, length, where),
  };
}

/** A name that would be written elsewhere if the item was unpacked under it. */
function leadsOut(id: string): boolean {
  const hasControl = [...id].some((letter) => letter < ' ');
  return hasControl || /^([/\\]|[A-Za-z]:)/.test(id) || id.split(/[/\\]/).includes('..');
}
