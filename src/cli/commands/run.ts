import path from 'node:path';
import { formatSeconds } from '../../display/numbers.js';
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
  if (textOption(options, 'store')?.trim() === '') {
    throw new UsageError('OPTION_VALUE', 'The folder of the study has no name.', {
      where: '--store',
      hint: 'Name a folder, or leave the option out: results/NAME.',
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
async function checkArms(context: CommandContext, study: Study): Promise<CommandResult> {
  const { checkStudy } = await import('../../studies/check-study.js');
  const progress = createStudyProgress(context, `${study.name}, check`);
  const checked = await checkStudy(study, { signal: context.signal, onEvent: progress.onEvent }).finally(() =>
    progress.stop(),
  );
  // arms end in any order, side by side
  const keyOf = (dataset: string, arm: string): string => `${dataset}\t${arm}`;
  const order = (await study.plan()).runs.map(({ arm, definition }) => keyOf(definition.dataset, arm));
  const place = ({ dataset, arm }: (typeof checked)[number]): number => order.indexOf(keyOf(dataset, arm));
  const arms = checked.toSorted((a, b) => place(a) - place(b));
  const hasDatasets = new Set(arms.map(({ dataset }) => dataset)).size > 1;
  const rows = arms.map(({ dataset, arm, loss, validationScore, metric, seconds }) => ({
    ...(hasDatasets && { dataset }),
    arm,
    loss,
    [`validation ${metric}`]: validationScore,
    seconds,
  }));
  const verdict = `All ${arms.length} arms get through, from data to scores. Nothing was kept.`;
  return { document: { study: study.name, arms }, text: [tableText(rows), '', verdict].join('\n') };
}

/**
 * The plan, what is finished of it, and what the rest will cost as far as finished runs of the same arm tell;
 * nothing is run or written.
 */
async function describePlan(plan: StudyPlan, folder: string): Promise<CommandResult> {
  const [{ openStore }, { totalSeconds }, { mean }] = await Promise.all([
    import('../../results/store.js'),
    import('../../results/total-seconds.js'),
    import('../../statistics/summary.js'),
  ]);
  const { records } = openStore(folder).readAll();
  const finished = new Set(records.map((record) => record.id));
  const meanSeconds = (arm: string, dataset: string): number | null =>
    mean(
      records
        .filter((record) => record.arm === arm && record.definition.dataset === dataset)
        .map(totalSeconds),
    );
  const runs = plan.runs.map(({ id, arm, definition }) => ({
    arm,
    dataset: definition.dataset,
    encoder: definition.encoder,
    decoder: definition.decoder,
    seed: definition.seed,
    state: finished.has(id) ? 'done' : 'missing',
    'expected seconds': finished.has(id) ? 0 : meanSeconds(arm, definition.dataset),
    id,
  }));
  const missing = runs.filter((run) => run.state === 'missing').length;
  const known = runs.flatMap((run) => run['expected seconds'] ?? []);
  const expectedSeconds =
    known.length === runs.length ? known.reduce((sum, seconds) => sum + seconds, 0) : null;
  const { name, title } = plan.study;
  const document = {
    study: name,
    title,
    quick: plan.quick,
    store: folder,
    total: runs.length,
    missing,
    expectedSeconds,
    runs,
  };
  const cost =
    expectedSeconds === null
      ? 'how long they take is known once a run of every arm is finished'
      : `about ${formatSeconds(expectedSeconds)} on this machine`;
  const last = `${runs.length} runs, ${missing} to compute: ${cost}. Store: ${folder}`;
  return { document, text: [title, '', tableText(runs), '', last].join('\n') };
}
