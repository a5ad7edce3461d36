import { table, type ColumnTable } from 'arquero';
import { readPublishedManifest, type PublishedManifest } from '../manifests/published-manifest.js';
import type { RunRecord } from '../results/run-record.js';
import { compareWithPublished, type PublishedComparison } from './compare-published.js';
import {
  geobenchAggregates,
  geobenchConvergence,
  geobenchDiscriminativity,
  geobenchFractions,
  geobenchLimits,
  geobenchSegmentation,
} from './geobench.js';
import {
  geobench2Capabilities,
  geobench2Datasets,
  geobench2FrozenEffect,
  geobench2Limits,
  geobench2RankChanges,
  geobench2Scores,
} from './geobench2.js';
import { pangaeaFigure1, pangaeaMatrix, pangaeaTopTwo, percentDifferences } from './pangaea.js';
import { listPublished, publishedRows, type PublishedEntry, type PublishedRow } from './published-rows.js';

/** What the three papers published, as data. */
export const published = {
  /** Every table. */
  list: (): PublishedEntry[] => listPublished(),
  /** Sources, licences, notes and what can not be recomputed of `pangaea`, `geobench` or `geobench2`. @throws InputError MANIFEST_UNKNOWN */
  paper: (id: string): PublishedManifest => readPublishedManifest(id),
  /** Rows of a table as objects. @throws InputError TABLE_UNKNOWN */
  rows: (id: string): readonly PublishedRow[] => publishedRows(id),
  /** The same as an Arquero table. @throws InputError TABLE_UNKNOWN */
  table: (id: string): ColumnTable => {
    const rows = publishedRows(id);
    const names = Object.keys(rows[0] ?? {});
    return table(Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])));
  },
  /** Runs beside a table, like with like only. @throws InputError TABLE_UNKNOWN, TABLE_WITHOUT_SCORES */
  compare: (records: readonly RunRecord[], id: string): readonly PublishedComparison[] =>
    compareWithPublished(records, id),

  /** What follows from PANGAEA's printed tables. */
  pangaea: {
    matrix: pangaeaMatrix,
    topTwo: pangaeaTopTwo,
    percentDifferences,
    figure1: pangaeaFigure1,
  },
  /** What follows from GEO-Bench's released runs of segmentation. */
  geobench: {
    fractions: geobenchFractions,
    matrix: geobenchSegmentation,
    limits: geobenchLimits,
    aggregates: geobenchAggregates,
    convergence: geobenchConvergence,
    discriminativity: geobenchDiscriminativity,
  },
  /** What follows from GEO-Bench-2's released runs. */
  geobench2: {
    scores: geobench2Scores,
    limits: geobench2Limits,
    capabilities: geobench2Capabilities,
    datasets: geobench2Datasets,
    frozenEffect: geobench2FrozenEffect,
    rankChanges: geobench2RankChanges,
  },
} as const;
