import { InputError } from '../errors.js';
import { FileSource } from './byte-source.js';
import { corruptData, emptyFile, notTheFormat, tooLarge } from './format-error.js';
import { describeImpostor } from './sniff.js';

/** A table of texts; nothing is guessed about their kinds. */
export interface CsvTable {
  readonly columns: readonly string[];
  /** As many cells a row as there are columns. */
  readonly rows: readonly (readonly string[])[];
  /** Line of the file on which each row starts, from 1. */
  readonly lines: readonly number[];
  readonly delimiter: string;
  readonly where: string;
}

export interface CsvOptions {
  /** Columns that must be there. */
  readonly required?: readonly string[];
  /** Default: the one of comma, semicolon and tab that the header line has most of. */
  readonly delimiter?: string;
  /** Default: by the byte order mark, else UTF-8. Any label of the Encoding Standard, such as `windows-1252`. */
  readonly encoding?: string;
  /** Whether a table without rows is a fault; default true. */
  readonly needsRows?: boolean;
}

const MAX_BYTES = 256 * 2 ** 20;
/** Cells take far more memory than their letters. */
const MAX_CELLS = 10_000_000;
const DELIMITERS = [',', ';', '\t'];

/**
 * Reads a table by RFC 4180: cells in quotes may hold delimiters, quotes and line breaks; line ends of any system.
 * @throws InputError EMPTY_FILE, NOT_A_TABLE (a web page, a pointer file), NO_ROWS, MISSING_COLUMN, DUPLICATE_COLUMN, RAGGED_ROW (with the
 *   line), CORRUPT_DATA (a quote that does not close, bytes that are no text), TOO_LARGE, FILE_MISSING, NO_PERMISSION
 */
export function readCsv(file: string, options: CsvOptions = {}): CsvTable {
  const source = FileSource.open(file);
  try {
    if (source.size > MAX_BYTES)
      throw tooLarge(
        file,
        `The table has ${source.size} bytes; the limit here is ${MAX_BYTES}.`,
        'Store it as Parquet, or in parts.',
      );
    return parseCsv(source.read(0, source.size), file, options);
  } finally {
    source.close();
  }
}

/** As `readCsv`, of bytes or text. @param where file that errors name */
export function parseCsv(content: Uint8Array | string, where: string, options: CsvOptions = {}): CsvTable {
  const text =
    typeof content === 'string' ? content.replace(/^\ufeff/, '') : decode(content, where, options.encoding);
  if (text === '') throw emptyFile(where);
  const delimiter = options.delimiter ?? delimiterOf(text);
  const records = [...recordsOf(text, delimiter, where)];
  const header = records.shift();
  if (!header) throw fault('NO_ROWS', 'The table has blank lines only.', where);
  const columns = header.cells.map((name) => name.trim());
  checkColumns(columns, options.required ?? [], where);
  for (const { cells, line } of records) {
    if (cells.length === columns.length) continue;
    throw fault(
      'RAGGED_ROW',
      `Line ${line} has ${cells.length} cells, and the header has ${columns.length}.`,
      `${where}:${line}`,
      'Put texts that hold the delimiter into quotes, and leave absent cells empty.',
    );
  }
  if (records.length === 0 && (options.needsRows ?? true))
    throw fault(
      'NO_ROWS',
      'The table has a header and no rows.',
      where,
      'Nothing was written to it: make it again.',
    );
  return {
    columns,
    rows: records.map(({ cells }) => cells),
    lines: records.map(({ line }) => line),
    delimiter,
    where,
  };
}

/** Cells of a column, row by row. @throws InputError MISSING_COLUMN */
export function csvColumn(table: CsvTable, name: string): string[] {
  const at = table.columns.indexOf(name);
  if (at < 0) throw missingColumn(name, table.columns, table.where);
  return table.rows.map((row) => row[at]!);
}

