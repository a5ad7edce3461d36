import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import path from 'node:path';
import { GondwanaError } from '../errors.js';
import { namesIn } from '../results/store-files.js';
import { isLive, queueOf, type QueuedTask } from './slurm.js';
import { readSubmission, settle, submissionsFolder, tasksOf, type Submission } from './submission.js';

/** All submissions of a study, first to last; what is half-written or damaged is named apart. */
export function listSubmissions(store: string): {
  readonly submissions: readonly Submission[];
  readonly damaged: readonly { readonly file: string; readonly reason: string }[];
} {
  const submissions: Submission[] = [];
  const damaged: { file: string; reason: string }[] = [];
  for (const name of namesIn(submissionsFolder(store)).sort()) {
    if (!/^\d{4,}$/.test(name)) continue;
    let submission: Submission | undefined;
    try {
      submission = readSubmission(path.join(submissionsFolder(store), name));
      tasksOf(submission); // a list of runs that was cut must not hide the other submissions
      submissions.push(submission);
    } catch (error) {
      // a client that was killed before it had written its intent has sent nothing
      if (!submission && error instanceof GondwanaError && error.code === 'FILE_MISSING') continue;
      damaged.push({ file: path.join('submissions', name), reason: (error as Error).message });
    }
  }
  return { submissions: submissions.sort((a, b) => a.number - b.number), damaged };
}

/** Numbers that are taken, by whatever. */
export const takenNumbers = (store: string): number[] =>
  namesIn(submissionsFolder(store))
    .filter((name) => /^\d{4,}$/.test(name))
    .map(Number);

/** What is known of the tasks of a study. */
export interface QueueView {
  /** Why the cluster does not answer; undefined where it does, or need not be asked. */
  readonly silence: string | undefined;
  /** Of a run: its task, where the queue has it; `unknown` where a task may be at work that the queue does not tell. */
  taskOf(run: string): QueuedRun | 'unknown' | undefined;
  /** By submission. */
  readonly tasks: ReadonlyMap<Submission, ReadonlyMap<number, QueuedTask>>;
  /** The last task that was to compute a run, `JOB_INDEX`, and its submission; none of what was cancelled. */
  lastTaskOf(run: string): { readonly submission: string; readonly name: string } | undefined;
}

export interface QueuedRun {
  readonly submission: Submission;
  readonly index: number;
  readonly task: QueuedTask;
}

/**
 * The queue, run by run. Records say what is finished; this says only what is still to be expected.
 * @param isOver tells for runs whether they have a record: submissions without others are not asked about
 */
export async function viewQueue(
  submissions: readonly Submission[],
  isOver: (run: string) => boolean,
): Promise<QueueView> {
  const open = submissions.flatMap((submission) => {
    if (submission.format !== 'slurm' || submission.outcome?.job === null) return [];
    const tasks = tasksOf(submission);
    return tasks.some((ids) => !ids.every(isOver)) ? [{ submission, tasks }] : [];
  });
  const tasks = new Map<Submission, ReadonlyMap<number, QueuedTask>>();
  const byRun = new Map<string, QueuedRun | 'unknown'>();
  let silence: string | undefined;
  try {
    const queue = open.length > 0 ? await queueOf(open.map(({ submission }) => submission.name)) : new Map();
    for (const { submission } of open)
      tasks.set(submission, (queue as Awaited<ReturnType<typeof queueOf>>).get(submission.name)!);
  } catch (error) {
    if (!(error instanceof GondwanaError)) throw error;
    // scripts that are submitted by hand may run anywhere: that nothing is known of them is no news
    if (open.some(({ submission }) => submission.on === 'slurm')) silence = error.message;
  }
  for (const { submission, tasks: ids } of open) {
    for (const [index, runs] of ids.entries()) {
      const task = tasks.get(submission)?.get(index);
      for (const run of runs) {
        const before = byRun.get(run);
        if (before && (before === 'unknown' || isLive(before.task))) continue;
        if (silence !== undefined && submission.on === 'slurm') byRun.set(run, 'unknown');
        else if (task) byRun.set(run, { submission, index, task });
        else if (isSubmitting(submission)) byRun.set(run, { submission, index, task: SUBMITTING });
      }
    }
  }
  const lastTasks = new Map<string, { submission: string; name: string }>();
  for (const { submission, tasks: ids } of open) {
    const { job } = submission.outcome ?? {};
    if (!job || submission.isCancelled) continue;
    const number = path.basename(submission.folder);
    for (const [index, runs] of ids.entries())
      for (const run of runs) lastTasks.set(run, { submission: number, name: `${job}_${index}` });
  }
  return {
    ...{ silence, tasks },
    taskOf: (run) => byRun.get(run),
    lastTaskOf: (run) => lastTasks.get(run),
  };
}

/** Stands for a task that another client is about to submit. */
const SUBMITTING: QueuedTask = { job: '', state: 'PENDING', reason: 'Submitting', node: '' };

/** Whether a client is about to hand it to Slurm. */
export const isSubmitting = (submission: Submission): boolean =>
  submission.on === 'slurm' && submission.outcome === undefined && isAtWork(submission);

/** A client that is about to submit needs no longer than this. */
const SUBMITTING_MS = 60_000;
/** Slurm may learn of a job this long after the client that sent it was killed. */
const SETTLING_MS = 3000;

/**
 * Looks up what became of submissions whose client was killed before it wrote that down: the name of a job tells. One that
 * never became a job is given up, so that a task which comes of it all the same begins nothing.
 * @returns the submissions as they are now; those of a client that is still at it stay open
 * @throws RunError SLURM_SILENT, SLURM_MISSING
 */
export async function settleOpen(submissions: readonly Submission[]): Promise<Submission[]> {
  const isOpen = (submission: Submission): boolean =>
    submission.on === 'slurm' && submission.outcome === undefined && !isAtWork(submission);
  const open = submissions.filter(isOpen);
  if (open.length === 0) return [...submissions];
  const youngest = Math.max(...open.map(({ createdAt }) => Date.parse(createdAt)));
  const wait = youngest + SETTLING_MS - Date.now();
  if (wait > 0) await setTimeout(Math.min(wait, SETTLING_MS));
  const queue = await queueOf(open.map(({ name }) => name));
  return Promise.all(
    submissions.map(async (submission) => {
      if (!isOpen(submission)) return submission;
      const [task] = queue.get(submission.name)!.values();
      const told = task
        ? { job: task.job }
        : { job: null, reason: 'Its client ended before Slurm had taken it.' };
      return { ...submission, outcome: await settle(submission, told) };
    }),
  );
}

/** Whether the client that wrote it may still be about to submit it. */
function isAtWork({ host, pid, createdAt }: Submission): boolean {
  // before or after: clocks of machines differ
  if (Math.abs(Date.now() - Date.parse(createdAt)) >= SUBMITTING_MS) return false;
  if (host !== hostname()) return true;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0); // signal 0 asks only whether the process is there
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
