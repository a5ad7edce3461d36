import { toArrowIPC, type ColumnTable } from 'arquero';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { writeFileAtomic } from '../io/atomic-file.js';

type ColumnType = 'INT32' | 'INT64' | 'DOUBLE' | 'BOOLEAN' | 'STRING';

/** Columns whose type does not depend on what they hold. */
const FIXED_TYPES: Readonly<Record<string, ColumnType>> = {
  seed: 'INT32',
  selectedEpoch: 'INT32',
  value: 'DOUBLE',
  seconds: 'DOUBLE',
  class: 'STRING',
};

/**
 * Writes a table as CSV (RFC 4180, UTF-8, line ends `\n`): an empty cell is null, empty text is `""`. Numbers
 * are written so that reading them gives the same double. Texts that a spreadsheet would take for a formula
 * (`=1+1`, `@sum`) get an apostrophe in front; `importRuns` takes it off.
 * @throws RunError DISK_FULL, WRITE_FAILED; InputError READ_ONLY, NO_PERMISSION
 */
export async function writeCsv(table: ColumnTable, file: string): Promise<void> {
  await writeFileAtomic(file, toCsv(table));
}

export function toCsv(table: ColumnTable): string {
  const names = table.columnNames();
  const columns = names.map((name) => valuesOf(table, name));
  const lines = [names.map(csvCell).join(',')];
  for (let i = 0; i < table.numRows(); i++) lines.push(columns.map((column) => csvCell(column[i])).join(','));
  return `${lines.join('\n')}\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value)))
    return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  const text = /^[=+\-@]/.test(value) ? `'${value}` : value;
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Writes a table as Parquet (Snappy). `seed` and `selectedEpoch` are 32-bit integers (64-bit where a number
 * needs it), `value` and `seconds` doubles; a column of numbers alone is a double, of true and false alone
 * boolean, any other text. All columns may hold null; NaN and ±Infinity become null.
 * @throws RunError DISK_FULL, WRITE_FAILED; InputError READ_ONLY, NO_PERMISSION
 */
export async function writeParquet(table: ColumnTable, file: string): Promise<void> {
  const columnData = table.columnNames().map((name) => {
    const values = valuesOf(table, name).map(orNull);
    const type = typeOf(name, values);
    return { name, type, nullable: true, data: values.map((value) => convert(value, type)) };
  });
  await writeFileAtomic(file, new Uint8Array(parquetWriteBuffer({ columnData })));
}

/**
 * Writes a table as an Arrow IPC file; types as Arquero finds them, texts as dictionaries.
 * @throws RunError DISK_FULL, WRITE_FAILED; InputError READ_ONLY, NO_PERMISSION
 */
export async function writeArrow(table: ColumnTable, file: string): Promise<void> {
  await writeFileAtomic(file, toArrowIPC(table, { format: 'file' }));
}

function valuesOf(table: ColumnTable, name: string): unknown[] {
  return Array.from(table.array(name) as ArrayLike<unknown>);
}

const orNull = (value: unknown): unknown =>
  value === undefined || (typeof value === 'number' && !Number.isFinite(value)) ? null : value;

function typeOf(name: string, values: readonly unknown[]): ColumnType {
  const present = values.filter((value) => value !== null);
  const fixed = FIXED_TYPES[name];
  if (fixed === 'INT32') {
    const fits = present.every((value) => typeof value === 'number' && (value | 0) === value);
    const isWhole = present.every(Number.isSafeInteger);
    return fits ? 'INT32' : isWhole ? 'INT64' : 'STRING';
  }
  if (fixed === 'DOUBLE') return present.every((value) => typeof value === 'number') ? 'DOUBLE' : 'STRING';
  if (fixed || present.length === 0) return 'STRING';
  if (present.every((value) => typeof value === 'number')) return 'DOUBLE';
  return present.every((value) => typeof value === 'boolean') ? 'BOOLEAN' : 'STRING';
}

function convert(value: unknown, type: ColumnType): unknown {
  if (value === null) return null;
  if (type === 'INT64') return BigInt(value as number);
  if (type === 'STRING') return typeof value === 'string' ? value : JSON.stringify(value);
  return value;
}
