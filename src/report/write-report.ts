import { existsSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../errors.js';
import { writeFileAtomic } from '../io/atomic-file.js';
import { writeCsv, writeParquet } from '../results/export.js';
import type { RunRecord } from '../results/run-record.js';
import { openStore, type DamagedRecord, type ResultStore, type StoredPlan } from '../results/store.js';
import { toTable } from '../results/table.js';
import { repeatsOf } from '../statistics/arms.js';
import { renderReport, type ReportOptions } from './document.js';
import type { FailedRun } from './notices.js';
import { scoreGrids } from './paper/score-grid.js';
import { scoresLatex } from './paper/scores-latex.js';
import { scoresMarkdown } from './paper/scores-markdown.js';
import { reportFiles, type ReportFiles } from './report-target.js';
import { datasetViews } from './view.js';

export interface WriteReportOptions extends Omit<ReportOptions, 'artifact'> {
  /** File of the page; default `report/index.html` in the store. */
  readonly out?: string;
}

export type WrittenReport = ReportFiles;

/**
 * Makes a study's report anew from its store: the page, and beside it all scores as `results.csv` and
 * `results.parquet`, and tables for a paper as `scores.md` and `scores.tex`. It can be called at any time, also while runs are going on; the page says what is
 * missing. Each file is written whole or not at all.
 * @throws InputError STORE_MISSING for a folder that is no store, NOT_A_FILE for a place that cannot hold the page; RunError DISK_FULL, WRITE_FAILED,
 * EMBED_BUNDLE; InputError READ_ONLY, NO_PERMISSION
 */
export async function writeReport(
  storeFolder: string,
  options: WriteReportOptions = {},
): Promise<WrittenReport> {
  const { out = path.join(storeFolder, 'report', 'index.html'), ...rest } = options;
  const store = openStore(storeFolder);
  const files = reportFiles(out);
  if (!existsSync(path.join(store.folder, 'study.json')) && !existsSync(path.join(store.folder, 'records'))) {
    throw new InputError(
      'STORE_MISSING',
      'There is no study in this folder: neither study.json nor records/.',
      {
        where: store.folder,
        hint: 'Name the folder that a study was run into, by default results/NAME.',
      },
    );
  }
  const { records: found, damaged } = store.readAll();
  const faults: DamagedRecord[] = [...damaged];
  let plan: StoredPlan | undefined;
  try {
    plan = store.readPlan();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    faults.push({ file: error.where, reason: error.message });
  }
  const records = plan ? inPlanOrder(found, plan) : found;
  const planned = plan && new Set(plan.runs.map((run) => run.id));
  const shown = planned ? records.filter((record) => planned.has(record.id)) : records;
  const table = toTable(shown);
  const grids = scoreGrids(datasetViews(repeatsOf(shown)));
  const artifact = (name: string): Uint8Array => store.readArtifact(name);
  const page = await renderReport({
    records,
    plan,
    damaged: faults,
    options: { failed: failedRuns(store, plan), ...rest, artifact },
  });
  await writeCsv(table, files.csv);
  await writeParquet(table, files.parquet);
  await writeFileAtomic(files.markdown, scoresMarkdown(grids));
  await writeFileAtomic(files.latex, scoresLatex(grids));
  await writeFileAtomic(files.html, page);
  return files;
}

/** Runs side by side finish in any order; tables keep that of the study. Records outside the plan come last. */
function inPlanOrder(records: readonly RunRecord[], plan: StoredPlan): RunRecord[] {
  const places = new Map(plan.runs.map(({ id }, index) => [id, index]));
  const placeOf = ({ id }: RunRecord): number => places.get(id) ?? plan.runs.length;
  return [...records].sort((a, b) => placeOf(a) - placeOf(b));
}

/** Runs of the plan that failed and have no record. */
function failedRuns(store: ResultStore, plan: StoredPlan | undefined): FailedRun[] {
  const failures = store.failures();
  return (plan?.runs ?? []).flatMap(({ id, arm, definition }) => {
    const error = failures.get(id);
    return error ? [{ id, arm, seed: definition.seed, message: `${error.code}: ${error.message}` }] : [];
  });
}
