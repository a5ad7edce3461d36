import { ENGINE_INSTALL_LINE, startEngine, type EngineInfo } from '../engine/engine.js';
import { isOutOfMemory } from '../engine/out-of-memory.js';
import { errorData, RunError } from '../errors.js';
import type { RunRecord } from '../results/run-record.js';
import { openStore, type ResultStore } from '../results/store.js';
import { executeRun } from './execute-run.js';
import { loadPlugin } from './load-plugin.js';
import { proveArmsDiffer } from './prove-arms.js';
import { groupOf } from './rival-arms.js';
import { Session } from './session.js';
import { studyStopped } from './study-stopped.js';
import type { PlannedRun, StudyEvent } from './study.js';
import type { FromStudyWorker, StudyWorkerData, ToStudyWorker } from './worker-protocol.js';

/**
 * The process in which runs are computed. It takes one run at a time from the process that started it, publishes
 * each record as soon as its run has finished, goes on after a run that failed, and ends when it is told to or
 * when the other process is gone.
 */
async function work(): Promise<void> {
  const abort = new AbortController();
  const inbox = openInbox(() => abort.abort());
  const first = await inbox.next();
  if (first.type !== 'start') return;
  const { data } = first;

  for (const file of data.plugins) await loadPlugin(file);
  const engine = await startEngine();
  for (const text of engine.notices) emit({ type: 'notice', text });
  const store = data.store === null ? undefined : openStore(data.store);
  const session = new Session({
    study: data.plan.study,
    engine,
    versions: data.versions,
    store,
    emit,
    signal: abort.signal,
    isCheck: data.isCheck,
    processes: data.processes,
    job: data.job,
  });
  const proven = new Set<string>();
  for (;;) {
    send({ type: 'idle' });
    const message = await inbox.next();
    if (message.type !== 'run') return;
    const { run, index, total } = message;
    emit({ type: 'run-started', run, index, total });
    try {
      await proveOnce(proven, data, run, session);
      const record = finishedElsewhere(store, run) ?? (await executeRun(run, session));
      await store?.publish(record);
      emit({ type: 'run-finished', record, index, total });
    } catch (error) {
      if (abort.signal.aborted) throw studyStopped();
      const failure = errorData(asMemoryError(error, engine));
      emit({ type: 'run-failed', run, error: failure });
      if (failure.code === 'ENGINE_MEMORY') return; // the engine is gone; the next run gets another process
    }
  }
}

/** The record of a run that another start of the study has finished in the meantime. */
function finishedElsewhere(store: ResultStore | undefined, { id }: PlannedRun): RunRecord | undefined {
  try {
    return store?.read(id);
  } catch {
    return undefined; // a damaged record: publishing sets it aside
  }
}

/** WebAssembly has at most 4 GB and ends with texts of its own when they are used up; TensorFlow goes on. */
function asMemoryError(error: unknown, { name, device }: EngineInfo): unknown {
  if (isOutOfMemory(error)) {
    return new RunError('OUT_OF_MEMORY', `The memory of the ${device} does not hold what a step needs.`, {
      hint: 'Choose a smaller batchSize or inputSize, or freeze the encoder.',
      cause: error,
    });
  }
  if (name !== 'wasm' || !/^Aborted\(|out of bounds|out of memory/i.test((error as Error).message))
    return error;
  return new RunError('ENGINE_MEMORY', 'The wasm engine has used up its 4 GB of memory.', {
    hint: `Install the native engine (${ENGINE_INSTALL_LINE}), freeze the encoder, or choose a smaller batchSize.`,
    cause: error,
  });
}

/** Before the first run of a dataset and encoder: arms that say they differ in their input do. */
async function proveOnce(
  proven: Set<string>,
  { plan }: StudyWorkerData,
  run: PlannedRun,
  session: Session,
): Promise<void> {
  const group = groupOf(run.definition);
  if (proven.has(group)) return;
  await proveArmsDiffer(run, plan.runs, session);
  proven.add(group);
}

/** Messages in their order; `stop` and the loss of the other process jump the queue. */
function openInbox(onStop: () => void): { next: () => Promise<ToStudyWorker> } {
  const waiting: ToStudyWorker[] = [];
  let deliver: ((message: ToStudyWorker) => void) | undefined;
  const put = (message: ToStudyWorker): void => {
    if (deliver) deliver(message);
    else waiting.push(message);
    deliver = undefined;
  };
  const stop = (): void => {
    onStop();
    put({ type: 'end' });
  };
  process.on('message', (message: ToStudyWorker) => (message.type === 'stop' ? stop() : put(message)));
  process.on('disconnect', stop);
  // a cluster asks every process of a task to end
  process.on('SIGTERM', stop);
  // Ctrl-C in a terminal reaches every process of the group: the one that started this one decides
  process.on('SIGINT', () => undefined);
  const next = (): Promise<ToStudyWorker> => {
    const message = waiting.shift();
    if (message) return Promise.resolve(message);
    return new Promise((resolve) => (deliver = resolve));
  };
  return { next };
}

const emit = (event: StudyEvent): void => send({ type: 'event', event });

const send = (message: FromStudyWorker): void => {
  if (process.connected) process.send!(message);
};

work()
  .catch((error: unknown) => send({ type: 'fatal', error: errorData(error) }))
  .finally(() => process.connected && process.disconnect());
