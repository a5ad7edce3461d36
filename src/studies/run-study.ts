import path from 'node:path';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import { compiledFile } from '../compiled.js';
import { errorFromData, RunError, StoppedError } from '../errors.js';
import { openStore } from '../results/store.js';
import type { RunRecord } from '../results/run-record.js';
import { planStudy } from './plan-study.js';
import type { FailedRun, StudyDefinition, StudyEvent, StudyResult, StudyRunOptions } from './study.js';
import { softwareVersions } from './versions.js';
import type { StudyWorkerData, StudyWorkerMessage } from './worker-protocol.js';

export { planStudy } from './plan-study.js';

/** Time for the thread to stop by itself before it is ended. */
const GRACE_MS = 8000;

/**
 * Computes what the store of a study does not hold yet, in a thread of its own. Finished runs are published one
 * by one, so that a stop, a kill or a failure costs at most the run in progress; a run that fails does not keep
 * the others from running.
 * @throws StoppedError once `signal` is aborted; InputError, RunError: what all runs failed with, where none could
 *   finish; RunError WORKER_DIED
 */
export async function runStudy(study: StudyDefinition, options: StudyRunOptions = {}): Promise<StudyResult> {
  const { quick = false, signal, onEvent = () => undefined } = options;
  const plan = await planStudy(study, { quick });
  const store = openStore(options.store ?? path.join('results', plan.study.name));
  await store.writePlan(plan);
  for (const { file, reason } of await store.setAsideDamaged()) {
    onEvent({
      type: 'notice',
      text: `${file} was damaged and is set aside; its run is computed again. ${reason}`,
    });
  }
  const done = new Set(store.ids());
  const missing = plan.runs.filter(({ id }) => !done.has(id));
  onEvent({ type: 'plan', total: plan.runs.length, finished: plan.runs.length - missing.length });

  const failed: FailedRun[] = [];
  if (missing.length > 0) {
    await computeInThread(
      { plan, runs: missing, store: store.folder, versions: await softwareVersions(), isCheck: false },
      signal,
      (event) => {
        if (event.type === 'run-failed') failed.push(event);
        onEvent(event);
      },
    );
    throwCommonFailure(failed, missing.length);
  }
  const records = plan.runs.map(({ id }) => store.read(id)).filter((record) => record !== undefined);
  return { plan, store: store.folder, records, failed };
}

/** One batch of every arm, end to end, nothing kept. Returns the runs that failed. */
export async function tryArms(
  study: StudyDefinition,
  { signal, onEvent = () => undefined }: Pick<StudyRunOptions, 'signal' | 'onEvent'> = {},
): Promise<{ records: RunRecord[]; failed: FailedRun[] }> {
  const plan = await planStudy({
    ...study,
    seeds: study.seeds.slice(0, 1),
    settings: { ...study.settings, epochs: 1 },
  });
  const records: RunRecord[] = [];
  const failed: FailedRun[] = [];
  onEvent({ type: 'plan', total: plan.runs.length, finished: 0 });
  await computeInThread(
    { plan, runs: plan.runs, store: null, versions: await softwareVersions(), isCheck: true },
    signal,
    (event) => {
      if (event.type === 'run-finished') records.push(event.record);
      if (event.type === 'run-failed') failed.push(event);
      onEvent(event);
    },
  );
  return { records, failed };
}

/** Where every run failed for one and the same reason, that reason is the study's. */
function throwCommonFailure(failed: readonly FailedRun[], attempted: number): void {
  const first = failed[0]?.error;
  if (!first || failed.length < attempted) return;
  const isCommon = failed.every(({ error }) => error.code === first.code && error.message === first.message);
  if (isCommon) throw errorFromData(first);
}

async function computeInThread(
  data: Omit<StudyWorkerData, 'stopFlag'>,
  signal: AbortSignal | undefined,
  onEvent: (event: StudyEvent) => void,
): Promise<void> {
  if (signal?.aborted) throw stopped();
  // read by native code when the library loads, so it has to stand in the environment before the thread starts
  process.env.TF_CPP_MIN_LOG_LEVEL ??= '2';
  const stopFlag = new SharedArrayBuffer(4);
  const workerData: StudyWorkerData = { ...data, stopFlag };
  const worker = new Worker(compiledFile('studies/study-worker.js'), { workerData, env: SHARE_ENV });
  let grace: NodeJS.Timeout | undefined;
  const stop = (): void => {
    Atomics.store(new Int32Array(stopFlag), 0, 1);
    grace = setTimeout(() => void worker.terminate(), GRACE_MS);
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: StudyWorkerMessage) => {
        if (message.type === 'event') onEvent(message.event);
        else if (message.type === 'ended') resolve();
        else reject(errorFromData(message.error));
      });
      worker.once('error', reject);
      worker.once('exit', (code) => reject(signal?.aborted ? stopped() : died(code)));
    });
  } finally {
    clearTimeout(grace);
    signal?.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

const stopped = (): StoppedError => new StoppedError('The study was stopped. Finished runs are kept.');

const died = (code: number): RunError =>
  new RunError('WORKER_DIED', `The thread that computes ended with code ${code}.`, {
    hint: 'This is often a lack of memory. Start the command again: finished runs are kept.',
  });
