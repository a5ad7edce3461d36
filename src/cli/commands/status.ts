import { plainText } from '../../display/mime.js';
import { tableText } from '../../display/table.js';
import { errorLine } from '../../errors.js';
import { shellArgument } from '../../scale-out/batch-script.js';
import type { StudyStatus } from '../../studies/study-status.js';
import type { Command } from '../command.js';
import { requireName } from '../store-argument.js';

/** Of a larger study the arms are listed instead. */
const LISTED = 60;

/**
 * `gondwana status STORE [--watch] [--failed]`: counts from plan, records, queue and notes of failures. Runs of this machine
 * that are at work leave no trace in the store until they are finished, so they count as missing.
 * @throws InputError STORE_EMPTY, NOT_A_FOLDER, PLAN_DAMAGED
 */
export const status: Command = async ({ json, signal, stderr }, [folder], options) => {
  const isFailed = options.failed === true;
  const [{ studyStatus }, sheets] = await Promise.all([
    import('../../studies/study-status.js'),
    import('../../studies/status-sheets.js'),
  ]);
  const textOf = (found: StudyStatus): string =>
    isFailed ? failedText(found, sheets.failureRows(found)) : statusText(found, folder!, sheets);
  if (options.watch !== true) {
    const found = await studyStatus(requireName(folder!));
    return { document: found, text: textOf(found) };
  }
  const { watchStatus } = await import('../../studies/watch-status.js');
  let last = '';
  const tell = (found: StudyStatus): void => {
    if (json) return;
    const text = stderr.isTTY ? textOf(found) : sheets.statusSentence(found);
    // in a terminal it takes the place of the one before; in a log, changes alone are worth a line
    if (stderr.isTTY) stderr.write(`\u001b[H\u001b[2J${text}\n`);
    else if (text !== last) stderr.write(`${text}\n`);
    last = text;
  };
  const found = await watchStatus(requireName(folder!), tell, signal);
  // a terminal shows it already, where stdout is the same one
  const text = stderr.isTTY && process.stdout.isTTY ? '' : textOf(found);
  return { document: found, text, ...(signal.aborted && { exitCode: 130 }) };
};

type Sheets = typeof import('../../studies/status-sheets.js');

function statusText(found: StudyStatus, folder: string, sheets: Sheets): string {
  const hasDatasets = new Set(found.runs.map(({ dataset }) => dataset)).size > 1;
  const rows =
    found.runs.length > LISTED
      ? sheets.statusRows(found)
      : found.runs.map(({ id, dataset, arm, seed, state, log }) => ({
          ...(hasDatasets && { dataset }),
          ...{ arm, seed, state, id },
          ...(found.runs.some((run) => run.log) && { log: log ?? '' }),
        }));
  const lines = [plainText(found.title), sheets.statusSentence(found), '', tableText(rows), ''];
  for (const remark of sheets.statusRemarks(found)) lines.push(plainText(remark));
  for (const [id, error] of Object.entries(found.failures).slice(0, LISTED))
    lines.push(plainText(`failed: ${id}: ${errorLine(error)}`));
  for (const { file, reason } of found.damaged) lines.push(plainText(`damaged: ${file}: ${reason}`));
  const store = shellArgument(folder);
  if (found.missing > 0) {
    if (found.submissions.length === 0)
      lines.push('Runs that are at work right now count as missing until they finish.');
    lines.push(`npx gondwana resume ${store} runs what is missing.`);
  }
  if (found.failed > 0)
    lines.push(
      `npx gondwana status ${store} --failed shows the logs, resume --retry-failed tries them again.`,
    );
  return lines.join('\n').trimEnd();
}

const failedText = (found: StudyStatus, rows: readonly object[]): string =>
  rows.length === 0
    ? 'No run has failed.'
    : [
        tableText(rows, { maximumRows: Infinity }),
        '',
        `Logs and failures lie in ${plainText(found.store)}; resume --retry-failed tries these runs again.`,
      ].join('\n');
