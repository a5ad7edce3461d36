import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { LauncherWatch } from './wire/launcher-watch.js';
import { LAUNCHER_VARIABLE } from './wire/launcher-link.js';
import { NATIVE_FDS } from './wire/native-output.js';
import { memoryLimit } from './wire/memory-limit.js';
import { watchParent } from './wire/parent-watch.js';
import { processGroup } from './wire/process-group.js';

export interface LaunchOptions {
  /** Path of the kernel's main module. */
  readonly main: string;
  /** Its arguments; the first is the connection file. */
  readonly args: readonly string[];
}

/** The launcher's end of the line, a file descriptor of the kernel. */
const LINE = 3;
/** How long the kernel may take to end once it got a signal to. */
const PATIENCE_MS = 2000;

/**
 * Starts the kernel as a process of its own and waits for it. If it dies without having been asked to, the front
 * end is told why (`wire/death-notice.ts`), and this process ends with an exit code other than 0.
 * It loads nothing else before: all the time it takes is added to the kernel's start.
 */
export function launch({ main, args }: LaunchOptions): void {
  // a Ctrl-C or Jupyter's signal goes to all of the group: it is for the cell
  process.on('SIGINT', () => {});
  const { limitBytes } = memoryLimit();
  const child = spawn(process.execPath, [...nodeFlags(limitBytes), main, ...args], {
    stdio: ['inherit', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 2],
    env: { ...process.env, [LAUNCHER_VARIABLE]: `${LINE}:${process.pid}` },
  });
  const watch = new LauncherWatch();
  const line = child.stdio[LINE] as Readable;
  line.on('data', (bytes: Buffer) => watch.read(bytes));
  line.on('error', () => {}); // the kernel died while it wrote
  for (const name of ['stdout', 'stderr'] as const) {
    const pipes: readonly unknown[] = child.stdio;
    handOver(child[name]!, pipes[NATIVE_FDS[name]] as Writable, name, () => watch.isListening);
  }
  const group = processGroup([process.pid]);
  watchParent(() => {
    child.kill('SIGKILL');
    group.signal('SIGKILL');
  });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      watch.isEnding = true;
      child.kill(signal);
      setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS).unref();
    });
  }
  /** What cells started and left behind ends with the kernel; this process is one of the group itself. */
  const end = (code: number) => {
    if (group.isOwn) group.signal('SIGTERM');
    process.exit(code);
  };
  child.once('error', (error) => {
    process.stderr.write(`KERNEL_START: The kernel's process cannot be started: ${error.message}\n`);
    end(1);
  });
  child.once('exit', (code, signal) => {
    void settled(line).then(async () => {
      if (watch.isEnding) return end(signal === 'SIGTERM' ? exitCode(code, signal) : 0);
      const death = { code, signal, residentBytes: watch.residentBytes, limitBytes };
      await mourn(death, watch, args[0] ?? '');
      // also a kernel that ended with 0: it was not asked to
      end(exitCode(code, signal) || 1);
    });
  });
}

/**
 * What the kernel's process prints past JavaScript goes back to it, for its cells. Until it listens, and once it has
 * ended, it goes to our own stream.
 */
function handOver(
  from: Readable,
  back: Writable,
  own: 'stdout' | 'stderr',
  isListening: () => boolean,
): void {
  back.on('error', () => {}); // the kernel has ended
  from.on('data', (bytes: Buffer) => {
    const target = isListening() && back.writable ? back : process[own];
    if (!target.write(bytes)) from.pause();
  });
  const resume = (): void => void from.resume();
  for (const target of [back, process[own]]) target.on('drain', resume).on('close', resume);
}

function nodeFlags(limitBytes: number): string[] {
  return [
    // V8 may end a callback by force (an interrupt): node would take the state after that for a fault of its own
    '--no-force-async-hooks-checks',
    // the watch over resident memory comes first and names the cell; V8 at its limit only ends the process
    ...(process.env.NODE_OPTIONS?.includes('max-old-space-size')
      ? []
      : [`--max-old-space-size=${Math.floor(limitBytes / 2 ** 20)}`]),
  ];
}

/** The last notes are read; a child of a cell that inherited the line does not hold it open for long. */
function settled(line: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (line.closed) return resolve();
    line.once('close', resolve);
    setTimeout(resolve, 100);
  });
}

const exitCode = (code: number | null, signal: NodeJS.Signals | null): number =>
  signal ? 128 + constants.signals[signal] : (code ?? 1);

/** Tells why the kernel died: on stderr, and to who waits for a cell. */
async function mourn(
  death: { code: number | null; signal: NodeJS.Signals | null; residentBytes: number; limitBytes: number },
  { open }: LauncherWatch,
  connectionFile: string,
): Promise<void> {
  // the kernel has told already why it does not start
  if (open.length === 0 && death.signal === null && death.code !== 0) return;
  const { describeDeath, giveDeathNotice } = await import('./wire/death-notice.js');
  const error = describeDeath(death);
  process.stderr.write(`${error.traceback.join('\n')}\n`);
  if (open.length === 0) return;
  await giveDeathNotice({ connectionFile, open, error }).catch((problem: Error) => {
    process.stderr.write(`The front end could not be told: ${problem.message}\n`);
  });
}
