import { InputError } from '../errors.js';
import { readPlan, type StoredPlan } from '../results/plan-file.js';
import type { ResultStore } from '../results/store.js';
import type { GrowingPlan } from './growing-plan.js';
import { outcomesIn } from './replay-search.js';
import type { StudyEvent, StudyPlan } from './study.js';

/**
 * Makes a store ready for the runs of a study, wherever they are computed: its plan is written, records can be, and what is
 * damaged is set aside and counts as missing. The plan then knows what came of its trials.
 * @throws InputError STORE_TAKEN; what writing throws
 */
export async function prepareStore(
  growing: GrowingPlan,
  store: ResultStore,
  onEvent: (event: StudyEvent) => void,
): Promise<void> {
  growing.refresh(outcomesIn(store));
  for (const text of refuseOtherStudy(store, growing.plan)) onEvent({ type: 'notice', text });
  await writePlan(store, growing.plan);
  await store.tryWriting();
  const damaged = await store.setAsideDamaged();
  for (const { file, reason } of damaged) {
    onEvent({
      type: 'notice',
      text: `${file} was damaged and is set aside; its run is computed again. ${reason}`,
    });
  }
}

/** Without what processes are told of a trial. */
export const writePlan = (store: ResultStore, { runs, ...plan }: StudyPlan): Promise<void> =>
  store.writePlan({ ...plan, runs: runs.map(({ id, arm, definition }) => ({ id, arm, definition })) });

/** Lines that cannot be read are written anew; whose store it is, the summary says. @throws InputError PLAN_DAMAGED */
function planBefore(store: ResultStore): StoredPlan | undefined {
  try {
    return store.readPlan();
  } catch (error) {
    if (!(error instanceof InputError) || error.code !== 'PLAN_DAMAGED') throw error;
    return readPlan(store.folder, { runs: false });
  }
}

/**
 * A store holds one study, in full or quick. A study that was changed may go on in its store; what the change
 * leaves without a place in the plan is told.
 * @throws InputError STORE_TAKEN
 */
function refuseOtherStudy(store: ResultStore, plan: StudyPlan): string[] {
  const before = planBefore(store);
  if (!before) return [];
  if (before.study.name !== plan.study.name) {
    throw new InputError('STORE_TAKEN', `This store holds the study "${before.study.name}".`, {
      where: store.folder,
      hint: `Choose another folder for "${plan.study.name}"; results/${plan.study.name} is the default.`,
    });
  }
  const wanted = new Set(plan.runs.map(({ id }) => id));
  const left = before.runs.filter(({ id }) => !wanted.has(id)).length;
  if (left === 0) return [];
  return [
    `The study has changed: ${left} of ${before.runs.length} planned runs are no longer part of it. Their records stay.`,
  ];
}
