import type { ToWire } from '../protocol.js';

/**
 * Keeps a cell that publishes without end from running ahead of the thread that sends: what is under way would fill
 * the memory, and that thread, busy with it, would hear neither a Stop nor the watch over memory. The main thread waits
 * before it publishes more. One counter in shared memory: units taken and not yet given back.
 */
export class Flow {
  readonly #units: Int32Array;

  /** @param memory that of the other thread's; default new */
  constructor(readonly memory = new SharedArrayBuffer(4)) {
    this.#units = new Int32Array(memory);
  }

  /** On the main thread: waits while too much is under way, then counts the message. V8 can end the wait. */
  take(message: ToWire): void {
    const units = unitsOf(message);
    if (units === 0) return;
    for (;;) {
      const taken = Atomics.load(this.#units, 0);
      // a thread that sends nothing for so long holds up nobody
      if (taken < LIMIT || Atomics.wait(this.#units, 0, taken, PATIENCE_MS) === 'timed-out') break;
    }
    Atomics.add(this.#units, 0, units);
  }

  /** On the wire thread: the message is sent. */
  giveBack(message: ToWire): void {
    Atomics.sub(this.#units, 0, unitsOf(message));
    Atomics.notify(this.#units, 0);
  }
}

/** Units under way, of 1 KB each, above which nothing is added: some thousand small messages, or 8 MB. */
const LIMIT = 8192;
/** What a message takes beside its content. */
const OVERHEAD = 4;
const PATIENCE_MS = 5000;

/** What is printed has a limit of its own, and the other messages are few. */
function unitsOf(message: ToWire): number {
  if (message.type !== 'publish') return 0;
  const { data } = message.content as { data?: unknown };
  let size = 0;
  if (typeof data === 'object' && data !== null) {
    for (const value of Object.values(data)) if (typeof value === 'string') size += value.length;
  }
  for (const bytes of message.buffers ?? []) size += bytes.byteLength;
  return OVERHEAD + Math.ceil(size / 1024);
}
