import { existsSync } from 'node:fs';
import path from 'node:path';
import { errorData, errorFromData, StoppedError, UsageError, type GondwanaError } from '../errors.js';
import type { RunJob } from '../results/run-record.js';
import { openStore, type ResultStore } from '../results/store.js';
import { beginAttempt, endAttempt } from '../scale-out/attempts.js';
import { shellArgument } from '../scale-out/batch-script.js';
import { requeueSelf } from '../scale-out/slurm.js';
import { readSubmission, settle, tasksOf, type Submission } from '../scale-out/submission.js';
import { shortenLog } from '../scale-out/task-log.js';
import {
  indexIn,
  isCounted,
  jobIn,
  threadsIn,
  wrongIndex,
  type Environment,
} from '../scale-out/task-place.js';
import { isStateKept, stateFileOf } from '../training/state-file.js';
import { computeAlone } from './compute-alone.js';
import { followingRuns } from './replay-search.js';
import { turnOf } from './run-turn.js';
import type { PlannedRun, StudyEvent } from './study.js';
import { loadCode, refusal, workOf, type TaskWork } from './task-work.js';
import { softwareVersions } from './versions.js';

/** Time to keep the state of a run: clusters kill some thirty seconds after they have asked to stop. */
const GRACE_MS = 20_000;
/** `EX_TEMPFAIL`: kept, to be continued. */
const TO_BE_CONTINUED = 75;
/** A task that comes back more often than this is not begun again by itself. */
const RESTARTS = 100;
const STDOUT = 1;
/** Between two lines about one run. */
const LINE_MS = 30_000;

export interface TaskOptions {
  /** Folder of the submission. */
  readonly submission: string;
  /** Line of its `runs.txt`, from 0; default: what the cluster says in the environment. */
  readonly index?: number | undefined;
  /** Files with code of the user's own. */
  readonly code?: readonly string[];
  readonly env: Environment;
  /** Aborted when the task is asked to stop. */
  readonly signal: AbortSignal;
  /** A line of the log. */
  readonly say: (line: string) => void;
}

export interface TaskResult {
  readonly finished: number;
  readonly failed: number;
  /** Had a record, or had failed in this task before. */
  readonly skipped: number;
  /** Stopped in the middle, or not begun. */
  readonly left: number;
  /** 0; 1 where a run failed, now or in this task before; 75 where runs are left and the task is to come back. */
  readonly exitCode: number;
}

/**
 * One task of an array: computes the runs of its line one after another and publishes each. Several have a process of their
 * own, so that a crash costs one of them alone; a single run is computed in this process. Runs that have a record are passed
 * over, so that a task may be begun as often as a cluster likes. Asked to stop, it keeps the state of the run at work and puts
 * itself back into the queue.
 * @throws UsageError TASK_INDEX, PLUGIN_MISSING; InputError SUBMISSION_INVALID, STORE_EMPTY, PLAN_DAMAGED; what layOutStudy throws
 */
export async function runTask({
  index,
  code = [],
  env,
  signal,
  say,
  ...given
}: TaskOptions): Promise<TaskResult> {
  const submission = readSubmission(given.submission);
  const task = index ?? indexIn(env);
  const ids = tasksOf(submission)[task];
  if (!ids)
    throw wrongIndex(
      `Submission ${submission.number} has no task ${task}: it has ${submission.tasks}, from 0.`,
    );
  if (code.length < submission.plugins.length) throw codeNotNamed(submission, task);
  const store = openStore(path.resolve(submission.folder, '../..'));
  const job = jobIn(submission, task, env);
  if (await isGivenUp(submission, env)) {
    say(`submission ${job.submission} was cancelled or given up: nothing is begun`);
    return { finished: 0, failed: 0, skipped: ids.length, left: 0, exitCode: 0 };
  }
  say(
    `task ${task} of submission ${job.submission} on ${job.node}, process ${process.pid}${isCounted(env) ? `, restart ${job.restart}` : ''}`,
  );
  const unusable = await loadCode(code);
  const work = await workOf(store, ids, job);
  const { todo, growing } = work;
  const skipped = ids.length - Math.min(ids.length, todo.length);
  for (const id of work.gone) say(`${id} is no longer in the plan of the study`);
  // a run that has failed in this task before has no record either
  const isLacking = (): boolean => {
    if (growing || skipped === 0) return false;
    const known = new Set([...store.ids(), ...work.gone]);
    return !ids.every((id) => known.has(id));
  };
  if (todo.length === 0) {
    say('nothing to compute: every run has its record, or has failed in this task before');
    return { finished: 0, failed: 0, skipped, left: 0, exitCode: isLacking() ? 1 : 0 };
  }
  const result = await new Task(store, job, say).compute(todo, {
    ...work,
    unusable,
    submission,
    env,
    signal,
    growing,
    skipped,
  });
  return result.exitCode === 0 && isLacking() ? { ...result, exitCode: 1 } : result;
}

