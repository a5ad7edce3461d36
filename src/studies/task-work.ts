import { hostname } from 'node:os';
import { GondwanaError, InputError, RunError } from '../errors.js';
import { digestsOfOwn } from '../registry.js';
import { readPlan, readPlannedRuns } from '../results/plan-file.js';
import type { RunJob } from '../results/run-record.js';
import type { ResultStore } from '../results/store.js';
import { attemptsOf, type Attempt } from '../scale-out/attempts.js';
import type { Environment } from '../scale-out/task-place.js';
import type { GrowingPlan } from './growing-plan.js';
import { outcomesIn } from './replay-search.js';
import { groupOf, rivalsOf } from './rival-arms.js';
import { storedStudy } from './stored-study.js';
import type { PlannedRun, StudyPlan } from './study.js';

/** Of one task. */
export interface TaskWork {
  readonly plan: StudyPlan;
  /** To be computed, in their order. */
  readonly todo: readonly PlannedRun[];
  /** Ids that the plan does not have any more. */
  readonly gone: readonly string[];
  /** Of a task that is a search. */
  readonly growing: GrowingPlan | undefined;
}

/** What is to be computed, by the plan and the records as they are now. @throws InputError STORE_EMPTY, PLAN_DAMAGED */
export async function workOf(store: ResultStore, ids: readonly string[], job: RunJob): Promise<TaskWork> {
  const isKin = (own: readonly PlannedRun[], other: PlannedRun): boolean =>
    own.some(({ definition }) => groupOf(definition) === groupOf(other.definition));
  const found = readPlannedRuns(store.folder, new Set(ids), isKin);
  const stored = readPlan(store.folder, { runs: false });
  if (!found || !stored) {
    throw new InputError('STORE_EMPTY', 'This folder has no plan of a study.', {
      where: store.folder,
      hint: 'Submit the study again: gondwana run STUDY --on slurm.',
    });
  }
  const study = storedStudy(stored);
  const { quick } = stored;
  const isOver = failedHere(store, job);
  const byId = new Map(found.own.map((run) => [run.id, run]));
  const gone = ids.filter((id) => !byId.has(id));
  const own = ids.flatMap((id) => byId.get(id) ?? []);
  if (!own.some(({ definition }) => definition.trial)) {
    const kin = new Map(own.flatMap((run) => rivalsOf(run, found.kin)).map((run) => [run.id, run]));
    const plan: StudyPlan = {
      study: { ...study, name: stored.study.name },
      quick,
      runs: [...own, ...kin.values()],
    };
    return { plan, gone, growing: undefined, todo: own.filter(({ id }) => !isOver(id)) };
  }
  const { layOutStudy } = await import('./plan-study.js');
  const growing = await layOutStudy(study, { quick });
  const outcomes = outcomesIn(store);
  growing.refresh(outcomes);
  const searches = growing.searches().filter(({ runs }) => ids.includes(runs[0]!.id));
  const searched = searches.flatMap(({ runs }) => runs);
  const known = new Set(searched.map(({ id }) => id));
  const beside = own.filter(({ id, definition }) => !definition.trial && !known.has(id)); // packed with the search
  const todo = [...beside, ...searched].filter(
    ({ id, definition }) => !isOver(id) && !(definition.trial && outcomes(id)),
  );
  return { plan: growing.plan, gone, growing, todo };
}

/** Runs that need not be begun: they have a record, or failed in this very task before it was begun again. */
function failedHere(store: ResultStore, { job, restart }: RunJob): (id: string) => boolean {
  // what begins for the first time has failed nowhere: the notes of a large study are many
  const attempts = restart === 0 ? new Map<string, readonly Attempt[]>() : attemptsOf(store.folder);
  const done = new Set(store.ids());
  return (id) =>
    done.has(id) ||
    (attempts.get(id) ?? []).some(({ end, of }) => end === 'failed' && of.startsWith(`${job}.`));
}

/** @returns what the runs that need it fail with */
export async function loadCode(files: readonly string[]): Promise<GondwanaError | undefined> {
  if (files.length === 0) return undefined;
  const { loadPlugin } = await import('./load-plugin.js');
  try {
    for (const file of files) await loadPlugin(file);
    return undefined;
  } catch (error) {
    if (error instanceof GondwanaError) return error;
    throw error;
  }
}

/** Why a run cannot be computed here. */
export function refusal(
  { definition }: PlannedRun,
  gres: string | undefined,
  env: Environment,
): GondwanaError | undefined {
  for (const [id, digest] of Object.entries(definition.own ?? {})) {
    const found = digestsOfOwn(id);
    if (found.includes(digest)) continue;
    return new InputError(
      'CODE_CHANGED',
      `The code of "${id}" is not what it was when the run was planned.`,
      {
        where:
          found.length > 0
            ? 'the file of the study or plugin that has it'
            : 'no file that was loaded brings it',
        hint: 'Run the study again: runs with the new code are other runs.',
      },
    );
  }
  const wantsGpu = gres !== undefined && /^gpu|,gpu/.test(gres);
  if (!wantsGpu || env.SLURM_JOB_ID === undefined || env.CUDA_VISIBLE_DEVICES) return undefined;
  return new RunError('GPU_MISSING', `The task asked for ${gres} and sees no GPU.`, {
    where: env.SLURMD_NODENAME ?? hostname(),
    hint: 'Tell the administrators of the cluster; on a processor the run would take the time of a hundred.',
  });
}
