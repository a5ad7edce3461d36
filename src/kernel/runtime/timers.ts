import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

/** Timers that a cell set, so that Stop ends a loop that waits between its steps. */
export interface CellTimers {
  /** Timers from now on belong to the next cell. */
  begin(): void;
  /** Clears what the cell at work has set: what waits for it never goes on. */
  stop(): void;
  /** Puts Node's own timers back. */
  restore(): void;
}

type Callback = (...args: unknown[]) => void;

/** The global names that are watched; the same functions under `node:timers` are left as they are. */
const GLOBALS = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
] as const;

/**
 * Watches the global timers and `timers/promises`. Code that must outlive a Stop, as the library's own
 * cleaning up, takes its timers from `node:timers`.
 */
export function watchTimers(): CellTimers {
  const own = Object.fromEntries(GLOBALS.map((name) => [name, globalThis[name]])) as unknown as Timers;
  let cell = new Set<object>();

  /** Notes a timer until it fires; an interval stays until it is cleared. */
  const watched =
    (set: (callback: Callback, ...rest: never[]) => object, repeats: boolean) =>
    (callback: unknown, ...rest: unknown[]): object => {
      const owner = cell;
      const run = callback as Callback;
      const handle = set(
        typeof callback !== 'function' || repeats
          ? run // Node says what is wrong with one that is no function
          : function (this: unknown, ...args) {
              owner.delete(handle);
              run.apply(this, args);
            },
        ...(rest as never[]),
      );
      owner.add(handle);
      return handle;
    };
  const cleared =
    (clear: (handle?: never) => void) =>
    (handle?: unknown): void => {
      cell.delete(handle as object);
      clear(handle as never);
    };

  const setTimeout = watched(own.setTimeout, false);
  const setImmediate = watched(own.setImmediate, false);
  const sleep = (delay?: unknown, value?: unknown, options?: SleepOptions): Promise<unknown> =>
    stoppable((callback) => setTimeout(callback, delay), value, options);
  const nextTurn = (value?: unknown, options?: SleepOptions): Promise<unknown> =>
    stoppable((callback) => setImmediate(callback), value, options);
  Object.defineProperty(setTimeout, promisify.custom, { value: sleep });
  Object.defineProperty(setImmediate, promisify.custom, { value: nextTurn });
  Object.assign(globalThis, {
    setTimeout,
    setImmediate,
    setInterval: watched(own.setInterval, true),
    clearTimeout: cleared(own.clearTimeout),
    clearInterval: cleared(own.clearInterval),
    clearImmediate: cleared(own.clearImmediate),
  });

  const promises = createRequire(import.meta.url)('node:timers/promises') as Record<string, unknown>;
  const ownPromises = { setTimeout: promises.setTimeout, setImmediate: promises.setImmediate };
  Object.assign(promises, { setTimeout: sleep, setImmediate: nextTurn });
  syncBuiltinESMExports();

  return {
    begin: () => void (cell = new Set()),
    stop() {
      for (const handle of cell) {
        own.clearTimeout(handle as never); // ends intervals too
        own.clearImmediate(handle as never);
      }
      cell.clear();
    },
    restore() {
      Object.assign(globalThis, own);
      Object.assign(promises, ownPromises);
      syncBuiltinESMExports();
    },
  };
}

type Timers = Record<
  'setTimeout' | 'setInterval' | 'setImmediate',
  (callback: Callback, ...rest: never[]) => object
> &
  Record<'clearTimeout' | 'clearInterval' | 'clearImmediate', (handle?: never) => void>;

interface SleepOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

/** As `timers/promises` has it: resolves with `value`, rejects with an AbortError once the signal is aborted. */
function stoppable(
  set: (callback: () => void) => object,
  value: unknown,
  { signal, ref = true }: SleepOptions = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = (): void =>
      reject(
        Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
          name: 'AbortError',
          code: 'ABORT_ERR',
        }),
      );
    if (signal?.aborted) return abort();
    const handle = set(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
    if (!ref) (handle as NodeJS.Timeout).unref();
    signal?.addEventListener('abort', abort, { once: true });
  });
}
