import type { StoredPlan } from '../results/store.js';
import { defineStudy } from './define-study.js';
import type { StudyDefinition } from './study.js';

/**
 * The definition that a store's plan was made of, checked like any other: the folder may come from elsewhere.
 * @throws InputError STUDY_INVALID
 */
export function storedStudy({ study, quick }: Pick<StoredPlan, 'study' | 'quick'>): StudyDefinition {
  // the plan of a quick study carries the name that quick gives it
  const name = quick ? study.name.replace(/-quick$/, '') : study.name;
  const {
    plan: _plan,
    run: _run,
    status: _status,
    ...definition
  } = defineStudy({ ...(study as StudyDefinition), name });
  return definition;
}
