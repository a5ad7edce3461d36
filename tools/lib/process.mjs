import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository, whatever the working directory is. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** A step of set-up that cannot go on: its text says what, where and what to do. */
export class SetUpError extends Error {
  constructor(message, hint) {
    super(hint ? `${message}\n  to do: ${hint}` : message);
    this.name = 'SetUpError';
  }
}

export const say = (text) => process.stderr.write(`${text}\n`);

export const seconds = (sinceMs) => ((performance.now() - sinceMs) / 1000).toFixed(1);

/**
 * Runs a program in the repository. `show: true` passes its output on (to our stderr, so that stdout
 * holds results only); otherwise it is collected. Never throws for an exit code.
 * Ctrl-C reaches the program through its terminal; a SIGINT or SIGTERM sent to us alone is passed on.
 */
export function run(command, args, { show = false, env, cwd = root } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: show ? ['inherit', 2, 2] : ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout?.on('data', (part) => (output += part));
    child.stderr?.on('data', (part) => (output += part));
    let stoppedBy;
    const pass = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    process.on('SIGINT', pass);
    process.on('SIGTERM', pass);
    const finish = (result) => {
      process.off('SIGINT', pass);
      process.off('SIGTERM', pass);
      if (stoppedBy) process.exit(stoppedBy === 'SIGINT' ? 130 : 143);
      resolve(result);
    };
    child.on('error', (error) => finish({ code: 127, output: error.message }));
    child.on('close', (code, signal) => finish({ code: code ?? (signal ? 1 : 0), output }));
  });
}

/** True where the program answers `--version` (or the arguments given) with success. */
export const answers = (command, args = ['--version']) =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Last lines of an output, for a notice. */
export const tail = (output, lines = 12) => output.trimEnd().split('\n').slice(-lines).join('\n');

/** Runs the main function of a tool: a SetUpError is told in its own words and exits 1. */
export async function runTool(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    say(error instanceof SetUpError ? error.message : error.stack);
    process.exitCode = 1;
  }
}
