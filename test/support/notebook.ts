import { readFileSync } from 'node:fs';
import path from 'node:path';
import { execute } from './command-line.js';
import { jupyter, root } from './needs.js';

export interface NotebookOutput {
  readonly output_type: 'stream' | 'display_data' | 'execute_result' | 'error';
  readonly name?: string;
  readonly text?: string | readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface NotebookCell {
  readonly id?: string;
  readonly cell_type: 'code' | 'markdown';
  readonly source: string | readonly string[];
  readonly metadata: { readonly tags?: readonly string[] };
  readonly outputs?: readonly NotebookOutput[];
}

export interface Notebook {
  readonly cells: readonly NotebookCell[];
  readonly metadata: { readonly kernelspec: { readonly name: string; readonly language: string } };
}

export interface Execution {
  readonly notebook: Notebook;
  readonly seconds: number;
  /** Process of the kernel; it has ended by now unless something is wrong. */
  readonly pid: number;
  /** Empty where all cells ran. */
  readonly failed: string;
}

export const readNotebook = (file: string): Notebook => JSON.parse(readFileSync(file, 'utf8')) as Notebook;

export const textOf = (source: string | readonly string[] | undefined): string =>
  typeof source === 'string' ? source : (source ?? []).join('');

/**
 * Executes a notebook with nbclient on the kernel it names.
 * @param target file that receives it with its outputs
 * @param folder working folder of the kernel: decides which `node_modules` its cells see
 * @param parameters values for the names of its `parameters` cell
 * @param kernels folder whose `kernels/` holds the kernel's specification
 */
export async function executeNotebook(
  source: string,
  target: string,
  folder: string,
  parameters: Readonly<Record<string, unknown>> = {},
  kernels = root,
): Promise<Execution> {
  const script = path.join(root, 'test', 'support', 'execute_notebook.py');
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [name, JSON.stringify(value)]);
  const env = { ...jupyter.env, JUPYTER_PATH: kernels };
  const { stdout, stderr } = await execute(jupyter.program, [script, source, target, folder, ...pairs], {
    env,
  });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(`nbclient did not run:\n${stderr}`);
  const { seconds, pid, failed } = JSON.parse(last) as Omit<Execution, 'notebook'>;
  return { notebook: readNotebook(target), seconds, pid, failed };
}

/** True while a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
