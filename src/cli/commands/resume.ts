import type { StudyDefinition } from '../../studies/study.js';
import type { Command } from '../command.js';
import { textOption } from '../command.js';
import { runAndReport } from '../run-and-report.js';
import { openPlannedStore } from '../store-argument.js';
import { defaultReport } from './report.js';

/** `gondwana resume STORE`: the runs that its plan names and that have no record. @throws InputError STORE_EMPTY */
export const resume: Command = async (context, [folder], options) => {
  const { plan } = await openPlannedStore(folder!);
  const { defineStudy } = await import('../../studies/define-study.js');
  // the plan of a quick study carries the name that quick gives it
  const name = plan.quick ? plan.study.name.replace(/-quick$/, '') : plan.study.name;
  const study = defineStudy({ ...(plan.study as StudyDefinition), name });
  return runAndReport(context, study, {
    store: folder!,
    quick: plan.quick,
    report: textOption(options, 'report') ?? defaultReport(folder!),
  });
};
