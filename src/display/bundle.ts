import { Buffer } from 'node:buffer';
import { inspect } from 'node:util';
import { chartOutput, isChartSpec } from './chart-output.js';
import './error-output.js';
import { PNG, TEXT, type MimeBundle } from './mime.js';
import { formatCount } from './numbers.js';
import { rasterBundle } from './raster-output.js';
import { isRasterLike } from './raster.js';
import { SHEET_ROWS } from './sheet.js';
import { JUPYTER_DISPLAY, TABLE_ROW } from './showable.js';
import { tableBundle, type Rows, type TableLike } from './table.js';

/**
 * How a value shows itself, for a cell's result as for `display(value)`: by its own `Symbol.for('Jupyter.display')`
 * method; tables (Arquero's, danfo.js', arrays of flat objects or of the library's) as tables; rasters and the bytes
 * of a PNG or JPEG as pictures; Vega-Lite specifications as charts; tensors with their values; all else as
 * `util.inspect` writes it.
 * A value whose own method fails is shown as text, with the failure below it.
 * @returns an empty bundle for what shows nothing, such as the result of `display`
 */
export async function bundleOf(value: unknown): Promise<MimeBundle> {
  try {
    return await formatValue(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { [TEXT]: `${inspected(value)}\n(It cannot be shown in a richer form: ${reason})` };
  }
}

/** The same at once where the value allows it. @throws what the value's own method throws */
export function formatValue(value: unknown): MimeBundle | Promise<MimeBundle> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isObject) return { [TEXT]: inspected(value) };
  const method = member(value, JUPYTER_DISPLAY);
  if (typeof method === 'function') {
    const bundle: unknown = method.call(value);
    return bundle instanceof Promise ? bundle.then(checked) : checked(bundle);
  }
  if (typeof value === 'function') return { [TEXT]: inspected(value) };
  if (value instanceof Uint8Array) return bytesBundle(value) ?? { [TEXT]: inspected(value) };
  if (isTensor(value)) return { [TEXT]: (value as TensorLike).toString(true) };
  const rows = rowsOf(value);
  if (rows) return tableBundle(rows, { maximumRows: SHEET_ROWS, describe: true });
  if (isRasterLike(value)) return rasterBundle(value);
  if (isChartSpec(value)) return chartOutput(value);
  return { [TEXT]: inspected(value) };
}

/** A tensor of TensorFlow.js, known by its members; with `true` it writes kind, shape and values. */
interface TensorLike {
  toString(verbose: boolean): string;
}

const isTensor = (value: object): boolean =>
  ['rankType', 'dtype'].every((name) => typeof member(value, name) === 'string') &&
  typeof member(value, 'dataId') === 'object' &&
  typeof member(value, 'dataSync') === 'function';

/** Members of foreign objects can be accessors that throw. */
function member(value: object, name: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown>)[name];
  } catch {
    return undefined;
  }
}

/** @throws TypeError for what is no bundle */
function checked(bundle: unknown): MimeBundle {
  if (typeof bundle !== 'object' || bundle === null || Array.isArray(bundle)) {
    throw new TypeError('its Jupyter.display method gives no object of contents by MIME type');
  }
  const bytes = Object.entries(bundle).filter(([, content]) => content instanceof Uint8Array);
  if (bytes.length === 0) return bundle as MimeBundle;
  const encoded = bytes.map(([type, content]) => [type, base64(content as Uint8Array)] as const);
  return { ...bundle, ...Object.fromEntries(encoded) };
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');

const SIGNATURES = [
  [PNG, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
] as const;

/** The output of a PNG's or JPEG's bytes; undefined for others. */
export function bytesBundle(bytes: Uint8Array, alt = ''): MimeBundle | undefined {
  const type = SIGNATURES.find(([, start]) => start.every((byte, index) => bytes[index] === byte))?.[0];
  if (!type) return undefined;
  const text = `[image] ${alt || `${type === PNG ? 'PNG' : 'JPEG'} of ${bytes.length} bytes`}`;
  return { [type]: base64(bytes), [TEXT]: text };
}

/** The value as rows, where it is a table of some kind. */
export function rowsOf(value: object): Rows | undefined {
  if (Array.isArray(value)) return listRows(value);
  if (['columnNames', 'objects', 'numRows'].every((name) => typeof member(value, name) === 'function')) {
    return value as TableLike;
  }
  return frameRows(value);
}

/** Rows of a list whose elements are all flat objects, or all objects of the library that have a row to show. */
function listRows(values: readonly unknown[]): Rows | undefined {
  if (values.length === 0) return undefined;
  if (all(values, (value) => typeof member(Object(value) as object, TABLE_ROW) === 'function')) {
    return values.map((value) => (value as { [TABLE_ROW]: () => object })[TABLE_ROW]());
  }
  return all(values, isFlat) ? (values as object[]) : undefined;
}

/** Unlike `every` it asks for holes too: an array may be nothing else, four thousand million of them. */
function all(values: readonly unknown[], test: (value: unknown) => boolean): boolean {
  for (let at = 0; at < values.length; at++) if (!test(values[at])) return false;
  return true;
}

/** A plain object of at least one member, whose members are no objects except dates and short lists of plain values. */
function isFlat(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  const members = Object.values(value);
  return members.length > 0 && members.every((content) => isCell(content) || isShortList(content));
}

const isCell = (content: unknown): boolean =>
  content === null ||
  content instanceof Date ||
  ['string', 'number', 'bigint', 'boolean', 'undefined'].includes(typeof content);

const isShortList = (content: unknown): boolean =>
  Array.isArray(content) && content.length <= 8 && content.every(isCell);

/** A danfo.js DataFrame or Series, known by its members: the package is not loaded for this. */
function frameRows(value: object): Rows | undefined {
  const [values, columns, index] = ['values', 'columns', 'index'].map((name) => member(value, name));
  if (!Array.isArray(values) || !Array.isArray(columns) || !Array.isArray(index)) return undefined;
  if (typeof member(value, 'print') !== 'function') return undefined;
  return {
    columnNames: () => columns.map(String),
    numRows: () => values.length,
    objects: ({ limit = Infinity } = {}) =>
      values.slice(0, limit).map((row: unknown) => {
        const cells = Array.isArray(row) ? (row as unknown[]) : [row];
        return Object.fromEntries(columns.map((name, place) => [String(name), cells[place]]));
      }),
  };
}

/** Characters of a text form; `inspect` shortens lists and texts, and writes every member of an object. */
const LONGEST_TEXT = 100_000;

/** @returns what `util.inspect` writes, also of a value whose own members throw */
function inspected(value: unknown): string {
  const text = described(value);
  const more = text.length - LONGEST_TEXT;
  return more <= 0 ? text : `${text.slice(0, LONGEST_TEXT)}\n… ${formatCount(more)} more characters`;
}

function described(value: unknown): string {
  try {
    return inspect(value);
  } catch {
    // its own way to show itself fails
  }
  try {
    return Object.prototype.toString.call(value);
  } catch {
    return `[${typeof value}]`;
  }
}
