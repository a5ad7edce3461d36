import path from 'node:path';
import { tableText } from '../../display/table.js';
import { UsageError } from '../../errors.js';
import type { StudyPlan } from '../../studies/study.js';
import type { Command, CommandResult } from '../command.js';
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
  const { planStudy } = await import('../../studies/run-study.js');
  const study = await loadStudy(studyId!);
  const quick = options.quick === true;
  const plan = await planStudy(study, { quick });
  const { name, title } = plan.study;
  const store = textOption(options, 'store') ?? path.join('results', name);

  if (options.dryRun === true) return describePlan(plan, store);
  if (options.check === true) {
    const { checkStudy } = await import('../../studies/check-study.js');
    const progress = createStudyProgress(context.stderr, title);
    const arms = await checkStudy(study, {
      signal: context.signal,
      onEvent: (event) => progress.onEvent(event),
    }).finally(() => progress.stop());
    return { document: { study: name, arms }, text: tableText(arms) };
  }
  const { runAndReport } = await import('../run-and-report.js');
  return runAndReport(context, study, {
    title,
    store,
    quick,
    report: textOption(options, 'report') ?? defaultReport(store),
  });
};

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
