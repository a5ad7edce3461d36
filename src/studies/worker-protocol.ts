import type { ErrorData } from '../errors.js';
import type { RunJob } from '../results/run-record.js';
import type { ResultStore } from '../results/store.js';
import type { PlannedRun, StudyEvent, StudyPlan } from './study.js';

/** What a process that computes is told first. */
export interface StudyWorkerData {
  readonly plan: StudyPlan;
  /** Folder of the store; null keeps nothing. */
  readonly store: string | null;
  readonly versions: Readonly<Record<string, string>>;
  readonly isCheck: boolean;
  /** Files of plugins, which every process loads for itself. */
  readonly plugins: readonly string[];
  /** Processes that may compute side by side, this one included. */
  readonly processes: number;
  /** The task of a cluster that this is part of, if any. */
  readonly job?: RunJob | undefined;
}

/** A run and its place among those that are computed together. */
export interface QueuedRun {
  readonly run: PlannedRun;
  readonly index: number;
  readonly total: number;
}

export interface ComputingOptions {
  /** undefined keeps nothing. */
  readonly store: ResultStore | undefined;
  /** Aborted when the run at work is to keep its state and stop. */
  readonly signal: AbortSignal;
  readonly emit: (event: StudyEvent) => void;
}

/**
 * Makes this process one that computes runs, one after another: each is published as soon as it has finished, and one that
 * fails is told and throws nothing. What it gives computes a run, and says whether the process can take another.
 * @throws StoppedError from the run at work, once the signal is aborted
 */
export type Computing = (
  data: StudyWorkerData,
  options: ComputingOptions,
) => Promise<(queued: QueuedRun) => Promise<boolean>>;

/** What it is told: `start` once, then runs one by one, at last `end`; `stop` at any time. */
export type ToStudyWorker =
  | { readonly type: 'start'; readonly data: StudyWorkerData }
  | ({ readonly type: 'run' } & QueuedRun)
  | { readonly type: 'end' }
  | { readonly type: 'stop' };

/** What it says: `idle` asks for the next run; `fatal` comes last. */
export type FromStudyWorker =
  | { readonly type: 'event'; readonly event: StudyEvent }
  | { readonly type: 'idle' }
  | { readonly type: 'fatal'; readonly error: ErrorData };
