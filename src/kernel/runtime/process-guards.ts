import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { UsageError } from '../../errors.js';

export interface ProcessGuards {
  /** The way to end the process after all. */
  exit(code: number): never;
  /** Puts back the listeners of the process that a cell has taken away. */
  renew(): void;
}

/** Standard streams, the line to the launcher and what native code prints: `launcher.ts`. */
const LAST_DESCRIPTOR = 6;
/** Without a listener of ours the first of them would end the kernel. */
const GUARDED = ['SIGINT', 'uncaughtException', 'unhandledRejection', 'exit'] as const;

/**
 * Keeps cells from ending the kernel by accident: `process.exit` throws, errors that nobody awaits are told, and the
 * kernel keeps its listeners and its file descriptors.
 * @param report told of an error that no cell awaits; never throws
 */
export function guardProcess(report: (kind: string, error: unknown) => void): ProcessGuards {
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    throw new UsageError(
      'KERNEL_EXIT',
      `process.exit(${String(code ?? '')}) would end the kernel with all its variables.`,
      {
        hint: 'End a cell by throwing an error; restart the kernel from the menu.',
      },
    );
  };
  process.on('uncaughtException', (error) => report('Uncaught', error));
  process.on('unhandledRejection', (error) => report('Unhandled rejection', error));
  // a warning is told once, on one line; Node's default adds its own process's number
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => process.stderr.write(`${name}: ${message}\n`));
  guardDescriptors();
  syncBuiltinESMExports();
  return { exit, renew: guardListeners() };
}

type Listener = (...given: unknown[]) => void;

function guardListeners(): () => void {
  const kept = GUARDED.flatMap((event) =>
    process.listeners(event as 'exit').map((listener) => [event, listener as Listener] as const),
  );
  const renew = (): void => {
    try {
      for (const [event, listener] of kept) {
        if (!process.listeners(event as 'exit').includes(listener)) process.on(event, listener);
      }
    } catch {
      // a cell has replaced what this needs: the message that is about to be handled matters more
    }
  };
  const removeAll = process.removeAllListeners.bind(process);
  process.removeAllListeners = (...events) => {
    // Node's own listeners of these two are how it hears of signals
    const all = process.eventNames().filter((name) => name !== 'newListener' && name !== 'removeListener');
    for (const event of events.length > 0 ? events : all) removeAll(event);
    renew();
    return process;
  };
  return renew;
}

/** libuv ends a process in which one of the first three is gone. */
function guardDescriptors(): void {
  const { close, closeSync } = fs;
  const refuse = (fd: unknown): void => {
    if (typeof fd !== 'number' || fd < 0 || fd > LAST_DESCRIPTOR) return;
    throw new UsageError('KERNEL_DESCRIPTOR', `File descriptor ${fd} belongs to the kernel.`, {
      hint: 'Close what fs.open or fs.openSync gave you.',
    });
  };
  fs.closeSync = (fd) => {
    refuse(fd);
    closeSync(fd);
  };
  fs.close = ((...given: Parameters<typeof close>) => {
    refuse(given[0]);
    close(...given);
  }) as typeof close;
  const { writeSync } = fs;
  fs.writeSync = ((...given: Parameters<typeof writeSync>) => {
    for (;;) {
      try {
        return writeSync(...given);
      } catch (error) {
        const isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN' && PRINTED.includes(given[0]);
        if (!isFull) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_MS);
      }
    }
  }) as typeof writeSync;
}

/** Standard output and error lead through a pipe: who prints fast waits until it is read, as in a terminal. */
const PRINTED = [1, 2];
const FULL_MS = 2;
