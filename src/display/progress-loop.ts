import { StoppedError, UsageError } from '../errors.js';
import { kernelLink } from './kernel-link.js';
import { openBar } from './progress-bars.js';
import type { ProgressCount, ProgressOptions, ProgressState } from './progress.js';

export interface LoopOptions extends ProgressOptions {
  /** Things in all, where the things themselves do not say it (`length`, `size`). */
  readonly total?: number;
  /** What is counted, in the plural, e.g. `tiles`. */
  readonly unit?: string;
  /** Ends the loop with a StoppedError; default that of the notebook's cell. */
  readonly signal?: AbortSignal;
}

/** A bar that is moved by hand. */
export interface ProgressBar {
  readonly done: number;
  /**
   * @param count things done since the last call, default 1
   * @param text what is at work
   * @throws StoppedError once the cell is to stop
   */
  advance(count?: number, text?: string): void;
  /** The last state; further calls do nothing. */
  finish(text?: string): void;
}

/**
 * Shows how far a loop is, how fast it goes and how long it will take:
 * `for (const tile of progress(tiles, { title: 'tiles' })) …`, `for await (const part of progress(stream)) …`, or by
 * hand `const bar = progress(100); bar.advance(); bar.finish()`.
 * A loop inside another has its line below it, which goes when it ends (`keep: true` leaves it). Leaving a loop early
 * is seen in its last line. The loop ends with a StoppedError, between two things, once its signal is aborted.
 */
export interface Progress {
  <T>(things: AsyncIterable<T>, options?: LoopOptions): AsyncIterable<T>;
  <T>(things: Iterable<T>, options?: LoopOptions): Iterable<T>;
  /** @throws UsageError PROGRESS_OF for what is neither a count nor can be gone through */
  (total?: number, options?: LoopOptions): ProgressBar;
}

function progressOf(of?: unknown, options: LoopOptions = {}): unknown {
  if (of === undefined) return startBar(options.total ?? null, options);
  if (typeof of === 'number' && of >= 0) return startBar(Number.isFinite(of) ? of : null, options);
  const things = Object(of) as Partial<Iterable<unknown> & AsyncIterable<unknown>>;
  const total = options.total ?? sizeOf(things);
  if (typeof things[Symbol.asyncIterator] === 'function') {
    return { [Symbol.asyncIterator]: () => goThroughLater(things as AsyncIterable<unknown>, total, options) };
  }
  if (typeof things[Symbol.iterator] === 'function') {
    return { [Symbol.iterator]: () => goThrough(things as Iterable<unknown>, total, options) };
  }
  throw new UsageError('PROGRESS_OF', `progress cannot go through ${describe(of)}.`, {
    hint: 'Give it an array, another iterable, or how many things there are.',
  });
}

export const progress = progressOf as Progress;

const describe = (of: unknown): string =>
  typeof of === 'number' ? `${of} things` : of === null ? 'null' : `a value of type ${typeof of}`;

/** `length` of arrays, `size` of maps and sets, rows of an Arquero table; null where none of them is there. */
function sizeOf(things: object): number | null {
  const { length, size, numRows } = things as { length?: unknown; size?: unknown; numRows?: unknown };
  if (typeof length === 'number') return length;
  if (typeof size === 'number') return size;
  return typeof numRows === 'function' ? Number(numRows.call(things)) : null;
}

function* goThrough(
  things: Iterable<unknown>,
  total: number | null,
  options: LoopOptions,
): Generator<unknown> {
  const bar = startBar(total, options);
  try {
    bar.refuseStopped();
    for (const thing of things) {
      yield thing;
      bar.advance();
    }
    bar.finish();
  } finally {
    bar.breakOff(); // left early: break, return or an error in the loop
  }
}

async function* goThroughLater(
  things: AsyncIterable<unknown>,
  total: number | null,
  options: LoopOptions,
): AsyncGenerator<unknown> {
  const bar = startBar(total, options);
  const iterator = things[Symbol.asyncIterator]();
  let isLeft = true;
  try {
    bar.refuseStopped();
    for (;;) {
      isLeft = false; // a source that has ended or failed is not to be ended again
      const next = await bar.unlessStopped(iterator.next());
      if (next.done) break;
      isLeft = true;
      yield next.value;
      bar.advance();
    }
    bar.finish();
  } finally {
    bar.breakOff();
    // a source that hangs must not hold a loop that is stopped
    if (bar.isStopped) void Promise.resolve(iterator.return?.()).catch(() => undefined);
    else if (isLeft) await iterator.return?.();
  }
}

interface CountedBar extends ProgressBar {
  readonly isStopped: boolean;
  refuseStopped(): void;
  /** The work's result, or a StoppedError as soon as the signal is aborted. */
  unlessStopped<T>(work: Promise<T>): Promise<T>;
  /** Ends a bar that has not come to its end. */
  breakOff(): void;
}

/** Seconds before a rate is told from what was done. */
const LEAST_SECONDS = 0.3;

function startBar(total: number | null, options: LoopOptions): CountedBar {
  const { title = '', unit = '', now = () => performance.now() } = options;
  const signal = options.signal ?? kernelLink()?.signal;
  const startedAt = now();
  let [done, text, isFinished, endedAt] = [0, '', false, 0];

  const state = (): ProgressState => {
    const elapsedSeconds = ((isFinished ? endedAt : now()) - startedAt) / 1000;
    const isTold = done > 0 && elapsedSeconds >= LEAST_SECONDS;
    const perSecond = isTold ? done / elapsedSeconds : null;
    const left = total === null || perSecond === null ? null : Math.max(0, total - done) / perSecond;
    const count: ProgressCount = { done, total, unit, perSecond };
    const share = total === null ? 0 : total === 0 ? 1 : Math.min(1, done / total);
    return { title, share, text, elapsedSeconds, secondsLeft: left, isFinished, count };
  };
  const line = openBar(state, options);
  const end = (said?: string): void => {
    if (isFinished) return;
    if (said !== undefined) text = said;
    [isFinished, endedAt] = [true, now()];
    signal?.removeEventListener('abort', onAbort);
    line.end();
  };
  let isStopped = false;
  // at once, since a loop that waits for something is left where it is
  const onAbort = (): void => {
    isStopped ||= !isFinished;
    end('stopped');
  };
  signal?.addEventListener('abort', onAbort);
  const stopped = (): StoppedError => {
    onAbort();
    return new StoppedError(
      `${title || 'The loop'} was stopped after ${done}${total === null ? '' : ` of ${total}`}${unit && ` ${unit}`}.`,
    );
  };
  const refuseStopped = (): void => {
    if (signal?.aborted && (isStopped || !isFinished)) throw stopped();
  };

  return {
    get done() {
      return done;
    },
    get isStopped() {
      return isStopped;
    },
    advance(count = 1, said) {
      refuseStopped();
      if (isFinished) return;
      done += count;
      if (said !== undefined) text = said;
      line.changed();
    },
    finish: (said) => end(said ?? ''),
    refuseStopped,
    unlessStopped: (work) => unlessStopped(work, signal, stopped),
    breakOff: () => end(text || 'left early'),
  };
}

async function unlessStopped<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  stopped: () => StoppedError,
): Promise<T> {
  if (!signal) return work;
  let onAbort = (): void => undefined;
  const abort = new Promise<never>((_, reject) => {
    onAbort = () => reject(stopped());
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, abort]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
