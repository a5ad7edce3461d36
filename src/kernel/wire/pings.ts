import type { ToMain } from '../protocol.js';

/** Questions whether the main thread's event loop turns. */
export class Pings {
  readonly #toMain: (message: ToMain) => void;
  readonly #waiting = new Map<number, () => void>();
  #last = 0;

  constructor(toMain: (message: ToMain) => void) {
    this.#toMain = toMain;
  }

  /**
   * Resolves when all messages to the main thread before this one were handled; never, where it is stuck.
   * @param abandon id of a cell that was ended by force
   */
  ping(abandon?: string): Promise<void> {
    const n = ++this.#last;
    const answered = new Promise<void>((resolve) => this.#waiting.set(n, resolve));
    this.#toMain({ type: 'ping', n, ...(abandon !== undefined && { abandon }) });
    return answered;
  }

  pong(n: number): void {
    this.#waiting.get(n)?.();
    this.#waiting.delete(n);
  }
}

/** Whether the promise resolves in time. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
