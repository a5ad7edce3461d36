import { spawn } from 'node:child_process';
import process from 'node:process';
import type { Streams } from './streams.js';

/**
 * Runs `!command` in the user's shell; what it prints is the cell's output. Ends with the signal.
 * @returns its exit status, or the name of the signal that ended it
 */
export function runShellCommand(
  command: string,
  streams: Streams,
  signal: AbortSignal,
): Promise<number | string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    const stop = (): void => {
      try {
        if (child.pid !== undefined)
          process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
      } catch {
        // it has ended by itself
      }
    };
    signal.addEventListener('abort', stop, { once: true });
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => streams.write(name, text));
    }
    child.on('error', reject);
    child.on('close', (code, endedBy) => {
      signal.removeEventListener('abort', stop);
      resolve(endedBy ?? code ?? 0);
    });
  });
}
