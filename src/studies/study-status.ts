import path from 'node:path';
import { showAs } from '../display/showable.js';
import { InputError } from '../errors.js';
import { groupBy } from '../collections.js';
import { isTrial } from '../results/run-record.js';
import { totalSeconds } from '../results/total-seconds.js';
import {
  openStore,
  type DamagedRecord,
  type FailureNote,
  type ResultStore,
  type StoredPlan,
} from '../results/store.js';
import { runStates, type RunState, type RunStateName } from '../scale-out/run-states.js';
import { isLive, isWaiting } from '../scale-out/slurm.js';
import type { Submission } from '../scale-out/submission.js';
import { listSubmissions, viewQueue, type QueueView } from '../scale-out/submissions.js';
import { storedStudy } from './stored-study.js';
import { madeUpFor } from './replay-search.js';
import { statusBundle } from './status-sheets.js';
import { unitsOf } from './task-units.js';

/** One run of the plan. */
export interface RunStatus {
  readonly id: string;
  readonly dataset: string;
  readonly arm: string;
  readonly seed: number | null;
  readonly state: RunStateName;
  /** Why it waits, as the cluster says it. */
  readonly waitsFor?: string;
  /** Inside the store. */
  readonly log?: string;
  /** How the last task of a run that is missing ended. */
  readonly endedBy?: RunState['endedBy'];
}

/** Tasks of one submission, as the queue has them. */
export interface SubmissionStatus {
  /** Name of its folder. */
  readonly submission: string;
  /** null: it never became a job, or is submitted by hand. */
  readonly job: string | null;
  readonly tasks: number;
  readonly running: number;
  readonly pending: number;
  /** Why they wait. */
  readonly reasons: readonly string[];
}

/** How far a study is, wherever its runs are computed. */
export interface StudyStatus {
  readonly study: string;
  readonly title: string;
  readonly store: string;
  readonly quick: boolean;
  readonly total: number;
  readonly done: number;
  readonly running: number;
  readonly queued: number;
  readonly failed: number;
  readonly missing: number;
  /** On their way or not: the cluster does not answer. Their records may come at any time. */
  readonly unknown: number;
  /** Why the cluster does not answer; null where it does, or nothing of this study is on its way to it. */
  readonly queueUnknown: string | null;
  /** Of what is running and queued, by finished runs and what runs side by side; null where that is not known. */
  readonly secondsLeft: number | null;
  readonly runs: readonly RunStatus[];
  readonly failures: Readonly<Record<string, FailureNote>>;
  readonly damaged: readonly DamagedRecord[];
  /** Those with runs that have no record. */
  readonly submissions: readonly SubmissionStatus[];
}

/** Records of a larger store are counted by their names, and read when a report is made of them. */
const READ_ALL = 2000;
/** Records from which the time of a run is told. */
const SAMPLE = 50;

/**
 * Counts by records, queue and notes of failures; writes nothing and executes nothing that lies in the folder.
 * @throws InputError STORE_EMPTY, NOT_A_FOLDER, PLAN_DAMAGED
 */
export async function studyStatus(folder: string): Promise<StudyStatus> {
  const store = openStore(folder);
  const stored = store.readPlan();
  if (!stored) {
    throw new InputError(
      'STORE_EMPTY',
      'No study was run in this folder: it has no study.json and plan.ndjson.',
      {
        where: store.folder,
        hint: 'Name the folder of a study, e.g. results/quickstart. `gondwana run STUDY` makes one.',
      },
    );
  }
  const plan = await planNow(store, stored);
  const listed = listSubmissions(store.folder);
  const ids = store.ids();
  const done = new Set(ids);
  const units = unitsOf(plan.runs);
  const queue = await viewQueue(listed.submissions, (run) => done.has(run));
  const found = runStates(
    store,
    plan.runs.map(({ id }) => id),
    queue,
    (run) => units.get(run)!,
  );
  const settled = madeUpFor(plan.runs, store.failures(), (run) => units.get(run));
  const states = new Map(
    [...found].map(([id, state]): [string, RunState] => [id, settled.has(id) ? { state: 'done' } : state]),
  );
  const runs = plan.runs.map(({ id, arm, definition }): RunStatus => {
    const { state, waitsFor, log, endedBy } = states.get(id)!;
    return {
      ...{ id, dataset: definition.dataset, arm, seed: definition.seed, state },
      ...(waitsFor !== undefined && { waitsFor }),
      ...(log !== undefined && { log }),
      ...(endedBy !== undefined && { endedBy }),
    };
  });
  const counts = countsOf(runs, plan, queue, units);
  const submissions = [...queue.tasks].map(([submission, tasks]) => submissionStatus(submission, tasks));
  const status: StudyStatus = {
    ...{ study: plan.study.name, title: plan.study.title, store: store.folder, quick: plan.quick },
    ...counts,
    queueUnknown: queue.silence ?? null,
    secondsLeft: secondsLeft(store, ids, counts, submissions),
    runs,
    failures: failuresOf(states),
    damaged: [...(ids.length <= READ_ALL ? store.readAll().damaged : []), ...listed.damaged],
    submissions,
  };
  return showAs(status, { bundle: statusBundle });
}

