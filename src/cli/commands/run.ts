import path from 'node:path';
import { tableText } from '../../display/table.js';
import { UsageError } from '../../errors.js';
import type { Study } from '../../studies/define-study.js';
import type { StudyPlan } from '../../studies/study.js';
import type { Command, CommandContext, CommandResult } from '../command.js';
import { textOption } from '../command.js';
import { clusterOptions, placeOf, refuseClusterOptions } from '../cluster-arguments.js';
import { createStudyProgress } from '../study-progress.js';
import { defaultReport } from './report.js';

/** `gondwana run STUDY`. @throws UsageError OPTION_VALUE, and what loading and running the study throws */
export const run: Command = async (context, [studyId], options) => {
  const on = placeOf(options) ?? 'local';
  if (textOption(options, 'store')?.trim() === '') {
    throw new UsageError('OPTION_VALUE', 'The folder of the study has no name.', {
      where: '--store',
      hint: 'Name a folder, or leave the option out: results/NAME.',
    });
  }
  if (on === 'local') refuseClusterOptions(options);
  const { loadStudy } = await import('../../studies/load-study.js');
  const study = await loadStudy(studyId!);
  const quick = options.quick === true;
  if (options.check === true) return checkArms(context, study);
  const given = textOption(options, 'store');
  if (on !== 'local') {
    const { submitAndTell } = await import('../submit-and-tell.js');
    return submitAndTell(context, study, {
      ...{ on, quick, ...clusterOptions(options) },
      ...(given !== undefined && { store: given }),
      isDryRun: options.dryRun === true,
    });
  }
  const plan = await study.plan({ quick, ...(given !== undefined && { store: given }) });
  if (options.dryRun === true) return describePlan(plan);
  const store = given ?? path.join('results', plan.study.name);
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

/** The plan, what is finished of it, and what the rest will cost by what was measured; nothing is run or written. */
async function describePlan(plan: StudyPlan): Promise<CommandResult> {
  const { expectedTime, searchRow } = await import('../../studies/study-sheets.js');
  const { searches = [], toCome = 0 } = plan;
  const { store, missing, unknown, expectedSeconds, secondsOf } = plan.outlook!;
  const runs = plan.runs.map(({ id, arm, definition }) => ({
    arm,
    dataset: definition.dataset,
    encoder: definition.encoder,
    decoder: definition.decoder,
    seed: definition.seed,
    state: secondsOf.has(id) ? 'missing' : 'done',
    'expected seconds': secondsOf.has(id) ? secondsOf.get(id)! : 0,
    id,
  }));
  const { name, title } = plan.study;
  const document = {
    study: name,
    title,
    quick: plan.quick,
    store,
    total: runs.length + toCome,
    missing,
    unknown,
    expectedSeconds,
    ...(searches.length > 0 && { toCome, searches }),
    runs,
  };
  const searching =
    searches.length > 0
      ? [
          tableText(searches.map(searchRow), {
            caption: 'Searches: trials, then repeats of the best setting',
          }),
          ...(toCome > 0
            ? [`${toCome} trials and repeats are not listed yet: each hangs on those before.`]
            : []),
          '',
        ]
      : [];
  const last = `${runs.length + toCome} runs, ${missing} to compute: ${expectedTime(plan.outlook!)}. Store: ${store}`;
  return { document, text: [title, '', tableText(runs), '', ...searching, last].join('\n') };
}
