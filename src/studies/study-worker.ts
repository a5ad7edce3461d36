import { parentPort, workerData } from 'node:worker_threads';
import { startEngine } from '../engine/engine.js';
import { errorData, StoppedError } from '../errors.js';
import { openStore } from '../results/store.js';
import { executeRun } from './execute-run.js';
import { proveArmsDiffer, Session } from './session.js';
import type { RunSettings } from './plan-study.js';
import type { PlannedRun, StudyEvent } from './study.js';
import type { StudyWorkerData, StudyWorkerMessage } from './worker-protocol.js';

/**
 * The thread in which a study computes, so that the caller's thread stays free. It takes the runs in order,
 * publishes each record as soon as its run has finished, and goes on after a run that failed.
 */
async function work({ plan, runs, store, versions, isCheck, stopFlag }: StudyWorkerData): Promise<void> {
  const stop = new Int32Array(stopFlag);
  const isStopped = (): boolean => Atomics.load(stop, 0) === 1;
  const emit = (event: StudyEvent): void => send({ type: 'event', event });
  const abort = new AbortController();
  const poll = setInterval(() => isStopped() && abort.abort(), STOP_POLL_MS);
  const engine = await startEngine();
  for (const text of engine.notices) emit({ type: 'notice', text });

  const records = store === null ? undefined : openStore(store);
  const session = new Session({
    study: plan.study.name,
    engine,
    versions,
    store: records,
    emit,
    signal: abort.signal,
    isStopped,
    isCheck,
  });
  const proven = new Set<string>();
  try {
    for (const [index, run] of runs.entries()) {
      emit({ type: 'run-started', run, index, total: runs.length });
      try {
        await proveOnce(proven, plan.runs, run, session);
        const record = await executeRun(run, session);
        await records?.publish(record);
        emit({ type: 'run-finished', record, index, total: runs.length });
      } catch (error) {
        if (error instanceof StoppedError || isStopped())
          throw new StoppedError('The study was stopped. Finished runs are kept.');
        emit({ type: 'run-failed', run, error: errorData(error) });
      }
    }
  } finally {
    session.dispose();
    clearInterval(poll);
  }
}

/** Before the first run of a dataset: arms that say they differ in their input do. */
async function proveOnce(
  proven: Set<string>,
  all: readonly PlannedRun[],
  { definition }: PlannedRun,
  session: Session,
): Promise<void> {
  const { tileSize } = definition.settings as unknown as RunSettings;
  const key = `${definition.dataset}/${tileSize}`;
  if (proven.has(key)) return;
  proveArmsDiffer(await session.prepare(definition.dataset, tileSize, () => undefined), all);
  proven.add(key);
}

const STOP_POLL_MS = 50;

const send = (message: StudyWorkerMessage): void => parentPort!.postMessage(message);

work(workerData as StudyWorkerData).then(
  () => send({ type: 'ended' }),
  (error: unknown) => send({ type: 'fatal', error: errorData(error) }),
);
