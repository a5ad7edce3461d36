import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { InputError, nearest } from '../../errors.js';
import type { KernelCommand } from '../../kernel/client/kernel-process.js';
import { kernelFolders, thisSystem, type JupyterSystem } from './paths.js';

/** A kernel specification: how to start a kernel, and what it calls itself. */
export interface KernelSpec extends KernelCommand {
  readonly displayName: string;
  readonly language: string;
}

/** `kernels/` of this package. */
export const ownKernels = fileURLToPath(new URL('../../../kernels/', import.meta.url));

/** Jupyter's rule for the name of a kernel: that of its folder. */
export const isKernelName = (name: string): boolean => /^[a-z0-9._-]+$/i.test(name);

/**
 * Finds a specification by name: this package's own, then as Jupyter does, in JUPYTER_PATH and the data folders.
 * @throws InputError KERNEL_UNKNOWN with the nearest name, KERNEL_SPEC where its kernel.json cannot be used
 */
export function findKernelSpec(name: string, system: JupyterSystem = thisSystem()): KernelSpec {
  const folders = [ownKernels, ...kernelFolders(system)];
  const specs = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of namesIn(folder)) {
      const lower = entry.toLowerCase();
      if (!specs.has(lower)) specs.set(lower, path.join(folder, entry));
    }
  }
  const folder = specs.get(name.toLowerCase());
  if (folder !== undefined) return readKernelSpec(name.toLowerCase(), folder);
  const known = [...specs.keys()].sort();
  const guess = nearest(name.toLowerCase(), known);
  throw new InputError('KERNEL_UNKNOWN', `There is no kernel "${name}".`, {
    where: folders.join(path.delimiter),
    hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${known.join(', ')}. Choose one with --kernel.`,
  });
}

function namesIn(folder: string): string[] {
  let entries: string[];
  try {
    entries = readdirSync(folder);
  } catch {
    return [];
  }
  return entries.filter((name) => {
    if (!isKernelName(name)) return false;
    try {
      readFileSync(path.join(folder, name, 'kernel.json'));
      return true;
    } catch {
      return false;
    }
  });
}

/** @throws InputError KERNEL_SPEC */
export function readKernelSpec(name: string, folder: string): KernelSpec {
  const file = path.join(folder, 'kernel.json');
  const invalid = (reason: string, cause?: unknown): InputError =>
    new InputError('KERNEL_SPEC', `The kernel "${name}" cannot be used: ${reason}`, {
      where: file,
      hint: 'Install that kernel again, or choose another one with --kernel.',
      cause,
    });
  let spec: Record<string, unknown>;
  try {
    spec = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (cause) {
    throw invalid((cause as Error).message, cause);
  }
  const { argv, env = {}, language, interrupt_mode: mode = 'signal' } = spec ?? {};
  if (!Array.isArray(argv) || argv.length === 0 || !argv.every((part) => typeof part === 'string'))
    throw invalid('"argv" is no list of texts.');
  if (typeof language !== 'string') throw invalid('"language" is missing.');
  if (!isStringRecord(env)) throw invalid('"env" is no object of texts.');
  return {
    name,
    folder,
    argv: argv as string[],
    env,
    interruptMode: mode === 'message' ? 'message' : 'signal',
    displayName: typeof spec.display_name === 'string' ? spec.display_name : name,
    language: language.toLowerCase(),
  };
}

const isStringRecord = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((entry) => typeof entry === 'string');
