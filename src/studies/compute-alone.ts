import type { ResultStore } from '../results/store.js';
import { loadComputing } from './load-computing.js';
import { studyStopped } from './study-stopped.js';
import type { PlannedRun, StudyEvent } from './study.js';
import type { StudyWorkerData } from './worker-protocol.js';

export interface AloneOptions extends Pick<StudyWorkerData, 'plan' | 'versions' | 'job'> {
  readonly store: ResultStore;
  readonly threads: number;
  readonly signal: AbortSignal;
  /** Time to stop by itself, after which it is left behind. */
  readonly graceMs: number;
  readonly onEvent: (event: StudyEvent) => void;
}

/**
 * Computes one run in this very process, which computes nothing else and ends afterwards: a crash costs that run either way,
 * and a second process would load everything again.
 * @throws StoppedError once the signal is aborted; what starting the engine throws
 */
export async function computeAlone(
  run: PlannedRun,
  { plan, versions, job, store, threads, signal, graceMs, onEvent }: AloneOptions,
): Promise<void> {
  if (signal.aborted) throw studyStopped();
  process.env.TF_NUM_INTRAOP_THREADS ??= String(threads); // the native engine reads it when it is loaded
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const wait = (): void => void (timer = setTimeout(() => reject(studyStopped()), graceMs));
    signal.addEventListener('abort', wait, { once: true });
  });
  const work = async (): Promise<void> => {
    const startComputing = await loadComputing();
    const compute = await startComputing(
      {
        ...{ plan, versions, job, store: store.folder, isCheck: false },
        ...{ plugins: [], processes: 1 }, // the task has loaded its code already
      },
      { store, signal, emit: onEvent },
    );
    await compute({ run, index: 0, total: 1 });
  };
  await Promise.race([work(), late]).finally(() => clearTimeout(timer));
}
