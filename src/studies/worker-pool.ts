import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
// not the global one, which ends with an interrupted cell: processes are still to be killed then
import { setTimeout } from 'node:timers';
import { compiledFile } from '../compiled.js';
import { kernelLink } from '../display/kernel-link.js';
import { ENGINE_INSTALL_LINE } from '../engine/engine-folder.js';
import { findNativeEngines } from '../engine/native.js';
import { errorData, errorFromData, RunError, UsageError, type GondwanaError } from '../errors.js';
import { loadedPlugins } from './loaded-plugins.js';
import { studyStopped } from './study-stopped.js';
import type { RunJob } from '../results/run-record.js';
import { turnOf } from './run-turn.js';
import type { PlannedRun, StudyEvent, StudyPlan } from './study.js';
import type { FromStudyWorker, QueuedRun, ToStudyWorker } from './worker-protocol.js';

/** Time for a process to stop by itself, after which it is killed. */
const GRACE_MS = 8000;

/** The same in a notebook, whose Stop button is to end a cell within a second. */
const CELL_GRACE_MS = 500;

/** Memory that one process takes while it fine-tunes a network of some million parameters. */
const BYTES_PER_WORKER = 3.5e9;

/** More processes than this read the same data side by side without end. */
const MAXIMUM_WORKERS = 8;

export interface PoolOptions {
  readonly plan: StudyPlan;
  /** Folder of the store; null keeps nothing. */
  readonly store: string | null;
  readonly versions: Readonly<Record<string, string>>;
  readonly isCheck: boolean;
  /** Runs of the plan to compute. */
  readonly runs: readonly PlannedRun[];
  /** Further runs that the end of one brings, once they are known: the next trial of a search. */
  readonly following?: (event: StudyEvent) => readonly PlannedRun[];
  /** How many of them there will be. Default 0. */
  readonly toCome?: number;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: StudyEvent) => void;
  /** Program of the processes; default the study worker. Tests put a stand-in here. */
  readonly program?: string;
  /** Where a cluster says how many processors there are: one process with so many threads. Default: the machine is divided. */
  readonly threads?: number;
  /** Time for a process to stop by itself, after which it is killed. Default 8 s, in a notebook half a second. */
  readonly graceMs?: number;
  /** The task of a cluster that this is part of, if any. */
  readonly job?: RunJob;
}

/**
 * Computes runs in processes of their own, several at a time: two processes of one thread each finish a study
 * sooner than one process of two threads. A process that dies costs its run, which is reported as failed; the
 * others go on. When the signal is aborted, no further run is begun and all processes end.
 * @throws StoppedError where runs are left undone; RunError WORKER_DIED, and what keeps the engine from starting
 */
export async function computeRuns(options: PoolOptions): Promise<void> {
  const { plan, runs, signal, following = () => [], toCome = 0 } = options;
  if (signal?.aborted) throw studyStopped();
  const { threads, processes } =
    options.threads === undefined
      ? divideMachine(plan, runs.length + toCome)
      : { threads: options.threads, processes: 1 };
  const queue = createQueue(runs, runs.length + toCome);
  const told = new Set<string>();
  const workers = new Set<Worker>();
  let unsettled = runs.length;
  let failure: GondwanaError | undefined;
  const onEvent = (event: StudyEvent): void => {
    options.onEvent(event);
    const further = following(event);
    queue.add(further);
    unsettled += further.length;
  };
  const isStopping = (): boolean => failure !== undefined || signal?.aborted === true;

  await new Promise<void>((resolve) => {
    const stopAll = (): void => workers.forEach((worker) => worker.stop());
    signal?.addEventListener('abort', stopAll, { once: true });

    const start = (): void => {
      const worker = startWorker(
        { ...options, threads, processes },
        () => (isStopping() ? undefined : queue),
        {
          onEvent(event) {
            if (event.type === 'notice' && told.has(event.text)) return;
            if (event.type === 'notice') told.add(event.text);
            if (event.type === 'run-finished' || event.type === 'run-failed') unsettled--;
            onEvent(event);
            // the others start when the first has fetched what all of them need
            const isUnderWay =
              event.type === 'run-finished' || (event.type === 'step' && event.phase !== 'prepare');
            if (isUnderWay && workers.size < processes) startIfNeeded();
          },
          onEnd(error, run) {
            workers.delete(worker);
            if (error && run && !isStopping()) {
              unsettled--;
              onEvent({ type: 'run-failed', run, error: errorData(error) });
            } else if (error && !signal?.aborted) {
              failure ??= error;
              stopAll();
            }
            if (workers.size === 0) startIfNeeded();
            if (workers.size > 0) return;
            signal?.removeEventListener('abort', stopAll);
            resolve();
          },
        },
      );
      workers.add(worker);
    };
    const startIfNeeded = (): void => {
      if (!isStopping() && queue.length > 0) start();
    };
    start();
  });
  if (failure) throw failure;
  if (unsettled > 0) throw studyStopped();
}

