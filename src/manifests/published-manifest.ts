import { z } from 'zod';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { InputError, nearest } from '../errors.js';
import { listManifests, readBesideManifests, readManifest } from './read-manifest.js';

/** What a table holds: `scores` a number a cell, `runs` a row a run, `factors` of normalising, `costs`, `description` texts. */
export type PublishedKind = (typeof KINDS)[number];

const KINDS = ['scores', 'runs', 'factors', 'costs', 'description'] as const;

/** One table of a paper, or file of results beside it; its rows lie in `data-manifests/published/ID.csv`. */
export interface PublishedTableManifest {
  readonly id: string;
  /** `Table 5`, or which part of the source. */
  readonly place: string;
  readonly title: string;
  readonly kind: PublishedKind;
  /** Key of the paper's `sources`. */
  readonly source: string;
  /** The two settings between which the table's percent differences are. */
  readonly contrast?:
    { readonly column: string; readonly before: string; readonly after: string } | undefined;
  /** What is wrong or loose, and where another table says otherwise. */
  readonly notes: readonly string[];
}

export interface PublishedSource {
  readonly title: string;
  readonly address: string;
  readonly licence: string;
}

/** What a paper published in numbers. */
export interface PublishedManifest {
  readonly id: string;
  readonly title: string;
  /** Ids of data-manifests/benchmarks and data-manifests/protocols. */
  readonly benchmark: string;
  readonly protocol: string;
  /** Settings that the paper searches for, run by run: they may differ. */
  readonly searched: readonly string[];
  /** Known faults of the reference are in its numbers. */
  readonly mode: 'as-published';
  readonly sources: Readonly<Record<string, PublishedSource>>;
  /** What holds for all tables. */
  readonly notes: readonly string[];
  readonly tables: readonly PublishedTableManifest[];
  readonly notRecomputable: readonly { readonly what: string; readonly why: string }[];
  /** sha256 of the manifest file. */
  readonly hash: string;
}

const text = z.string().min(1);
const schema = z.strictObject({
  id: text,
  title: text,
  benchmark: text,
  protocol: text,
  searched: z.array(text).readonly(),
  mode: z.literal('as-published'),
  sources: z.record(z.string(), z.strictObject({ title: text, address: text, licence: text })),
  notes: z.array(text).readonly(),
  tables: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[a-z0-9-]+$/),
        place: text,
        title: text,
        kind: z.enum(KINDS),
        source: text,
        contrast: z.strictObject({ column: text, before: text, after: text }).optional(),
        notes: z.array(text).readonly(),
      }),
    )
    .readonly(),
  notRecomputable: z.array(z.strictObject({ what: text, why: text })).readonly(),
});

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readPublishedManifest = (id: string): PublishedManifest =>
  showAs<PublishedManifest>(readManifest('published', id, schema), {
    bundle: ({ title, sources, notes, tables, notRecomputable }) =>
      sheetBundle({
        title,
        facts: Object.values(sources).map(({ title: of, address, licence }) => [
          'source',
          `${of}; ${address}; ${licence}`,
        ]),
        tables: [
          {
            rows: tables.map(({ id: table, place, title: of, kind }) => ({ table, place, title: of, kind })),
          },
          { rows: notRecomputable, caption: 'What can not be recomputed' },
        ],
        notes,
      }),
  });

/** A table with the paper that it is of. @throws InputError TABLE_UNKNOWN with the nearest id */
export function findPublishedTable(id: string): {
  readonly paper: PublishedManifest;
  readonly table: PublishedTableManifest;
} {
  const papers = listManifests('published').map(readPublishedManifest);
  for (const paper of papers) {
    const table = paper.tables.find((candidate) => candidate.id === id);
    if (table) return { paper, table };
  }
  const known = papers.flatMap(({ tables }) => tables.map((table) => table.id));
  const guess = nearest(id, known);
  throw new InputError('TABLE_UNKNOWN', `There is no published table "${id}".`, {
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}\`gondwana published list\` names all ${known.length}.`,
  });
}

/** The rows of a table as CSV text. */
export const publishedCsv = (id: string): string => readBesideManifests('published', `${id}.csv`);
