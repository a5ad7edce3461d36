import { Session } from 'node:inspector';
import type { ToMain } from '../protocol.js';
import type { CellQueue, ErrorResult } from './cells.js';
import { within, type Pings } from './pings.js';
import type { Publisher } from './publisher.js';

export const keyboardInterrupt: ErrorResult = {
  status: 'error',
  ename: 'KeyboardInterrupt',
  evalue: '',
  traceback: ['KeyboardInterrupt'],
};

export interface InterruptParts {
  readonly cells: CellQueue;
  readonly pings: Pings;
  readonly publisher: Publisher;
  readonly toMain: (message: ToMain) => void;
  /** SIGINT to the processes of this kernel. */
  readonly signal: () => void;
  readonly mainThread?: MainThread;
}

/** Commands to V8 about the main thread, which obeys also while it runs a loop. */
export interface MainThread {
  /** Ends the JavaScript that is running. */
  terminate(): void;
  collectGarbage(): void;
  /** Lets go: a process that ends waits for whoever is connected to it. */
  disconnect(): void;
}

/** How long a cell may take to end by itself before it is ended by force. */
const GRACE_MS = 300;
/** The same where it is stopped for a reason that does not wait: memory fills by gigabytes a second. */
const URGENT_MS = 30;
/** How long a cell whose event loop turns may take further; the runtime's own limit lies below it. */
const LAST_WORD_MS = 700;
/** How long the event loop may take to turn after it was. */
const TURN_MS = 400;
const TRIES = 5;

/**
 * Stops the cell at work, gently first:
 * 1. a message, which rejects what the cell awaits;
 * 2. SIGINT, which ends the child processes that it waits for;
 * 3. V8 ends what still runs: synchronous code, also of a timer.
 * The state of the notebook is kept. SIGINT is for the children alone: Node can let it end a script, and while such a
 * script begins and ends, the same signal would end the kernel.
 */
export class Interrupter {
  readonly #parts: InterruptParts;
  #mainThread: MainThread | undefined;
  #work: Promise<void> | undefined;

  constructor(parts: InterruptParts) {
    this.#parts = parts;
    this.#mainThread = parts.mainThread;
  }

  get mainThread(): MainThread {
    return (this.#mainThread ??= connectToMainThread());
  }

  disconnect(): void {
    this.#mainThread?.disconnect();
    this.#mainThread = this.#parts.mainThread;
  }

  /**
   * Resolves when the cell has ended, or cannot be ended for now.
   * @param verdict the error it ends with; default: as the cell itself reports it, else `KeyboardInterrupt`
   */
  interrupt(verdict?: ErrorResult): Promise<void> {
    const id = this.#parts.cells.runningId;
    if (id === undefined) return Promise.resolve();
    if (verdict) this.#parts.cells.condemn(id, verdict);
    else this.#parts.cells.interrupted(id);
    return (this.#work ??= this.#stop(id, verdict ?? keyboardInterrupt, verdict !== undefined).finally(() => {
      this.#work = undefined;
      this.disconnect();
    }));
  }

  async #stop(id: string, result: ErrorResult, isUrgent: boolean): Promise<void> {
    const { cells, pings, publisher, toMain, signal } = this.#parts;
    toMain({ type: 'interrupt', id });
    let turns = false;
    void pings.ping().then(() => (turns = true));
    signal();
    if (await within(isUrgent ? URGENT_MS : GRACE_MS, cells.ended(id))) return;
    // the main thread has had the message: it may be waiting for the last word of a study that ends
    if (turns && (await within(LAST_WORD_MS, cells.ended(id)))) return;
    // a loop that turns has had the message, and the cell goes on all the same: it is left behind, not ended by
    // force, as that would hit whatever runs at that moment
    for (let i = 0; i < TRIES && cells.runningId === id; i++) {
      if (!turns || i > 0) this.mainThread.terminate();
      const answered = pings.ping(id);
      if (await within(TURN_MS, answered)) return cells.finish(id, result);
      // it may answer later, when native code returns
      void answered.then(() => cells.finish(id, result));
    }
    if (cells.runningId !== id) return;
    const text =
      'The cell cannot be stopped now: it is inside native code, and stops when that returns. Restart the kernel if it does not.\n';
    publisher.stream({ name: 'stderr', parent: id, text });
  }
}

function connectToMainThread(): MainThread {
  const session = new Session();
  session.connectToMainThread();
  const post = (method: string) => session.post(method, () => {}); // an error: the thread is about to end
  return {
    terminate: () => post('Runtime.terminateExecution'),
    collectGarbage: () => post('HeapProfiler.collectGarbage'),
    disconnect: () => session.disconnect(),
  };
}
