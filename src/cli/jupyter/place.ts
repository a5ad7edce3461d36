import path from 'node:path';
import { RunError, UsageError } from '../../errors.js';
import { runProcess } from '../../io/process.js';
import { textOption, type Options } from '../command.js';
import { prefixDataFolder, thisSystem, userDataFolder } from './paths.js';
import { isKernelName } from './kernel-spec.js';

/** Where a kernel specification is installed. */
export interface KernelPlace {
  /** Lower case, as Jupyter looks it up. */
  readonly name: string;
  /** Jupyter's data folder, which has `kernels/`. Absolute. */
  readonly dataFolder: string;
  /** Folder of the specification. */
  readonly folder: string;
}

/**
 * From `--user` (default), `--sys-prefix`, `--prefix DIR` and `--name`.
 * @throws UsageError USAGE, OPTION_VALUE; RunError NO_PYTHON where `--sys-prefix` finds no Python
 */
export async function choosePlace(options: Options, signal?: AbortSignal): Promise<KernelPlace> {
  const prefix = textOption(options, 'prefix');
  const given = [options.user === true, options.sysPrefix === true, prefix !== undefined].filter(Boolean);
  if (given.length > 1) {
    throw new UsageError('USAGE', '--user, --sys-prefix and --prefix exclude each other.', {
      hint: 'Name one place; without any it is --user.',
    });
  }
  if (prefix?.trim() === '') {
    throw new UsageError('OPTION_VALUE', '--prefix is empty.', {
      hint: 'Name the folder of a Python environment.',
    });
  }
  const name = (textOption(options, 'name') ?? 'gondwana').toLowerCase();
  if (!isKernelName(name)) {
    throw new UsageError('OPTION_VALUE', `--name is "${name}".`, {
      hint: 'Jupyter allows letters of ASCII, digits, dots, hyphens and underscores.',
    });
  }
  const dataFolder = path.resolve(
    prefix !== undefined
      ? prefixDataFolder(prefix)
      : options.sysPrefix === true
        ? prefixDataFolder(await activePrefix(signal))
        : userDataFolder(thisSystem()),
  );
  return { name, dataFolder, folder: path.join(dataFolder, 'kernels', name) };
}

/** Prefix of the Python that `python3` starts; that of an activated environment has its folder first in PATH. */
async function activePrefix(signal: AbortSignal | undefined): Promise<string> {
  for (const program of process.platform === 'win32' ? ['python', 'python3'] : ['python3', 'python']) {
    const found = await runProcess(program, ['-c', 'import sys; print(sys.prefix)'], { signal }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'EACCES') return undefined;
        throw error;
      },
    );
    if (found?.status === 0 && found.stdout.trim() !== '') return found.stdout.trim();
  }
  const variable = process.env.VIRTUAL_ENV || process.env.CONDA_PREFIX;
  if (variable) return variable;
  throw new RunError('NO_PYTHON', '--sys-prefix needs a Python, and there is no python3 that starts.', {
    hint: 'Activate the environment that has Jupyter, or install with --user or --prefix DIR.',
  });
}