/** Of a study that searches, what came of the trials says what else there is. */
async function planNow(store: ResultStore, stored: StoredPlan): Promise<StoredPlan> {
  if (!stored.toCome && !stored.runs.some(isTrial)) return stored;
  try {
    const [{ layOutStudy }, { outcomesIn }] = await Promise.all([
      import('./plan-study.js'),
      import('./replay-search.js'),
    ]);
    const growing = await layOutStudy(storedStudy(stored), { quick: stored.quick });
    growing.refresh(outcomesIn(store));
    return growing.plan;
  } catch {
    return stored; // code or weights are not at hand: the plan as it was written
  }
}

type Counts = Readonly<Record<'total' | RunStateName, number>>;

/** Runs of searches that are not known yet have the state of their search. */
function countsOf(
  runs: readonly RunStatus[],
  { toCome = 0 }: StoredPlan,
  queue: QueueView,
  units: ReadonlyMap<string, string>,
): Counts {
  const byState = groupBy(runs, ({ state }) => state);
  const count = (state: RunStateName): number => byState.get(state)?.length ?? 0;
  const searches = new Set([...units].filter(([run, unit]) => run !== unit).map(([, unit]) => unit));
  const isUnderWay = [...searches].some((unit) => {
    const queued = queue.taskOf(unit);
    return queued !== undefined && queued !== 'unknown' && isLive(queued.task);
  });
  return {
    total: runs.length + toCome,
    ...{ done: count('done'), running: count('running'), failed: count('failed'), unknown: count('unknown') },
    queued: count('queued') + (isUnderWay ? toCome : 0),
    missing: count('missing') + (isUnderWay ? 0 : toCome),
  };
}

function submissionStatus(
  submission: Submission,
  tasks: QueueView['tasks'] extends ReadonlyMap<Submission, infer Tasks> ? Tasks : never,
): SubmissionStatus {
  const live = [...tasks.values()].filter(isLive);
  const waiting = live.filter(isWaiting);
  return {
    submission: path.basename(submission.folder),
    job: submission.outcome?.job ?? live[0]?.job ?? null,
    tasks: submission.tasks,
    running: live.length - waiting.length,
    pending: waiting.length,
    reasons: [...new Set(waiting.map(({ reason }) => reason))].filter((reason) => reason !== 'None'),
  };
}

function secondsLeft(
  store: ResultStore,
  ids: readonly string[],
  { running, queued }: Counts,
  submissions: readonly SubmissionStatus[],
): number | null {
  const atWork = submissions.reduce((sum, submission) => sum + submission.running, 0);
  if (ids.length === 0 || atWork === 0) return null;
  const step = Math.ceil(ids.length / SAMPLE);
  const seconds = ids.flatMap((id, at) => {
    if (at % step > 0) return [];
    try {
      const record = store.read(id);
      return record && record.definition.encoder !== 'none' ? [totalSeconds(record)] : [];
    } catch {
      return []; // damaged
    }
  });
  if (seconds.length === 0) return null;
  const mean = seconds.reduce((sum, value) => sum + value, 0) / seconds.length;
  // of those at work, half is still to be done
  return ((queued + running / 2) * mean) / atWork;
}

const failuresOf = (states: ReadonlyMap<string, RunState>): Record<string, FailureNote> =>
  Object.fromEntries([...states].flatMap(([id, { failure }]) => (failure ? [[id, failure] as const] : [])));

/** Whether anything is on its way that will change the status. */
export const isUnderWay = ({ running, queued, unknown }: StudyStatus): boolean =>
  running + queued + unknown > 0;
