import { listed } from '../display/words.js';
import { InputError } from '../errors.js';
import { digestsOfOwn } from '../registry.js';
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

/**
 * Code that a study brought with it is there again: that of a shipped study is loaded; what came from elsewhere is never
 * executed because a folder names it.
 * @throws InputError OWN_CODE_MISSING
 */
export async function requireOwnCode(
  { study, quick, runs }: Pick<StoredPlan, 'study' | 'quick' | 'runs'>,
  folder: string,
): Promise<void> {
  const named = new Set(runs.flatMap(({ definition }) => Object.keys(definition.own ?? {})));
  const missing = (): string[] => [...named].filter((id) => digestsOfOwn(id).length === 0);
  if (missing().length > 0) {
    const { loadStudy, shippedStudies } = await import('./load-study.js');
    const name = quick ? study.name.replace(/-quick$/, '') : study.name;
    if (shippedStudies().includes(name)) await loadStudy(name);
  }
  const left = missing();
  if (left.length === 0) return;
  throw new InputError(
    'OWN_CODE_MISSING',
    `The study has code of its own, which is not here: ${listed(left)}.`,
    {
      where: folder,
      hint: `Give the file of the study or plugin: --plugin FILE; or run it again: gondwana run FILE --store ${folder}.`,
    },
  );
}
