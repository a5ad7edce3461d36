import { parseCsv } from '../io/csv.js';
import {
  findPublishedTable,
  publishedCsv,
  readPublishedManifest,
  type PublishedKind,
} from '../manifests/published-manifest.js';
import { listManifests } from '../manifests/read-manifest.js';

/**
 * A row of a published table. Columns have the names and values of a run's table (docs/guide/results-store.md), so that
 * both can be joined; docs/guide/published.md lists them. null: the table does not say it.
 */
export type PublishedRow = Readonly<Record<string, string | number | null>>;

/** A published table in a list of them. */
export interface PublishedEntry {
  readonly table: string;
  /** `pangaea`, `geobench` or `geobench2`. */
  readonly paper: string;
  readonly place: string;
  readonly title: string;
  readonly kind: PublishedKind;
  readonly rows: number;
}

/** Every table, paper by paper. */
export function listPublished(): PublishedEntry[] {
  return listManifests('published').flatMap((paper) =>
    readPublishedManifest(paper).tables.map(({ id, place, title, kind }) => {
      // no cell holds a line break: lines below the header are rows
      const rows = publishedCsv(id).trimEnd().split('\n').length - 1;
      return { table: id, paper, place, title, kind, rows };
    }),
  );
}

/** Tables that were read before: frozen, so that all who ask can share them. */
const read = new Map<string, readonly PublishedRow[]>();

/**
 * Rows of a published table, in its order, with the table's id first. Columns of numbers alone are numbers: in the unit
 * of the column `unit` where there is one, as printed.
 * @throws InputError TABLE_UNKNOWN with the nearest id
 */
export function publishedRows(id: string): readonly PublishedRow[] {
  const known = read.get(id);
  if (known) return known;
  findPublishedTable(id);
  const { columns, rows } = parseCsv(publishedCsv(id), `data-manifests/published/${id}.csv`);
  const isNumeric = columns.map((_, at) => rows.every((row) => row[at] === '' || NUMBER.test(row[at]!)));
  const found = rows.map((row) =>
    Object.freeze({
      table: id,
      ...Object.fromEntries(columns.map((name, at) => [name, cell(row[at]!, isNumeric[at]!)])),
    }),
  );
  read.set(id, Object.freeze(found));
  return found;
}

const NUMBER = /^-?\d+(\.\d+)?(e-?\d+)?$/;

const cell = (text: string, isNumeric: boolean): string | number | null =>
  text === '' ? null : isNumeric ? Number(text) : text;