interface ComputeOptions extends TaskWork {
  /** Why the user's code cannot be loaded. */
  readonly unusable: GondwanaError | undefined;
  readonly submission: Submission;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly skipped: number;
}

interface Computation extends Pick<ComputeOptions, 'plan' | 'growing' | 'signal' | 'submission'> {
  /** undefined: the cluster does not say, and the machine is divided. */
  readonly threads: number | undefined;
  /** Told of every event. @returns runs that are to be computed because of it */
  readonly settle: (event: StudyEvent) => readonly PlannedRun[];
}

class Task {
  #finished = 0;
  #failed = 0;
  readonly #atWork = new Set<string>();
  readonly #toldAt = new Map<string, number>();
  /** Notes on disk that are still being written. */
  #notes: Promise<void> = Promise.resolve();

  constructor(
    readonly store: ResultStore,
    readonly job: RunJob,
    readonly say: (line: string) => void,
  ) {}

  async compute(todo: readonly PlannedRun[], options: ComputeOptions): Promise<TaskResult> {
    const { plan, growing, unusable, submission, env, signal, skipped } = options;
    const { demand } = submission;
    const good = todo.filter(
      (run) => !this.#refuse(run, (run.definition.own && unusable) ?? refusal(run, demand.gres, env)),
    );
    const [first] = good.toSorted((a, b) => turnOf(a) - turnOf(b)); // as the pool takes them
    if (first) await this.#begin(first.id); // a process that dies while its engine starts leaves this trace
    const threads = threadsIn(demand.cpus, env);
    const open = new Map(good.map((run) => [run.id, run]));
    const settle = (event: StudyEvent): readonly PlannedRun[] => {
      const further = growing ? followingRuns(growing, event) : [];
      for (const run of further) open.set(run.id, run);
      if (event.type === 'run-finished') open.delete(event.record.id);
      if (event.type === 'run-failed') open.delete(event.run.id);
      return further;
    };
    let isStopped = false;
    try {
      if (good.length > 0)
        await this.#computeAll(good, { plan, growing, threads, submission, signal, settle });
    } catch (error) {
      isStopped = signal.aborted || error instanceof StoppedError;
      if (!isStopped) {
        // the engine does not start here: every run of the task would end like this
        for (const run of open.values()) this.#fail(run, error);
        open.clear();
      }
    }
    await this.#notes;
    if (isStopped) await this.#stop(submission, env);
    const [finished, failed, left] = [this.#finished, this.#failed, open.size];
    this.say(`${finished} finished, ${failed} failed, ${skipped} skipped, ${left} left`);
    const exitCode = left > 0 ? TO_BE_CONTINUED : failed > 0 ? 1 : 0;
    if (exitCode === 0) shortenLog(path.join(this.store.folder, this.job.log), STDOUT);
    return { finished, failed, skipped, left, exitCode };
  }

  /** @throws StoppedError once asked to stop; what keeps the engine from starting */
  async #computeAll(
    runs: readonly PlannedRun[],
    { plan, growing, threads, submission, signal, settle }: Computation,
  ): Promise<void> {
    const { store, job } = this;
    const versions = await softwareVersions(submission.checkout);
    const shared = { plan, versions, job, signal, graceMs: GRACE_MS };
    const [run] = runs;
    if (run && runs.length === 1 && !growing && threads !== undefined) {
      const onEvent = (event: StudyEvent): void => {
        this.#onEvent(event);
        settle(event);
      };
      return computeAlone(run, { ...shared, store, threads, onEvent });
    }
    const { computeRuns } = await import('./worker-pool.js');
    return computeRuns({
      ...{ ...shared, runs, store: store.folder, isCheck: false, following: settle },
      ...(threads !== undefined && { threads }),
      onEvent: (event) => this.#onEvent(event),
    });
  }

