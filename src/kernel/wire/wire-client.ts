import { Worker } from 'node:worker_threads';
import { errorFromData, RunError } from '../../errors.js';
import type { ToMain, ToWire, WireOptions } from '../protocol.js';
import { LAUNCHER_VARIABLE, launcherAddress } from './launcher-link.js';
import { readConnectionFile } from './connection.js';
import { Flow } from './flow.js';
import type { LeaveMessage, WireNotice, WireWorkerData } from './wire.js';

/** The main thread's end of the wire thread. */
export interface WireClient {
  send(message: ToWire): void;
  /** Resolves when the kernel listens; rejects with an InputError where it cannot. */
  readonly bound: Promise<void>;
}

/**
 * Starts the wire thread. From here on SIGINT does not end this process: it is for the children of cells.
 * Messages that come before `ready` was sent wait in the wire thread.
 * @param onMessage called with everything the wire thread says
 * @throws InputError `CONNECTION_FILE_*`
 */
export function startWireThread(options: WireOptions, onMessage: (message: ToMain) => void): WireClient {
  readConnectionFile(options.connectionFile); // a bad file is told at once
  const launcher = launcherAddress(process.env);
  delete process.env[LAUNCHER_VARIABLE]; // children of cells have no part in it
  const exit = process.exit.bind(process); // later it may be kept from cells
  process.on('SIGINT', () => {});
  const flow = new Flow();
  const data: WireWorkerData = { options, flow: flow.memory, ...(launcher && { launcher }) };
  const worker = new Worker(new URL('./wire-worker.js', import.meta.url), {
    name: 'gondwana-wire',
    workerData: data,
    transferList: [options.language],
    // the kernel's flags are about the main thread
    execArgv: [],
  });
  let isLost = false;
  const bound = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: ToMain | WireNotice) => {
      if (message.type === 'bound') resolve();
      else if (message.type === 'failed') reject(errorFromData(message.error));
      else onMessage(message);
    });
    const lost = (why: string) => {
      isLost = true;
      const error = new RunError('KERNEL_WIRE', `The thread that talks to Jupyter has ended: ${why}`, {
        hint: 'This is a fault of Gondwana: please report it. Restart the kernel.',
      });
      reject(error);
      process.stderr.write(`${error.code}: ${error.message}\n`);
      exit(1);
    };
    worker.once('error', (error: Error) => lost(error.stack ?? error.message));
    worker.once('exit', (code) => lost(`exit code ${code}`));
  });
  process.on('exit', () => {
    // a cell may emit the event too, and then nothing ends
    if (!isLost && (process as { _exiting?: boolean })._exiting !== false) leave(worker);
  });
  bound.catch(() => {}); // told where it is awaited
  return {
    bound,
    send(message) {
      flow.take(message);
      worker.postMessage(message);
    },
  };
}

/** How long the process waits at its exit for the last messages. */
const LEAVE_MS = 500;

function leave(worker: Worker): void {
  const done = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage({ type: 'leave', done } satisfies LeaveMessage);
  Atomics.wait(done, 0, 0, LEAVE_MS);
}
