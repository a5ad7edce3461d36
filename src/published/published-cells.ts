import { groupBy } from '../collections.js';
import { findPublishedTable } from '../manifests/published-manifest.js';
import { InputError } from '../errors.js';
import { mean, standardDeviation } from '../statistics/summary.js';
import { publishedRows, type PublishedRow } from './published-rows.js';
import type { ScorePlace } from './own-arms.js';

/** One score of a paper: a row of a table of scores, or the runs of a cell together. */
export interface PublishedCell extends ScorePlace {
  readonly encoder: string;
  readonly decoder: string;
  readonly dataset: string;
  /** Settings that the table states, by the names of runs' settings. */
  readonly settings: Readonly<Record<string, string | number>>;
  /** In `unit`. */
  readonly value: number;
  readonly unit: string;
  /** Heading of the number where it says something else than `metric`. */
  readonly printed: string | null;
  readonly runs: number;
  /** Over runs; null where there is one, or the paper says nothing. */
  readonly standardDeviation: number | null;
  /** What the table's rate came from, where that is a search whose result is not printed. */
  readonly search: string | null;
}

const SETTINGS = [
  'labelFraction',
  'modalities',
  'temporal',
  'dates',
  'change',
  'normalization',
  'crop',
  'encoderMode',
  'optimizer',
] as const;

/** Numbers that follow from other rows of the same table. */
const DERIVED = new Set(['percentDifference', 'top2']);

/**
 * The scores of a table, runs of one cell as their mean.
 * @throws InputError TABLE_UNKNOWN; TABLE_WITHOUT_SCORES: it describes, counts costs or holds factors
 */
export function publishedCells(id: string): PublishedCell[] {
  const { kind, title } = findPublishedTable(id).table;
  if (kind !== 'scores' && kind !== 'runs') {
    throw new InputError(
      'TABLE_WITHOUT_SCORES',
      `"${id}" (${title}) holds no scores that runs could be set beside.`,
      {
        hint: '`gondwana published list` names the kind of every table: scores and runs have them.',
      },
    );
  }
  const rows = publishedRows(id).filter(({ metric }) => !DERIVED.has(String(metric)));
  const cells = groupBy(rows, (row) => JSON.stringify([place(row), settingsOf(row), row.role ?? null]));
  return [...cells.values()].map((group) => {
    const row = group[0]!;
    const values = group.map(({ value }) => Number(value));
    return {
      ...place(row),
      settings: settingsOf(row),
      value: mean(values)!,
      unit: text(row.unit) ?? '1',
      printed: text(row.printed),
      runs: group.length,
      standardDeviation: standardDeviation(values),
      search: row.search === 'none' ? null : text(row.search),
    };
  });
}

const text = (value: string | number | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

const place = (row: PublishedRow): ScorePlace & Pick<PublishedCell, 'encoder' | 'decoder' | 'dataset'> => ({
  encoder: String(row.encoder),
  decoder: String(row.decoder),
  dataset: String(row.dataset),
  split: String(row.split),
  place: text(row.place) ?? 'all',
  metric: String(row.metric),
  class: text(row.class),
});

function settingsOf(row: PublishedRow): Record<string, string | number> {
  const stated = SETTINGS.flatMap((name) => {
    const value = row[name];
    return value === null || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(stated);
}