  async #stop(submission: Submission, env: Environment): Promise<void> {
    for (const id of this.#atWork) {
      await endAttempt(this.store.folder, id, this.job, 'stopped');
      const isKept = isStateKept(stateFileOf(this.store.folder, id));
      this.say(
        `${id} stopped; ${isKept ? 'it goes on from the state that it kept' : 'it had no state to keep yet'}`,
      );
    }
    const isOver = existsSync(path.join(submission.folder, 'cancelled')) || this.job.restart >= RESTARTS;
    const number = env.SLURM_JOB_ID;
    if (isOver || number === undefined) return;
    if (await requeueSelf(number)) this.say(`job ${number} is back in the queue`);
  }

  #note(work: () => Promise<void>): void {
    // what cannot be written must not end the task: the records count
    this.#notes = this.#notes
      .then(work)
      .catch((error: unknown) => this.say(`notice: ${(error as Error).message}`));
  }

  async #begin(id: string): Promise<void> {
    if (this.#atWork.has(id)) return;
    this.#atWork.add(id);
    this.#note(() => beginAttempt(this.store.folder, id, this.job));
    await this.#notes;
  }

  #refuse(run: PlannedRun, error: GondwanaError | undefined): boolean {
    if (error) this.#fail(run, error);
    return error !== undefined;
  }

  #fail(run: PlannedRun, thrown: unknown): void {
    const { id } = run;
    const error = errorData(thrown);
    this.#failed++;
    this.#atWork.delete(id);
    this.say(`${id} failed: ${error.code}: ${error.message}${error.where ? `\n${error.where}` : ''}`);
    this.#note(async () => {
      await this.store.noteFailure(id, { ...error, log: this.job.log });
      await beginAttempt(this.store.folder, id, this.job);
      await endAttempt(this.store.folder, id, this.job, 'failed');
    });
  }

  #onEvent(event: StudyEvent): void {
    switch (event.type) {
      case 'notice':
        this.say(`notice: ${event.text}`);
        break;
      case 'run-started':
        this.say(`${event.run.id} begins: ${event.run.arm}, seed ${String(event.run.definition.seed)}`);
        void this.#begin(event.run.id);
        break;
      case 'step': {
        const now = performance.now();
        if (now - (this.#toldAt.get(event.run) ?? -Infinity) < LINE_MS) break;
        this.#toldAt.set(event.run, now);
        const { phase, share, epoch, epochs, loss, note } = event;
        const where = [
          ...(epoch === undefined ? [] : [`epoch ${epoch} of ${String(epochs)}`]),
          ...(loss === undefined ? [] : [`loss ${loss.toPrecision(4)}`]),
        ];
        this.say(`${event.run} ${Math.round(100 * share)} %, ${[note ?? phase, ...where].join(', ')}`);
        break;
      }
      case 'run-finished':
        this.#finished++;
        this.#atWork.delete(event.record.id);
        this.say(`${event.record.id} has its record`);
        break;
      case 'run-failed':
        this.#fail(event.run, errorFromData(event.error));
        break;
      default:
    }
  }
}

/** Nothing is noted of the runs: they would fail for want of code that is there. */
const codeNotNamed = ({ folder, plugins }: Submission, task: number): UsageError =>
  new UsageError(
    'PLUGIN_MISSING',
    'The runs of this submission have code of their own, which is not named, or not all of it.',
    {
      where: folder,
      hint: [
        'gondwana worker',
        shellArgument(folder),
        task,
        ...plugins.map((file) => `--code ${shellArgument(file)}`),
      ].join(' '),
    },
  );

/** Also tells the study's folder the number of the job, where its client did not live to do so. */
async function isGivenUp(submission: Submission, env: Environment): Promise<boolean> {
  if (submission.isCancelled) return true;
  if (submission.on === 'script' || env.SLURM_ARRAY_JOB_ID === undefined) return false;
  const outcome = submission.outcome ?? (await settle(submission, { job: env.SLURM_ARRAY_JOB_ID }));
  return outcome.job === null;
}
