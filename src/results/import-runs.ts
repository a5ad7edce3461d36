import { groupBy } from '../collections.js';
import { listed } from '../display/words.js';
import { InputError } from '../errors.js';
import { csvColumn, csvNumbers, readCsv, type CsvOptions, type CsvTable } from '../io/csv.js';
import { isError } from './main-score.js';
import type { RunScore } from './run-score.js';

/** Which column of a table holds what. */
export interface RunColumns {
  readonly model: string;
  readonly dataset: string;
  readonly score: string;
  /** null: the table has none, and every row is a run of its own. */
  readonly seed: string | null;
  /** null: the table has none. */
  readonly metric: string | null;
}

/** Columns of tables that are published. */
export const runColumns = {
  /** Plain tables of runs. */
  plain: { model: 'model', dataset: 'dataset', seed: 'seed', metric: 'metric', score: 'score' },
  /** Runs of GEO-Bench's baselines; `keep` one size of the training set, e.g. `{ 'partition name': ['1.00x train'] }`. */
  geobench: { model: 'model', dataset: 'dataset', seed: 'seed', metric: null, score: 'test metric' },
  /** Submissions to GEO-Bench-2's leaderboard. Their RMSE is turned into a score already: higher is better throughout. */
  geobench2: { model: 'backbone', dataset: 'dataset', seed: 'Seed', metric: 'Metric', score: 'test metric' },
} as const satisfies Record<string, RunColumns>;

export interface ImportOptions extends Pick<CsvOptions, 'delimiter' | 'encoding'> {
  /** Default: `runColumns.plain`, without the seed or metric that the table lacks. */
  readonly columns?: RunColumns;
  /** Rows are kept whose cells in these columns are among these texts. Default: all. */
  readonly keep?: Readonly<Record<string, readonly string[]>>;
  /** Whether scores of 0 … 1 and of 0 … 100 may stand side by side on a dataset; default false. */
  readonly mixedScales?: boolean;
}

/** A run whose score cell holds no finite number. */
export interface FailedRunCell {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly text: string;
  readonly model: string;
  readonly dataset: string;
  readonly seed: string | null;
}

export interface ImportedRuns {
  /** One a row, in their order; a failed run has no score. `scoreMatrix` merges repeats and names what is odd. */
  readonly runs: readonly RunScore[];
  readonly failed: readonly FailedRunCell[];
}

/**
 * Reads a table of runs (CSV; semicolons with decimal commas, tabs, byte order marks, any line ends). Labels stay texts:
 * `007` is not `7`; blanks around them go. A score cell without a digit (empty, `nan`, `NA`, `inf`, `diverged`, …) is a failed run; one
 * with digits that is no number is an error.
 * @throws InputError what `readCsv` throws; BAD_NUMBER with the line; EMPTY_CELL where a model or dataset has no name; NO_ROWS where `keep` keeps none;
 *   MIXED_SCALE where some scores of a dataset are 0 … 1 and others percent
 */
export function importRuns(file: string, options: ImportOptions = {}): ImportedRuns {
  const table = readCsv(file, options);
  const columns = options.columns ?? plainColumns(table);
  const of = (name: string | null): (string | null)[] =>
    name === null
      ? table.rows.map(() => null)
      : csvColumn(table, name).map((text) => withoutGuard(text.trim()));
  const [models, datasets] = [of(columns.model), of(columns.dataset)] as string[][];
  const [seeds, metrics] = [of(columns.seed), of(columns.metric)];
  const texts = csvColumn(table, columns.score);
  const words = texts.map((text) => text.trim()).filter((text) => !/\d/.test(text) || text.startsWith('#'));
  const scores = csvNumbers(table, columns.score, words);
  const rows = table.rows.flatMap((_, row) => (isKept(table, row, options.keep) ? [row] : []));
  if (rows.length === 0) throw nothingKept(table, options.keep ?? {});
  const names = [
    [columns.model, models!],
    [columns.dataset, datasets!],
  ] as const;
  for (const [column, texts] of names) refuseBlank(table, rows, column, texts);
  const runs = rows.map((row): RunScore => {
    const score = scores[row]!;
    return {
      model: models![row]!,
      dataset: datasets![row]!,
      seed: seeds[row]!,
      metric: metrics[row]!,
      score: Number.isFinite(score) ? score : null,
    };
  });
  if (!(options.mixedScales ?? false)) refuseMixedScales(runs, file);
  const failed = rows.flatMap((row, at) => {
    const { model, dataset, seed, score } = runs[at]!;
    return score === null ? [{ line: table.lines[row]!, text: texts[row]!, model, dataset, seed }] : [];
  });
  return { runs, failed };
}

function plainColumns({ columns }: CsvTable): RunColumns {
  const { plain } = runColumns;
  return {
    ...plain,
    seed: columns.includes(plain.seed) ? plain.seed : null,
    metric: columns.includes(plain.metric) ? plain.metric : null,
  };
}

function refuseBlank(
  table: CsvTable,
  rows: readonly number[],
  column: string,
  texts: readonly string[],
): void {
  const blank = rows.find((row) => texts[row] === '');
  if (blank === undefined) return;
  const line = table.lines[blank]!;
  throw new InputError('EMPTY_CELL', `Column "${column}" has no name on line ${line}.`, {
    where: `${table.where}:${line}`,
    hint: 'Name the model and the dataset of each run, or remove the line.',
  });
}

/** Without the apostrophe that `toCsv` puts before texts which a spreadsheet would take for a formula. */
const withoutGuard = (text: string): string => text.replace(/^'(?=[=+\-@])/, '');

const isKept = (table: CsvTable, row: number, keep: ImportOptions['keep'] = {}): boolean =>
  Object.entries(keep).every(([name, texts]) => texts.includes(csvColumn(table, name)[row]!));

const nothingKept = (table: CsvTable, keep: Readonly<Record<string, readonly string[]>>): InputError =>
  new InputError('NO_ROWS', 'No row has what is to be kept.', {
    where: table.where,
    hint: Object.keys(keep)
      .map((name) => `"${name}" has ${listed([...new Set(csvColumn(table, name))].slice(0, 8))}.`)
      .join(' '),
  });

/**
 * Above this a score is taken for percent where others are shares. Shares end at 1; the gap keeps apart what is
 * just above it.
 */
export const PERCENT_ABOVE = 1.5;

/** Errors in the unit of a target may be small and great side by side; 0 is in every scale. */
function refuseMixedScales(runs: readonly RunScore[], where: string): void {
  for (const [dataset, own] of groupBy(runs, (run) => run.dataset)) {
    const scores = own.filter(({ score, metric }) => score !== null && score > 0 && !isError(metric ?? ''));
    const percent = scores.filter(({ score }) => score! > PERCENT_ABOVE);
    const shares = scores.filter(({ score }) => score! <= 1);
    if (percent.length === 0 || shares.length === 0) continue;
    const few = percent.length <= shares.length ? percent : shares;
    const models = listed([...new Set(few.map(({ model }) => model))]);
    const scale = few === percent ? '0 to 100, others 0 to 1' : '0 to 1, others 0 to 100';
    throw new InputError('MIXED_SCALE', `Scores of ${models} on "${dataset}" run from ${scale}.`, {
      where,
      hint: 'Give all scores of a dataset in one scale; if these are right, allow it by mixedScales.',
    });
  }
}
