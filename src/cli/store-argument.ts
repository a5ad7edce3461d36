import { InputError, UsageError } from '../errors.js';
import type { ResultStore, StoredPlan } from '../results/store.js';

/** A store that a study has written its plan to. @throws UsageError OPTION_VALUE; InputError STORE_EMPTY, NOT_A_FOLDER, PLAN_DAMAGED */
export async function openPlannedStore(folder: string): Promise<{ store: ResultStore; plan: StoredPlan }> {
  requireName(folder);
  const { openStore } = await import('../results/store.js');
  const store = openStore(folder);
  const plan = store.readPlan();
  if (!plan) {
    throw new InputError(
      'STORE_EMPTY',
      'No study was run in this folder: it has no study.json and plan.ndjson.',
      {
        where: store.folder,
        hint: 'Name the folder of a study, e.g. results/quickstart. `gondwana run STUDY` makes one.',
      },
    );
  }
  return { store, plan };
}

/** @throws UsageError OPTION_VALUE */
export function requireName(folder: string): string {
  if (folder.trim() !== '') return folder;
  throw new UsageError('OPTION_VALUE', 'The folder of the study has no name.', {
    hint: 'Name the folder of a study, e.g. results/quickstart.',
  });
}
