import { StoppedError } from '../../errors.js';
import type { ExecuteMessage } from '../protocol.js';

/** A cell may take the global one away, or put another in its place. */
const { AbortController } = globalThis;

/** A cell from its request to its reply. */
export class RunningCell {
  readonly #controller = new AbortController();
  readonly #held = new Set<Promise<unknown>>();
  #failure: { readonly error: unknown } | undefined;
  /** It was ended by force, and the front end was told: what it still says is dropped. */
  isAbandoned = false;
  /** Its reply is sent. */
  isDone = false;
  /** It called something that ends by itself when stopped, and says what it kept. */
  expectsStop = false;

  constructor(readonly message: ExecuteMessage) {}

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(): void {
    this.#controller.abort(new StoppedError('The cell was interrupted.'));
  }

  /** What the work gives; undefined as soon as the cell is stopped. */
  unlessStopped<T>(work: T | Promise<T>): Promise<T | undefined> {
    return Promise.race([work, aborted(this.signal).then(() => undefined)]);
  }

  /** The cell counts as running until the work has settled. */
  hold(work: Promise<unknown>): void {
    this.#held.add(work);
    work.catch((error: unknown) => (this.#failure ??= { error }));
  }

  /** Whether the value is work that the cell waits for anyway, and no result of its own. */
  isHeld(value: unknown): boolean {
    return this.#held.has(value as Promise<unknown>);
  }

  /** Settles with all held work, that begun meanwhile too; at once when the cell is stopped. */
  async settle(): Promise<void> {
    let seen = -1;
    while (seen !== this.#held.size && !this.signal.aborted) {
      seen = this.#held.size;
      await Promise.race([Promise.allSettled(this.#held), aborted(this.signal)]);
    }
    if (this.#failure && !this.signal.aborted) throw this.#failure.error;
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
