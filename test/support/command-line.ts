import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from './needs.js';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly nodeOptions?: readonly string[];
  /** Called with the process once it runs, e.g. to send it a signal. */
  readonly onStart?: (child: ReturnType<typeof spawn>) => void;
}

/** Runs `gondwana …` from dist/ as a user does and waits for its end. */
export function gondwana(args: readonly string[], options: StartOptions = {}): Promise<Outcome> {
  const script = path.join(root, 'tools', 'gondwana.mjs');
  return execute(process.execPath, [...(options.nodeOptions ?? []), script, ...args], options);
}

export function execute(
  program: string,
  args: readonly string[],
  options: StartOptions = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: options.cwd, env: { ...process.env, ...options.env } });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
    child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    options.onStart?.(child);
  });
}
