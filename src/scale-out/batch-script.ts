import path from 'node:path';
import { InputError } from '../errors.js';
import type { TaskDemand } from './cluster-options.js';
import { slurmTime } from './slurm-time.js';

/** What a task is started with. */
export interface TaskProgram {
  /** Folder of the study. */
  readonly store: string;
  /** Folder of the submission. */
  readonly folder: string;
  /** Working directory: relative paths of the study start there. */
  readonly cwd: string;
  /** Program and first arguments, e.g. Node and the command line's script. */
  readonly command: readonly string[];
  /** Files with code of the user's own. */
  readonly plugins: readonly string[];
}

export interface BatchJob extends TaskProgram {
  readonly name: string;
  readonly tasks: number;
  readonly demand: TaskDemand;
  readonly limitMinutes: number;
}

/** A task is told to stop this long before its limit, at most a quarter of it. */
const WARNING_S = 120;

/**
 * Options of `sbatch`: as arguments they need no quotes.
 * @throws InputError PATH_UNSAFE
 */
export function batchOptions(job: BatchJob): [name: string, value: string][] {
  const { demand, tasks, limitMinutes } = job;
  const warning = Math.max(1, Math.floor(Math.min(WARNING_S, limitMinutes * 15)));
  const limit = demand.arrayLimit === undefined ? '' : `%${demand.arrayLimit}`;
  const given = (name: string, value: string | number | undefined): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]];
  return [
    ['job-name', job.name],
    ['array', `0-${tasks - 1}${limit}`],
    ...given('partition', demand.partition),
    ...given('account', demand.account),
    ...given('gres', demand.gres),
    ...given('cpus-per-task', demand.cpus),
    ...given('mem', demand.mem),
    ['time', slurmTime(limitMinutes)],
    // to the script itself, which Node takes over: without B: only steps would hear it
    ['signal', `B:TERM@${warning}`],
    ['requeue', ''],
    ['open-mode', 'append'],
    ['chdir', safe(job.cwd)],
    ['output', `${safe(path.join(job.store, 'logs')).replaceAll('%', '%%')}/%A_%a.log`],
  ];
}

/** The script of an array: Node takes the place of the shell, so that signals and the exit code are its own. */
export function batchScript(job: BatchJob): string {
  const line = [...job.command, 'worker', job.folder, ...job.plugins.flatMap((file) => ['--code', file])];
  return [
    '#!/bin/bash',
    ...batchOptions(job).map(([name, value]) => `#SBATCH --${name}${value ? `=${directive(value)}` : ''}`),
    ...(job.demand.setup ? [job.demand.setup.trimEnd()] : []),
    `exec ${line.map(shellWord).join(' ')}`,
    '',
  ].join('\n');
}

/** One word for any POSIX shell, whatever is in it. */
export const shellWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** The same where it has to be: a plain path stays as it is. */
export const shellArgument = (word: string): string => (/^[\w./-]+$/.test(word) ? word : shellWord(word));

/** One value for Slurm's reader of `#SBATCH` lines, which knows quotes and backslashes. */
const directive = (value: string): string =>
  /^[\w.,:=@%/-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;

/** Slurm reads no further than the end of a line, and takes patterns of a path with a backslash for no patterns. */
function safe(folder: string): string {
  if (!/[\u0000-\u001f\\]/.test(folder)) return folder;
  throw new InputError('PATH_UNSAFE', 'Slurm cannot take a path with a backslash or a line break.', {
    where: JSON.stringify(folder),
    hint: 'Choose another folder.',
  });
}