/**
 * Numbers of a column. Where semicolons stand between the cells, a comma may stand before the fraction.
 * @param missing texts that stand for no number; they give NaN. Default: none.
 * @throws InputError MISSING_COLUMN, BAD_NUMBER with the line
 */
export function csvNumbers(table: CsvTable, name: string, missing: readonly string[] = []): number[] {
  return csvColumn(table, name).map((cell, row) => {
    const text = cell.trim();
    if (missing.includes(text)) return NaN;
    const plain =
      table.delimiter === ';' ? text.replace(/^([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)$/, '$1.$2') : text;
    const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(plain);
    if (isNumber && Number.isFinite(Number(plain))) return Number(plain);
    const line = table.lines[row]!;
    throw fault(
      'BAD_NUMBER',
      `"${cell.slice(0, 60)}" in column "${name}" on line ${line} is ${isNumber ? 'beyond the range of numbers' : 'no number'}.`,
      `${table.where}:${line}`,
      'Write numbers with digits and a point, and leave cells of failed runs empty.',
    );
  });
}

const fault = (
  code: string,
  message: string,
  where: string,
  hint = 'Correct the file, or name another.',
): InputError => new InputError(code, message, { where, hint });

const missingColumn = (name: string, columns: readonly string[], where: string): InputError =>
  fault('MISSING_COLUMN', `The table has no column "${name}".`, where, `It has ${columns.join(', ')}.`);

function checkColumns(columns: readonly string[], required: readonly string[], where: string): void {
  const seen = new Set<string>();
  const twice = columns.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined)
    throw fault(
      'DUPLICATE_COLUMN',
      `Two columns are called "${twice}".`,
      where,
      'Rename or remove one of them.',
    );
  const missing = required.find((name) => !columns.includes(name));
  if (missing !== undefined) throw missingColumn(missing, columns, where);
}

function decode(bytes: Uint8Array, where: string, given: string | undefined): string {
  const impostor = describeImpostor(bytes, bytes.length);
  if (bytes.length === 0 || (impostor && !given))
    throw notTheFormat('NOT_A_TABLE', 'table', bytes, bytes.length, where);
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const encoding = given ?? (isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8');
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InputError('CORRUPT_DATA', `The file is no text in ${encoding}.`, {
      where,
      hint: 'Save it as UTF-8, or name its encoding, such as windows-1252.',
      cause,
    });
  }
}

/** Of the first line, quotes left out. */
function delimiterOf(text: string): string {
  const line = (/^(?:"[^"]*"|[^"\r\n])*/.exec(text)?.[0] ?? '').replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/** Records one by one; blank lines are left out. */
function* recordsOf(text: string, delimiter: string, where: string): Generator<CsvRecord> {
  let at = 0;
  let line = 1;
  let count = 0;
  while (at < text.length) {
    const start = line;
    const cells: string[] = [];
    for (;;) {
      if (text[at] === '"') {
        const from = at + 1;
        at = text.indexOf('"', from);
        while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
        if (at < 0) throw corruptData(`${where}:${line}`, `The quote on line ${line} does not close.`);
        const quoted = text.slice(from, at);
        line += countLines(quoted);
        cells.push(quoted.replaceAll('""', '"'));
        at++;
      } else {
        const end = cellEnd(text, at, delimiter);
        cells.push(text.slice(at, end));
        at = end;
      }
      if (++count > MAX_CELLS)
        throw tooLarge(
          where,
          `The table has more than ${MAX_CELLS} cells.`,
          'Store it as Parquet, or in parts.',
        );
      if (text[at] === delimiter) {
        at++;
        continue;
      }
      if (at < text.length && text[at] !== '\n' && text[at] !== '\r')
        throw corruptData(`${where}:${line}`, `On line ${line}, more follows a closing quote.`);
      break;
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    at++;
    line++;
    if (cells.length > 1 || cells[0] !== '') yield { cells, line: start };
  }
}

function cellEnd(text: string, from: number, delimiter: string): number {
  let at = from;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++;
  return at;
}

const countLines = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0;
