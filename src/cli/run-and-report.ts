import { tableText } from '../display/table.js';
import { errorLine, StoppedError } from '../errors.js';
import type { RunDefinition } from '../results/run-record.js';
import type { Study } from '../studies/define-study.js';
import { reportFiles } from '../report/report-target.js';
import { shellArgument } from '../scale-out/batch-script.js';
import type { CommandContext, CommandResult } from './command.js';
import { createStudyProgress } from './study-progress.js';

export interface RunAndReportOptions {
  readonly store: string;
  readonly quick: boolean;
  /** File of the HTML report. */
  readonly report: string;
}

/**
 * Runs what a study lacks, with progress on stderr, then writes the report and shows the scores. Exit code 1
 * where a run failed; the report then shows the others.
 * @throws InputError NOT_A_FILE for a report that cannot be written there, before anything is run;
 * StoppedError when the signal is aborted; what was finished is kept
 */
export async function runAndReport(
  context: CommandContext,
  study: Pick<Study, 'run' | 'name'>,
  { store, quick, report }: RunAndReportOptions,
): Promise<CommandResult> {
  reportFiles(report);
  const { signal } = context;
  const progress = createStudyProgress(context, study.name);
  const { records, failed } = await study
    .run({ store, quick, signal, onEvent: progress.onEvent })
    .catch((error: unknown) => {
      throw signal.aborted ? asStopped(error, store) : error;
    })
    .finally(() => progress.stop());
  const { writeReport } = await import('../report/write-report.js');
  const { summaryRows } = await import('../statistics/arms.js');
  const { evaluationsOf, isOfImages, ownEvaluation } = await import('../results/main-score.js');
  const { csv, parquet } = await writeReport(store, { out: report });
  const tables = evaluationsOf(records).map((evaluation) => ({
    evaluation,
    rows: summaryRows(records, { evaluation }),
  }));
  const hasDatasets = new Set([...records, ...failed.map(({ run }) => run)].map(datasetOf)).size > 1;
  const failures = failed.map(({ run, error }) => ({
    run: run.id,
    ...(hasDatasets && { dataset: run.definition.dataset }),
    arm: run.arm,
    seed: run.definition.seed,
    ...error,
  }));
  const document = {
    study: study.name,
    store,
    report,
    csv,
    parquet,
    finished: records.length,
    failed: failures,
    results: Object.fromEntries(tables.map(({ evaluation, rows }) => [RESULT_NAMES[evaluation], rows])),
  };
  const areImages = records.every(isOfImages);
  const own = new Set(records.map(ownEvaluation));
  const shown =
    own.size > 1
      ? [
          { rows: summaryRows(records), caption: 'Each arm as its protocol evaluates it' },
          ...tables
            .filter(({ evaluation }) => !own.has(evaluation))
            .map(({ evaluation, rows }) => ({ rows, caption: CAPTIONS[evaluation] })),
        ]
      : tables.map(({ evaluation, rows }) => ({
          rows,
          caption: areImages ? 'Images' : CAPTIONS[evaluation],
        }));
  const lines = shown.flatMap(({ rows, caption }) => [scoreTable(rows, caption), '']);
  for (const { dataset, arm, seed, hint, ...error } of failures) {
    const name = [dataset, arm, `seed ${seed}`].filter(Boolean).join(', ');
    lines.push(`failed: ${name}: ${errorLine(error)} ${hint}`.trimEnd());
  }
  lines.push(report);
  return { document, text: lines.join('\n'), exitCode: failures.length > 0 ? 1 : 0 };
}

const CAPTIONS = {
  tiles: 'On tiles',
  whole: 'Whole images',
  'sliding-window': 'Whole images by sliding windows',
  tiled: 'Whole images by blended tiles',
} as const;

const datasetOf = ({ definition }: { readonly definition: RunDefinition }): string => definition.dataset;

/** Members of the document. */
const RESULT_NAMES = {
  tiles: 'tiles',
  whole: 'whole',
  'sliding-window': 'slidingWindow',
  tiled: 'tiled',
} as const;

/** What a stop ended with, and the line that goes on. */
const asStopped = (cause: unknown, store: string): StoppedError =>
  new StoppedError('The study was stopped. Finished runs are kept.', {
    hint: `\`npx gondwana resume ${shellArgument(store)}\` or the same command goes on.`,
    cause,
  });

/** Without the columns that are empty (intervals of one seed) and without the one dataset's name. */
function scoreTable(rows: readonly Record<string, unknown>[], caption: string): string {
  const names = [...new Set(rows.flatMap(Object.keys))];
  const columns = names.filter((name) =>
    name === 'dataset'
      ? new Set(rows.map((row) => row.dataset)).size > 1
      : rows.some((row) => row[name] !== null && row[name] !== undefined),
  );
  return tableText(rows, { columns, caption });
}
