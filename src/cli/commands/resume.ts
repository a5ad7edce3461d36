import { InputError } from '../../errors.js';
import type { StudyDefinition } from '../../studies/study.js';
import type { Command } from '../command.js';
import { textOption } from '../command.js';
import { runAndReport } from '../run-and-report.js';
import { openPlannedStore } from '../store-argument.js';
import { defaultReport } from './report.js';

/** `gondwana resume STORE`: the runs that its plan names and that have no record. @throws InputError STORE_EMPTY, PLAN_CHANGED */
export const resume: Command = async (context, [folder], options) => {
  const { plan } = await openPlannedStore(folder!);
  const { defineStudy } = await import('../../studies/define-study.js');
  // the plan of a quick study carries the name that quick gives it
  const name = plan.quick ? plan.study.name.replace(/-quick$/, '') : plan.study.name;
  const study = defineStudy({ ...(plan.study as StudyDefinition), name });
  const { planStudy } = await import('../../studies/plan-study.js');
  const now = await planStudy(study, { quick: plan.quick });
  const known = new Set(plan.runs.map(({ id }) => id));
  if (!now.runs.every(({ id }) => known.has(id))) {
    throw new InputError(
      'PLAN_CHANGED',
      'The runs of this study are not those that the store was made for.',
      {
        where: folder!,
        hint: `A manifest or the numerics changed since; \`gondwana run ${name} --store ${folder!}\` plans and computes them anew.`,
      },
    );
  }
  return runAndReport(context, study, {
    store: folder!,
    quick: plan.quick,
    report: textOption(options, 'report') ?? defaultReport(folder!),
  });
};
