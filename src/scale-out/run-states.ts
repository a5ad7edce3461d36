import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FailureNote, ResultStore } from '../results/store.js';
import { attemptsOf, lastAttempt, noteOf, type Attempt } from './attempts.js';
import { isLive, isWaiting } from './slurm.js';
import type { QueueView } from './submissions.js';
import { endTold, type ToldEnd } from './task-log.js';

/**
 * `unknown`: a task may be at work on it, and the cluster does not answer. Never called lost: its record may come at any
 * time.
 */
export type RunStateName = 'done' | 'running' | 'queued' | 'failed' | 'missing' | 'unknown';

export interface RunState {
  readonly state: RunStateName;
  /** Why it waits, as the cluster says it. */
  readonly waitsFor?: string;
  /** Why it failed. */
  readonly failure?: FailureNote;
  /** Inside the store: of the task at work, of the failure, or of the last task of a run that is missing. */
  readonly log?: string;
  /** How the last task of a missing run ended: for want of memory or time, killed for a reason that is not known, or by itself before it began a run. */
  readonly endedBy?: 'memory' | 'time' | 'unknown' | 'itself';
}

/** A run that was killed so often without a word is not begun again by itself: it would be killed again. */
export const KILLS = 3;

/**
 * What is known of every run: its record first, then the queue, then what was noted when it failed.
 * @param unitOf the run that stands for it in a submission: itself, or the first trial of its search
 */
export function runStates(
  store: Pick<ResultStore, 'folder' | 'ids' | 'failures'>,
  runs: readonly string[],
  queue: QueueView,
  unitOf: (run: string) => string = (run) => run,
): ReadonlyMap<string, RunState> {
  const done = new Set(store.ids());
  const failures = store.failures();
  const attempts = attemptsOf(store.folder);
  const begun = new Set([...attempts.values()].flat().map(({ of }) => of.replace(/\.\d+$/, '')));
  const busy = new Set<string>(); // tasks that have a run at work
  const logs = new Map<string, { readonly told: ToldEnd | undefined } | undefined>();
  /** What Slurm wrote at the end of a log, which many runs may share; undefined where there is none. */
  const endOf = (log: string): { readonly told: ToldEnd | undefined } | undefined => {
    const file = path.join(store.folder, log);
    if (!logs.has(log)) logs.set(log, existsSync(file) ? { told: endTold(file) } : undefined);
    return logs.get(log);
  };
  const stateOf = (run: string): RunState => {
    if (done.has(run)) return { state: 'done' };
    const queued = queue.taskOf(unitOf(run));
    if (queued === 'unknown') return { state: 'unknown' };
    const tries = attempts.get(run) ?? [];
    const failure = failures.get(run);
    if (queued && isLive(queued.task)) {
      const { submission, index, task } = queued;
      const place = `${submission.name}/${index}`;
      const of = `${task.job}_${index}`;
      const isHere = tries.some((attempt) => attempt.end === 'none' && attempt.of.startsWith(`${of}.`));
      // of this very task: what was noted before it is to be tried again
      if (tries.some((attempt) => attempt.end === 'failed' && attempt.of.startsWith(`${of}.`)) && failure)
        return { state: 'failed', failure, ...logged(failure.log) };
      if (isWaiting(task)) return { state: 'queued', waitsFor: task.reason };
      if (busy.has(place) || !isHere) return { state: 'queued', waitsFor: 'runs before it in its task' };
      busy.add(place);
      return { state: 'running', log: `logs/${of}.log` };
    }
    if (failure) return { state: 'failed', failure, ...logged(failure.log) };
    const kills = tries.filter(({ end }) => end === 'none');
    const last = lastAttempt(store.folder, tries);
    const note = last && noteOf(store.folder, last);
    if (kills.length >= KILLS)
      return { state: 'failed', failure: killed(kills, note?.log), ...logged(note?.log) };
    // a task of later that began no run at all
    const task = queue.lastTaskOf(unitOf(run));
    if (task && !begun.has(task.name) && Number(note?.submission ?? 0) < Number(task.submission)) {
      const log = `logs/${task.name}.log`;
      if (endOf(log)) return { state: 'missing', log, endedBy: 'itself' };
    }
    if (!note) return { state: 'missing' };
    if (last.end !== 'none') return { state: 'missing', log: note.log };
    return { state: 'missing', log: note.log, endedBy: endOf(note.log)?.told?.by ?? 'unknown' };
  };
  return new Map(runs.map((run) => [run, stateOf(run)]));
}

const logged = (log: string | undefined): { log?: string } => (log === undefined ? {} : { log });

const killed = (kills: readonly Attempt[], log: string | undefined): FailureNote => ({
  code: 'RUN_KILLED',
  message: `It was killed ${kills.length} times without a word: most often for a lack of memory.`,
  where: kills.map(({ of }) => of).join(', '),
  hint: 'Look into its log; give it more memory: gondwana resume STORE --retry-failed --mem 64G.',
  exitCode: 1,
  ...(log !== undefined && { log }),
});
