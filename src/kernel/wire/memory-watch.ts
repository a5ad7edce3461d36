import type { CellQueue, ErrorResult } from './cells.js';
import type { Interrupter } from './interrupt.js';
import { describeBytes, INTERRUPT_SHARE, MEMORY_LIMIT_VARIABLE } from './memory-limit.js';
import { within, type Pings } from './pings.js';
import type { Publisher } from './publisher.js';

export interface MemoryWatchParts {
  readonly cells: Pick<CellQueue, 'runningId' | 'latestId'>;
  readonly interrupter: Pick<Interrupter, 'interrupt' | 'mainThread' | 'disconnect'>;
  readonly publisher: Pick<Publisher, 'stream'>;
  readonly pings: Pick<Pings, 'ping'>;
  /** Resident memory of the process, bytes. */
  readonly residentBytes: () => number;
  /** Bytes at which the cell at work is stopped. */
  readonly interruptBytes: number;
  readonly onSample?: (residentBytes: number) => void;
}

const EVERY_MS = 100;
/** Below this share of the mark the next excursion counts anew. */
const CALM_SHARE = 0.95;
/** Growth since the last interrupt after which the next follows, as a share of the mark. */
const STEP_SHARE = 0.01;
/** Above this share of the mark (95 % of the limit) code in the background is ended too, whatever it is. */
const LAST_SHARE = 0.95 / INTERRUPT_SHARE;

/** Stops a cell before the memory is used up: the system would end the whole kernel, and its state with it. */
export class MemoryWatch {
  readonly #parts: MemoryWatchParts;
  /** Resident bytes after the last interrupt of this excursion. */
  #level: number | undefined;
  #isWorking = false;

  constructor(parts: MemoryWatchParts) {
    this.#parts = parts;
  }

  start(): NodeJS.Timeout {
    return setInterval(() => void this.sample(), EVERY_MS);
  }

  /** Looks once. Resolves when what it started, if anything, is done. */
  async sample(): Promise<void> {
    const { residentBytes, interruptBytes, onSample } = this.#parts;
    const resident = residentBytes();
    onSample?.(resident);
    if (this.#isWorking) return;
    if (resident < interruptBytes * CALM_SHARE) this.#level = undefined;
    if (resident < interruptBytes) return;
    if (this.#level !== undefined && resident < this.#level + interruptBytes * STEP_SHARE) return;
    this.#isWorking = true;
    try {
      await this.#stop(resident);
    } finally {
      this.#isWorking = false;
      this.#level = Math.max(resident, residentBytes());
    }
  }

  async #stop(resident: number): Promise<void> {
    const { cells, interrupter, publisher, pings, interruptBytes } = this.#parts;
    if (cells.runningId !== undefined) {
      await interrupter.interrupt(memoryLimitError(resident, interruptBytes));
    } else {
      const text = `MemoryLimitError: ${memoryText(resident, interruptBytes)} No cell is running: what grows is code of an earlier cell that goes on in the background.\n`;
      if (this.#level === undefined) publisher.stream({ name: 'stderr', parent: cells.latestId, text });
      const turns = await within(200, pings.ping());
      if (!turns || resident > interruptBytes * LAST_SHARE) interrupter.mainThread.terminate();
    }
    interrupter.mainThread.collectGarbage();
    await within(5000, pings.ping()); // the memory counts as used until that is done
    interrupter.disconnect();
  }
}

function memoryText(resident: number, interruptBytes: number): string {
  const limit = describeBytes(interruptBytes / INTERRUPT_SHARE);
  return `The kernel holds ${describeBytes(resident)} of memory; cells are stopped at ${INTERRUPT_SHARE * 100} % of the limit of ${limit}, as the system ends the whole kernel at the limit.`;
}

export function memoryLimitError(resident: number, interruptBytes: number): ErrorResult {
  const evalue = memoryText(resident, interruptBytes);
  const hint = `To do: work in smaller parts, free what is not needed (dispose tensors, set large variables to undefined), or raise the limit: more memory for the machine or container, or ${MEMORY_LIMIT_VARIABLE}.`;
  return {
    status: 'error',
    ename: 'MemoryLimitError',
    evalue,
    traceback: [`MemoryLimitError: ${evalue}`, hint],
  };
}
