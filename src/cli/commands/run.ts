import path from 'node:path';
import { tableText } from '../../display/table.js';
import { UsageError } from '../../errors.js';
import type { Study } from '../../studies/define-study.js';
import type { StudyPlan } from '../../studies/study.js';
import type { Command, CommandContext, CommandResult } from '../command.js';
import { textOption } from '../command.js';
import { createStudyProgress } from '../study-progress.js';
import { defaultReport } from './report.js';

/** `gondwana run STUDY`. @throws UsageError OPTION_VALUE, and what loading and running the study throws */
export const run: Command = async (context, [studyId], options) => {
  if (options.on !== 'local') {
    throw new UsageError('OPTION_VALUE', `Runs cannot be computed on "${String(options.on)}".`, {
      where: '--on',
      hint: 'Known: local.',
    });
  }
  const { loadStudy } = await import('../../studies/load-study.js');
  const study = await loadStudy(studyId!);
  const quick = options.quick === true;
  if (options.check === true) return checkArms(context, study);
  const plan = await study.plan({ quick });
  const store = textOption(options, 'store') ?? path.join('results', plan.study.name);
  if (options.dryRun === true) return describePlan(plan, store);
  const { runAndReport } = await import('../run-and-report.js');
  return runAndReport(context, study, {
    store,
    quick,
    report: textOption(options, 'report') ?? defaultReport(store),
  });
};

/** One batch of every arm, end to end; nothing is kept. */
async function checkArms({ signal, stderr }: CommandContext, study: Study): Promise<CommandResult> {
  const { checkStudy } = await import('../../studies/check-study.js');
  const progress = createStudyProgress(stderr, `${study.name}, check`);
  const arms = await checkStudy(study, { signal, onEvent: (event) => progress.onEvent(event) }).finally(() =>
    progress.stop(),
  );
  return { document: { study: study.name, arms }, text: tableText(arms) };
}

/** The plan and what is finished of it; nothing is run or written. */
async function describePlan(plan: StudyPlan, folder: string): Promise<CommandResult> {
  const { openStore } = await import('../../results/store.js');
  const finished = new Set(openStore(folder).ids());
  const runs = plan.runs.map(({ id, arm, definition }) => ({
    arm,
    dataset: definition.dataset,
    encoder: definition.encoder,
    decoder: definition.decoder,
    seed: definition.seed,
    state: finished.has(id) ? 'done' : 'missing',
    id,
  }));
  const missing = runs.filter((run) => run.state === 'missing').length;
  const { name, title } = plan.study;
  const document = {
    study: name,
    title,
    quick: plan.quick,
    store: folder,
    total: runs.length,
    missing,
    runs,
  };
  const text = [
    title,
    '',
    tableText(runs),
    '',
    `${runs.length} runs, ${missing} to compute. Store: ${folder}`,
  ];
  return { document, text: text.join('\n') };
}
