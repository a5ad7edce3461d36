import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunError } from '../../errors.js';
import type { Content } from '../protocol.js';
import { connectClient, type IncomingMessage, type KernelClient } from './client.js';
import { makeConnectionFile } from './connection.js';

/** What starting a kernel needs of its specification. */
export interface KernelCommand {
  readonly name: string;
  /** Folder of the specification, for `{resource_dir}`. */
  readonly folder: string;
  /** Program and arguments, with the placeholders that specifications may have. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly interruptMode: 'message' | 'signal';
}

/** How the kernel's process ended. */
export interface KernelExit {
  /** null where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The last 16 KiB that it printed past its sockets. */
  readonly printed: string;
}

/** A kernel that answers. */
export interface RunningKernel {
  readonly client: KernelClient;
  readonly pid: number;
  /** Content of its `kernel_info_reply`. */
  readonly info: Content;
  /** Settles when the process ends, for whatever reason. */
  readonly exited: Promise<KernelExit>;
  /** Asks to stop the cell at work, in the way its specification names. */
  interrupt(): void;
  /** Asks it to end, and ends it where it does not within `graceMs` (default 3000). Safe to call twice. */
  stop(graceMs?: number): Promise<void>;
}

export interface StartOptions {
  /** Working folder: where imports of cells begin. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** Of each of two starts, the second with other ports. Default 40 s. */
  readonly readyWithinMs?: number;
}

const KEPT_BYTES = 16 * 1024;

/**
 * Starts a kernel in a process group of its own, so that a Ctrl-C of the terminal does not reach it, and waits
 * until it answers on both its request and its output socket.
 * @throws RunError KERNEL_START where its program cannot be started or it does not answer in time, KERNEL_DIED
 * where it ends before it answers; the signal's reason
 */
export async function startKernel(command: KernelCommand, options: StartOptions): Promise<RunningKernel> {
  try {
    return await startOnce(command, options);
  } catch (error) {
    // a port may have been taken between its choice and its use, and not every kernel ends at that
    if (!(error instanceof NotReady)) throw error;
    return startOnce(command, options);
  }
}

async function startOnce(command: KernelCommand, options: StartOptions): Promise<RunningKernel> {
  const connection = await makeConnectionFile(command.name);
  let child: ChildProcess | undefined;
  let client: KernelClient | undefined;
  const killOnExit = (): void => void killGroup(child, 'SIGKILL');
  process.on('exit', killOnExit);
  const release = async (): Promise<void> => {
    process.off('exit', killOnExit);
    client?.close();
    await connection.remove();
  };
  try {
    options.signal?.throwIfAborted();
    child = await spawnKernel(command, connection.file, options);
    const exited = watchExit(child);
    client = await connectClient(connection.connection);
    const ready = await waitUntilReady(client, exited, command, options);
    let stopping: Promise<void> | undefined;
    const kernel: RunningKernel = {
      client,
      pid: child.pid!,
      info: ready.content,
      exited,
      interrupt() {
        if (command.interruptMode === 'message') client!.send('control', 'interrupt_request', {});
        else killGroup(child, 'SIGINT');
      },
      stop: (graceMs = 3000) => (stopping ??= end(kernel, child!, graceMs).finally(release)),
    };
    return kernel;
  } catch (error) {
    killGroup(child, 'SIGKILL');
    await release();
    throw error;
  }
}

async function spawnKernel(
  command: KernelCommand,
  connectionFile: string,
  { folder, env }: StartOptions,
): Promise<ChildProcess> {
  const values: Readonly<Record<string, string>> = {
    connection_file: connectionFile,
    resource_dir: command.folder,
  };
  const [program, ...args] = command.argv.map((argument) =>
    argument.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole),
  );
  const base = { ...process.env, ...env };
  const own = Object.entries(command.env).map(([name, value]) => [
    name,
    value.replace(/\$\{(\w+)\}/g, (whole, variable: string) => base[variable] ?? whole),
  ]);
  const child = spawn(program === 'node' ? process.execPath : program!, args, {
    cwd: folder,
    env: { ...base, JPY_PARENT_PID: String(process.pid), ...(Object.fromEntries(own) as typeof base) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause: NodeJS.ErrnoException) => {
      const where = cause.code === 'ENOENT' ? `${program}, started in ${folder}` : program!;
      reject(
        new RunError('KERNEL_START', `The kernel "${command.name}" cannot be started: ${cause.message}`, {
          where,
          hint: `Look at its kernel.json in ${command.folder}: the program must be installed.`,
          cause,
        }),
      );
    });
  });
  return child;
}

