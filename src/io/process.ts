import { spawn } from 'node:child_process';

export interface ProcessResult {
  /** Exit status; -1 where a signal ended it. */
  readonly status: number;
  /** Name of that signal, or the empty string. */
  readonly killedBy: string;
  /** The last 64 KiB of each. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
}

const KEPT_BYTES = 64 * 1024;

/**
 * Runs a program to its end, without a shell, and keeps the end of what it prints. An aborted signal kills it
 * and its reason is thrown. @throws the system's error (`code` ENOENT) where there is no such program
 */
export function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<ProcessResult> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
    });
    const tails = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8');
      child[name].on('data', (text: string) => (tails[name] = (tails[name] + text).slice(-KEPT_BYTES)));
    }
    const kill = (): boolean => child.kill('SIGKILL');
    signal?.addEventListener('abort', kill, { once: true });
    child.on('error', (error) => {
      signal?.removeEventListener('abort', kill);
      reject(error);
    });
    child.on('exit', () => {
      if (!signal?.aborted) return;
      // what it has started may go on and hold the pipes: nobody waits for that
      child.stdout.destroy();
      child.stderr.destroy();
    });
    child.on('close', (code, killedBy) => {
      signal?.removeEventListener('abort', kill);
      if (signal?.aborted) reject(signal.reason as Error);
      else resolve({ status: code ?? -1, killedBy: killedBy ?? '', ...tails });
    });
  });
}

/** The last lines of a program's output that say something, for an error's cause. */
export const lastLines = (text: string, count = 15): string =>
  text.trim().split('\n').slice(-count).join('\n');
