import type { ErrorData } from '../errors.js';
import type { PlannedRun, StudyEvent, StudyPlan } from './study.js';

/** What the thread that computes is given. */
export interface StudyWorkerData {
  readonly plan: StudyPlan;
  /** Runs to compute, in order. */
  readonly runs: readonly PlannedRun[];
  /** Folder of the store; null keeps nothing. */
  readonly store: string | null;
  readonly versions: Readonly<Record<string, string>>;
  readonly isCheck: boolean;
  /** One Int32: 1 asks the thread to stop at the next step. */
  readonly stopFlag: SharedArrayBuffer;
}

/** What it says. `ended` or `fatal` comes last. */
export type StudyWorkerMessage =
  | { readonly type: 'event'; readonly event: StudyEvent }
  | { readonly type: 'ended' }
  | { readonly type: 'fatal'; readonly error: ErrorData };
