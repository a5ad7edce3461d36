import { InputError, UsageError } from '../../errors.js';
import type { Submission } from '../../scale-out/submission.js';
import type { Command } from '../command.js';
import { textOption } from '../command.js';
import { clusterOptions, placeOf, refuseClusterOptions } from '../cluster-arguments.js';
import { runAndReport } from '../run-and-report.js';
import { openPlannedStore } from '../store-argument.js';
import { defaultReport } from './report.js';

/**
 * `gondwana resume STORE`: the runs that its plan names and that have no record, where they were computed before.
 * @throws InputError STORE_EMPTY, PLAN_CHANGED, STUDY_INVALID, OWN_CODE_MISSING; what runs and submissions throw
 */
export const resume: Command = async (context, [folder], options) => {
  const { store, plan } = await openPlannedStore(folder!);
  const { last, isSent } = await submissionsOf(store.folder);
  const on = placeOf(options) ?? last?.on ?? 'local';
  if (on === 'local') refuseToCompute(store.folder, options, isSent);
  else await loadPluginsOf(last);
  const [{ requireOwnCode, storedStudy }, { defineStudy }, { planStudy }] = await Promise.all([
    import('../../studies/stored-study.js'),
    import('../../studies/define-study.js'),
    import('../../studies/plan-study.js'),
  ]);
  await requireOwnCode(plan, folder!);
  const study = defineStudy(storedStudy(plan));
  const now = await planStudy(study, { quick: plan.quick });
  const known = new Set(plan.runs.map(({ id }) => id));
  if (!now.runs.every(({ id }) => known.has(id))) {
    const { shippedStudies } = await import('../../studies/load-study.js');
    const isShipped = shippedStudies().includes(study.name);
    throw new InputError(
      'PLAN_CHANGED',
      'The runs of this study are not those that the store was made for.',
      {
        where: folder!,
        hint: `A manifest, your code or the numerics changed since; \`gondwana run ${isShipped ? study.name : 'FILE'} --store ${folder!}\` plans and computes them anew${isShipped ? '' : ', FILE being that of the study'}.`,
      },
    );
  }
  if (on !== 'local') {
    const { submitAndTell } = await import('../submit-and-tell.js');
    return submitAndTell(context, study, {
      ...{ on, store: store.folder, quick: plan.quick, ...clusterOptions(options) },
      ...(last && { earlier: last }),
      retryFailed: options.retryFailed === true,
      isDryRun: options.dryRun === true,
    });
  }
  return runAndReport(context, study, {
    store: folder!,
    quick: plan.quick,
    report: textOption(options, 'report') ?? defaultReport(folder!),
  });
};

/**
 * What was sent to a cluster is not computed on its login node beside it unless that is asked for.
 * @throws UsageError OPTION_VALUE
 */
function refuseToCompute(store: string, options: Parameters<Command>[2], wasSent: boolean): void {
  refuseClusterOptions(options);
  const isSent = wasSent && placeOf(options) === undefined;
  if (!isSent && options.dryRun !== true) return;
  throw new UsageError(
    'OPTION_VALUE',
    isSent
      ? 'Its runs were sent to a cluster by somebody else, or by a folder that was copied.'
      : 'What would be sent is told of a cluster alone.',
    {
      where: isSent ? store : '--dry-run',
      hint: '--on slurm or --on script sends what is missing, with the options that you give; --on local computes it here.',
    },
  );
}

/** What somebody else has submitted says nothing of what this user wants, and its code and shell lines are not used. */
async function submissionsOf(
  store: string,
): Promise<{ readonly last: Submission | undefined; readonly isSent: boolean }> {
  const [{ listSubmissions }, { isOwn }] = await Promise.all([
    import('../../scale-out/submissions.js'),
    import('../../scale-out/submission.js'),
  ]);
  const { submissions } = listSubmissions(store);
  return { last: submissions.findLast((submission) => isOwn(submission)), isSent: submissions.length > 0 };
}

async function loadPluginsOf(last: Submission | undefined): Promise<void> {
  const [{ loadPlugin }, { loadedPlugins }] = await Promise.all([
    import('../../studies/load-plugin.js'),
    import('../../studies/loaded-plugins.js'),
  ]);
  const loaded = new Set(loadedPlugins());
  for (const file of last?.plugins ?? []) if (!loaded.has(file)) await loadPlugin(file);
}