/** The number of processes that `GONDWANA_WORKERS` sets, or undefined. @throws UsageError OPTION_VALUE */
export function workersWanted(): number | undefined {
  const wanted = process.env.GONDWANA_WORKERS;
  if (wanted === undefined) return undefined;
  if (!/^[1-9]\d?$/.test(wanted)) {
    throw new UsageError('OPTION_VALUE', `GONDWANA_WORKERS is "${wanted}".`, {
      hint: 'It is a number from 1 to 99.',
    });
  }
  return Number(wanted);
}

/**
 * Threads of each process and the number of processes. The threads depend on the machine and the study alone, so
 * that a study which is resumed computes its last run as it computed the first; where memory is short or few
 * runs are left, fewer processes are started. `GONDWANA_WORKERS` sets the number. A GPU is not shared.
 * @throws UsageError OPTION_VALUE
 */
function divideMachine(
  { runs, toCome = 0 }: StudyPlan,
  missing: number,
): { readonly threads: number; readonly processes: number } {
  const wanted = workersWanted();
  const cores = availableParallelism();
  const trained = toCome + runs.filter(({ definition }) => definition.encoder !== 'none').length;
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const room = (bytes: number): number => Math.max(1, Math.floor(bytes / BYTES_PER_WORKER));
  const sharing = Math.min(cores, room(memory), MAXIMUM_WORKERS, Math.max(1, trained));
  const isGpu = findNativeEngines()[0]?.stamp.flavour === 'gpu';
  const count = wanted ?? (isGpu ? 1 : sharing);
  const allowed = wanted === undefined ? room(process.availableMemory()) : count;
  return { threads: Math.max(1, Math.floor(cores / count)), processes: Math.min(count, allowed, missing) };
}

interface Queue {
  readonly length: number;
  add(runs: readonly PlannedRun[]): void;
  /** The next run, of the arm that this process had last if there is one: its features are still at hand. */
  take(lastArm: string | undefined): QueuedRun | undefined;
}

function createQueue(runs: readonly PlannedRun[], total: number): Queue {
  let count = 0;
  const queued = (run: PlannedRun): QueuedRun => ({ run, index: count++, total });
  const waiting = [...runs].sort((a, b) => turnOf(a) - turnOf(b)).map(queued);
  const taken = new Set<string>();
  return {
    add(further) {
      waiting.push(...further.map(queued));
    },
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
}

interface WorkerHandlers {
  readonly onEvent: (event: StudyEvent) => void;
  /** Called once. Without an error the process ended in order; `run` is what it was computing when it died. */
  readonly onEnd: (error?: GondwanaError, run?: PlannedRun) => void;
}

type WorkerOptions = PoolOptions & { readonly threads: number; readonly processes: number };

/** @param queueNow where to take the next run from; undefined when no further run is to begin */
function startWorker(
  options: WorkerOptions,
  queueNow: () => Queue | undefined,
  { onEvent, onEnd }: WorkerHandlers,
): Worker {
  const { plan, store, versions, isCheck, threads, processes, job } = options;
  const { graceMs = kernelLink() ? CELL_GRACE_MS : GRACE_MS } = options;
  const child = fork(options.program ?? compiledFile('studies/study-worker.js'), [], {
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
  let current: PlannedRun | undefined;
  let lastArm: string | undefined;
  let fatal: GondwanaError | undefined;
  let grace: NodeJS.Timeout | undefined;
  let isOver = false;
  let hasStarted = false;
  const tell = (message: ToStudyWorker): void => {
    if (child.connected) child.send(message, () => undefined); // one that has just ended needs no answer
  };
  const plugins = loadedPlugins();
  tell({ type: 'start', data: { plan, store, versions, isCheck, processes, plugins, job } });
  child.on('message', (message: FromStudyWorker) => {
    if (message.type === 'fatal') fatal = errorFromData(message.error);
    else if (message.type === 'idle') {
      hasStarted = true;
      const next = queueNow()?.take(lastArm);
      current = next?.run;
      lastArm = next?.run.arm;
      tell(next ? { type: 'run', ...next } : { type: 'end' });
    } else {
      if (message.event.type === 'run-finished' || message.event.type === 'run-failed') current = undefined;
      onEvent(message.event);
    }
  });
  const end = (error?: GondwanaError): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(grace);
    onEnd(error, fatal ? undefined : current);
  };
  child.once('error', (cause) => end(new RunError('WORKER_DIED', cause.message, { cause })));
  child.once('close', (code, by) =>
    end(fatal ?? (code === 0 ? undefined : died(code ?? by, log(), hasStarted))),
  );
  return {
    stop() {
      tell({ type: 'stop' });
      grace ??= setTimeout(() => child.kill('SIGKILL'), graceMs);
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

/** Before it asked for a run, a process has done nothing but start its engine. */
function died(code: number | string | null, log: string, hasStarted: boolean): RunError {
  if (!hasStarted) {
    return new RunError(
      'ENGINE_BROKEN',
      `The engine takes its process down when it starts (${String(code)}).`,
      {
        where: log,
        hint: `${ENGINE_INSTALL_LINE} --force`,
      },
    );
  }
  return new RunError('WORKER_DIED', `The process that computes ended with ${String(code)}.`, {
    where: log,
    hint: 'This is often a lack of memory (then GONDWANA_WORKERS=1 needs less). Start again: finished runs are kept.',
  });
}
