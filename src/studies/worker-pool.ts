import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { compiledFile } from '../compiled.js';
import { findNativeEngine } from '../engine/native.js';
import { errorFromData, RunError, StoppedError, UsageError, type GondwanaError } from '../errors.js';
import type { PlannedRun, StudyEvent } from './study.js';
import type { FromStudyWorker, StudyWorkerData, ToStudyWorker } from './worker-protocol.js';

/** Time for a process to stop by itself, after which it is killed. */
const GRACE_MS = 8000;

/** Memory that one process takes while it fine-tunes a network of some million parameters. */
const BYTES_PER_WORKER = 3.5e9;

/** More processes than this read the same data side by side without end. */
const MAXIMUM_WORKERS = 8;

export interface PoolOptions {
  readonly data: StudyWorkerData;
  readonly runs: readonly PlannedRun[];
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: StudyEvent) => void;
}

/**
 * Computes runs in processes of their own, several at a time: two processes of one thread each finish a study
 * sooner than one process of two threads. Stops them when the signal is aborted.
 * @throws StoppedError; RunError WORKER_DIED; whatever keeps all processes from starting
 */
export async function computeRuns({ data, runs, signal, onEvent }: PoolOptions): Promise<void> {
  if (signal?.aborted) throw stopped();
  const count = workerCount(runs.length);
  const threads = Math.max(1, Math.floor(availableParallelism() / count));
  const queue = createQueue(runs);
  const told = new Set<string>();
  const all: Worker[] = [];
  const stopAll = (): void => all.forEach((worker) => worker.stop());
  signal?.addEventListener('abort', stopAll, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      let open = 0;
      const fail = (error: GondwanaError): void => {
        stopAll();
        reject(signal?.aborted ? stopped() : error);
      };
      const start = (): void => {
        open++;
        const worker = startWorker(data, threads, queue, {
          onEvent(event) {
            if (event.type === 'notice' && told.has(event.text)) return;
            if (event.type === 'notice') told.add(event.text);
            onEvent(event);
            // the others start when the first has fetched what all of them need
            const isUnderWay =
              event.type === 'run-finished' || (event.type === 'step' && event.phase !== 'prepare');
            if (isUnderWay && open < count && queue.length > 0) start();
          },
          onEnd(error) {
            open--;
            if (error) fail(error);
            else if (queue.length > 0 && !signal?.aborted) start();
            else if (open === 0 && queue.length > 0) reject(stopped());
            else if (open === 0) resolve();
          },
        });
        all.push(worker);
      };
      start();
    });
  } finally {
    signal?.removeEventListener('abort', stopAll);
    await Promise.all(all.map((worker) => worker.ended));
  }
}

/**
 * `GONDWANA_WORKERS`, else as many as processors and memory allow. A GPU is not shared.
 * @throws UsageError OPTION_VALUE
 */
function workerCount(runCount: number): number {
  const wanted = process.env.GONDWANA_WORKERS;
  if (wanted !== undefined && !/^[1-9]\d?$/.test(wanted)) {
    throw new UsageError('OPTION_VALUE', `GONDWANA_WORKERS is "${wanted}".`, {
      hint: 'It is a number from 1 to 99.',
    });
  }
  if (wanted !== undefined) return Math.min(Number(wanted), runCount);
  if (findNativeEngine()?.stamp.flavour === 'gpu') return 1;
  const byMemory = Math.floor(process.availableMemory() / BYTES_PER_WORKER);
  return Math.max(1, Math.min(availableParallelism(), byMemory, MAXIMUM_WORKERS, runCount));
}

interface Queued {
  readonly run: PlannedRun;
  readonly index: number;
  readonly total: number;
}

interface Queue {
  readonly length: number;
  /** The next run, of the arm that this process had last if there is one: its features are still at hand. */
  take(lastArm: string | undefined): Queued | undefined;
}

function createQueue(runs: readonly PlannedRun[]): Queue {
  const waiting = runs.map((run, index) => ({ run, index, total: runs.length }));
  const taken = new Set<string>();
  return {
    get length() {
      return waiting.length;
    },
    take(lastArm) {
      const same = waiting.findIndex(({ run }) => run.arm === lastArm);
      const fresh = waiting.findIndex(({ run }) => !taken.has(run.arm));
      const [next] = waiting.splice(same >= 0 ? same : Math.max(0, fresh), 1);
      if (next) taken.add(next.run.arm);
      return next;
    },
  };
}

interface Worker {
  stop(): void;
  readonly ended: Promise<void>;
}

interface WorkerHandlers {
  readonly onEvent: (event: StudyEvent) => void;
  /** Called once; without an error when the process ended in order. */
  readonly onEnd: (error?: GondwanaError) => void;
}

function startWorker(
  data: StudyWorkerData,
  threads: number,
  queue: Queue,
  { onEvent, onEnd }: WorkerHandlers,
): Worker {
  const child = fork(compiledFile('studies/study-worker.js'), [], {
    env: {
      TF_NUM_INTRAOP_THREADS: String(threads),
      TF_CPP_MIN_LOG_LEVEL: '2',
      ...process.env,
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  const log = collectLog(child);
  let lastArm: string | undefined;
  let fatal: GondwanaError | undefined;
  let grace: NodeJS.Timeout | undefined;
  const tell = (message: ToStudyWorker): void => {
    if (child.connected) child.send(message, () => undefined); // one that has just ended needs no answer
  };
  tell({ type: 'start', data });
  child.on('message', (message: FromStudyWorker) => {
    if (message.type === 'event') onEvent(message.event);
    else if (message.type === 'fatal') fatal = errorFromData(message.error);
    else {
      const next = queue.take(lastArm);
      lastArm = next?.run.arm;
      tell(next ? { type: 'run', ...next } : { type: 'end' });
    }
  });
  const ended = new Promise<void>((resolve) => {
    let isOver = false;
    const end = (error?: GondwanaError): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(grace);
      onEnd(error);
      resolve();
    };
    child.once('error', (cause) => end(new RunError('WORKER_DIED', cause.message, { cause })));
    child.once('close', (code, by) => end(fatal ?? (code === 0 ? undefined : died(code ?? by, log()))));
  });
  return {
    ended,
    stop() {
      tell({ type: 'stop' });
      grace ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    },
  };
}

/** The last lines that native code wrote, without the two that TensorFlow writes at every start. */
function collectLog(child: ChildProcess): () => string {
  let text = '';
  child.stderr!.setEncoding('utf8').on('data', (part: string) => (text = (text + part).slice(-4000)));
  return () =>
    text
      .split('\n')
      .filter((line) => line !== '' && !/absl::InitializeLog|oneDNN custom operations/.test(line))
      .slice(-8)
      .join('\n');
}

const stopped = (): StoppedError => new StoppedError('The study was stopped. Finished runs are kept.');

const died = (code: number | string | null, log: string): RunError =>
  new RunError('WORKER_DIED', `The process that computes ended with ${String(code)}.`, {
    where: log,
    hint: 'This is often a lack of memory (then GONDWANA_WORKERS=1 needs less). Start again: finished runs are kept.',
  });