function watchExit(child: ChildProcess): Promise<KernelExit> {
  let printed = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => (printed = (printed + text).slice(-KEPT_BYTES)));
  }
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const done = (): void => resolve({ code, signal, printed });
      child.once('close', done);
      setTimeout(done, 200); // a child of the kernel may hold its output open
    });
  });
}

/**
 * Asks until there is a reply and, on the output socket, any message: what is published before that is lost. Asks
 * anew where a reply stays out, since a kernel may lose one that it sends while it starts.
 */
async function waitUntilReady(
  client: KernelClient,
  exited: Promise<KernelExit>,
  command: KernelCommand,
  { signal, readyWithinMs = 40_000 }: StartOptions,
): Promise<IncomingMessage> {
  let hears = false;
  const stopListening = client.onMessage((_message, channel) => (hears ||= channel === 'iopub'));
  const ending = new AbortController();
  void exited.then((exit) => ending.abort(kernelDied(command.name, exit)));
  const onAbort = (): void => ending.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => ending.abort(new NotReady(command, readyWithinMs)), readyWithinMs);
  try {
    for (;;) {
      const reply = await ask(client, ending.signal);
      if (!reply) continue;
      for (let waited = 0; !hears && waited < 500; waited += 20) await sleep(20);
      if (hears) return reply;
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    stopListening();
  }
}

/** @returns undefined where no reply came in time */
async function ask(client: KernelClient, ending: AbortSignal): Promise<IncomingMessage | undefined> {
  const late = AbortSignal.timeout(ASK_AGAIN_MS);
  const signal = AbortSignal.any([ending, late]);
  try {
    return await client.request('shell', 'kernel_info_request', {}, { signal });
  } catch (error) {
    if (late.aborted && !ending.aborted) return undefined;
    throw error;
  }
}

const ASK_AGAIN_MS = 5000;

class NotReady extends RunError {
  constructor({ name, folder }: KernelCommand, withinMs: number) {
    super('KERNEL_START', `The kernel "${name}" does not answer within ${withinMs / 1000} s.`, {
      where: folder,
      hint: 'Start it in JupyterLab and look at its log.',
    });
  }
}

/** Names how a kernel ended by itself. */
export function kernelDied(name: string, { code, signal, printed }: KernelExit): RunError {
  const how = signal ? `by signal ${signal}` : `with exit code ${code}`;
  const last = printed.trim().split('\n').slice(-8).join('\n');
  return new RunError('KERNEL_DIED', `The kernel "${name}" ended ${how}.${last && `\n${last}`}`, {
    hint:
      signal === 'SIGKILL'
        ? 'The system may have ended it for lack of memory: work on less at once.'
        : 'Look for process.exit, a lack of memory or a fault of a native package in the cell at work.',
  });
}

async function end(kernel: RunningKernel, child: ChildProcess, graceMs: number): Promise<void> {
  const hasExited = async (withinMs: number): Promise<boolean> => {
    const waiting = new AbortController();
    const late = sleep(withinMs, false, { signal: waiting.signal }).catch(() => false);
    return Promise.race([kernel.exited.then(() => true), late]).finally(() => waiting.abort());
  };
  kernel.client.send('control', 'shutdown_request', { restart: false });
  if (!(await hasExited(graceMs))) {
    killGroup(child, 'SIGTERM');
    if (!(await hasExited(1000))) {
      killGroup(child, 'SIGKILL');
      await hasExited(1000);
    }
  }
  // programs that cells have started and left behind, also those that do not heed the first signal
  if (killGroup(child, 'SIGTERM')) {
    await sleep(LEFT_BEHIND_MS);
    killGroup(child, 'SIGKILL');
  }
}

const LEFT_BEHIND_MS = 200;

/** @returns false where nobody is left in the group */
function killGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): boolean {
  if (child?.pid === undefined) return false;
  try {
    return process.platform === 'win32' ? child.kill(signal) : process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
