import { tableText } from '../display/table.js';
import type { Study, StudyEvent } from '../studies/study.js';
import type { CommandContext, CommandResult } from './command.js';
import { createStudyProgress } from './study-progress.js';

export interface RunAndReportOptions {
  readonly title: string;
  readonly store: string;
  readonly quick: boolean;
  /** File of the HTML report. */
  readonly report: string;
}

/**
 * Runs what a study lacks, with progress on stderr, then writes the report and shows the scores. Exit code 1
 * where a run failed; the report then shows the others.
 * @throws StoppedError when the signal is aborted; what was finished is kept
 */
export async function runAndReport(
  { signal, stderr }: CommandContext,
  study: Study,
  { title, store, quick, report }: RunAndReportOptions,
): Promise<CommandResult> {
  const [{ runStudy }, { writeReport }, { summarizeScores }] = await Promise.all([
    import('../studies/run-study.js'),
    import('../report/write-report.js'),
    import('./score-summary.js'),
  ]);
  const progress = createStudyProgress(stderr, title);
  const failed: { run: string; arm: string; code: string; message: string; where: string; hint: string }[] =
    [];
  const onEvent = (event: StudyEvent): void => {
    progress.onEvent(event);
    if (event.type === 'run-failed') failed.push({ run: event.run.id, arm: event.run.arm, ...event.error });
  };
  const { records } = await runStudy(study, { store, quick, signal, onEvent }).finally(() => progress.stop());
  await writeReport(store, { out: report });
  const summary = summarizeScores(records);
  const document = {
    study: title,
    store,
    report,
    finished: records.length,
    failed,
    results: summary,
  };
  const lines = [tableText(summary), ''];
  for (const { arm, code, message } of failed) lines.push(`failed: ${arm}: ${code}: ${message}`);
  lines.push(report);
  return { document, text: lines.join('\n'), exitCode: failed.length > 0 ? 1 : 0 };
}
