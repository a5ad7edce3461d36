import { findPublishedTable } from '../manifests/published-manifest.js';
import type { RunScore } from '../results/run-score.js';
import { normalize, scaleLimits } from '../statistics/normalize.js';
import { topCounts } from '../statistics/ranks.js';
import { scoreMatrix, type ScoreMatrix } from '../statistics/score-matrix.js';
import { publishedRows, type PublishedRow } from './published-rows.js';

/** The tables that have all encoders on all datasets: all labels, half, a tenth. */
export const PANGAEA_MAIN_TABLES = ['pangaea-table-5', 'pangaea-table-6', 'pangaea-table-7'] as const;
export type PangaeaMainTable = (typeof PANGAEA_MAIN_TABLES)[number];

/** CROMA's three models are one row of the printed table. */
const rowName = ({ encoder }: PublishedRow): string => String(encoder).replace(/^croma-.*/, 'croma');

/** Scores of a main table, one run a cell; RMSE is better when it is lower. */
export function pangaeaMatrix(table: PangaeaMainTable): ScoreMatrix {
  const scores = publishedRows(table).filter(({ metric }) => metric !== 'top2');
  const runs: RunScore[] = scores.map((row) => ({
    model: rowName(row),
    dataset: String(row.dataset),
    seed: null,
    metric: String(row.metric),
    score: Number(row.value),
  }));
  return scoreMatrix(runs);
}

/** The column #Top2 of a main table as printed, and as its cells give it (section 5.1). */
export function pangaeaTopTwo(
  table: PangaeaMainTable,
): { readonly model: string; readonly printed: number; readonly recomputed: number }[] {
  const matrix = pangaeaMatrix(table);
  const counts = topCounts(matrix, 2);
  return publishedRows(table)
    .filter(({ metric }) => metric === 'top2')
    .map((row) => ({
      model: rowName(row),
      printed: Number(row.value),
      recomputed: counts[matrix.models.indexOf(rowName(row))]!,
    }));
}

/** Figure 1: on each dataset 0 for the worst encoder and 1 for the best, RMSE turned round. The figure has no digits. */
export function pangaeaFigure1(table: PangaeaMainTable = 'pangaea-table-5'): ScoreMatrix {
  const matrix = pangaeaMatrix(table);
  return normalize(matrix, scaleLimits(matrix, { over: 'model-means' }));
}

/** A percent difference as printed, in whole numbers, and as the table's scores give it. */
export interface PercentDifference {
  readonly encoder: string;
  readonly dataset: string;
  readonly role: string | null;
  readonly before: number;
  readonly after: number;
  readonly printed: number;
  /** 100 · (after − before) / before. */
  readonly recomputed: number;
}

/**
 * The percent differences of a table between its two settings.
 * @returns none for a table without such a column
 * @throws InputError TABLE_UNKNOWN
 */
export function percentDifferences(table: string): PercentDifference[] {
  const { contrast } = findPublishedTable(table).table;
  if (!contrast) return [];
  const rows = publishedRows(table);
  const scores = rows.filter(({ metric }) => metric !== 'percentDifference');
  return rows
    .filter(({ metric }) => metric === 'percentDifference')
    .map((row) => {
      const own = scores.filter(
        (score) =>
          rowName(score) === rowName(row) && score.dataset === row.dataset && score.role === row.role,
      );
      const scoreOf = (setting: string): number =>
        Number(own.find((score) => score[contrast.column] === setting)!.value);
      const [before, after] = [scoreOf(contrast.before), scoreOf(contrast.after)];
      return {
        encoder: rowName(row),
        dataset: String(row.dataset),
        role: row.role === null || row.role === undefined ? null : String(row.role),
        before,
        after,
        printed: Number(row.value),
        recomputed: (100 * (after - before)) / before,
      };
    });
}
