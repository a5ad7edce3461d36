import path from 'node:path';
import { tableText } from '../display/table.js';
import { shellArgument, shellWord } from '../scale-out/batch-script.js';
import type { StudyDefinition } from '../studies/study.js';
import type { SubmitOptions, SubmittedStudy } from '../studies/submit-study.js';
import type { CommandContext, CommandResult } from './command.js';

/** Hands what a study lacks to a cluster and says what that comes to. @throws what submitStudy throws */
export async function submitAndTell(
  { notices }: CommandContext,
  study: StudyDefinition,
  options: SubmitOptions,
): Promise<CommandResult> {
  const [{ submitStudy }, { chunkRows, submittedFacts }] = await Promise.all([
    import('../studies/submit-study.js'),
    import('../studies/status-sheets.js'),
  ]);
  const { isDryRun = false } = options;
  const submitted = await submitStudy(study, {
    ...options,
    onEvent: (event) => event.type === 'notice' && notices.say(`notice: ${event.text}`),
  });
  const facts = submittedFacts(submitted).flatMap(([label, value]) =>
    value === undefined ? [] : [`${label}: ${String(value)}`],
  );
  const lines = [
    ...facts,
    '',
    ...(submitted.chunks.length > 0 ? [tableText(chunkRows(submitted)), ''] : []),
    ...(isDryRun && submitted.script ? [submitted.script.trimEnd(), ''] : []),
    ...lastLines(submitted, isDryRun),
  ];
  return { document: submitted, text: lines.join('\n') };
}

function lastLines({ chunks, on, files, store, failed }: SubmittedStudy, isDryRun: boolean): string[] {
  const folder = shellArgument(store);
  const status = `npx gondwana status ${folder} tells how far they are.`;
  if (isDryRun) return ['Nothing was written or submitted.'];
  if (chunks.length === 0) {
    const retry =
      failed > 0 ? ` \`npx gondwana resume ${folder} --retry-failed\` tries failed runs again.` : '';
    return [`Nothing to submit.${retry}`];
  }
  if (on === 'slurm') return [`Submitted. ${status}`];
  const lines = files.map((file) =>
    path.basename(file) === 'job.json' ? `kubectl apply -f ${shellWord(file)}` : `sbatch ${shellWord(file)}`,
  );
  return ['Written. Submit it yourself:', ...lines, status];
}
