import { hostname } from 'node:os';
import path from 'node:path';
import { UsageError } from '../errors.js';
import type { RunJob } from '../results/run-record.js';
import type { Submission } from './submission.js';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where engines put the number of an array's task. */
const INDEX_NAMES = [
  'SLURM_ARRAY_TASK_ID',
  'JOB_COMPLETION_INDEX',
  'PBS_ARRAY_INDEX',
  'SGE_TASK_ID',
  'LSB_JOBINDEX',
] as const;

/** Those that count from 1. */
const FROM_ONE: ReadonlySet<string> = new Set(['SGE_TASK_ID', 'LSB_JOBINDEX']);

/** Which task of the array this is, from 0. @throws UsageError TASK_INDEX */
export function indexIn(env: Environment): number {
  for (const name of INDEX_NAMES) {
    const value = env[name];
    if (value === undefined || !/^\d+$/.test(value)) continue; // SGE says "undefined" outside an array
    const index = Number(value) - (FROM_ONE.has(name) ? 1 : 0);
    if (index >= 0) return index;
  }
  throw wrongIndex('No cluster says which task this is.');
}

export const wrongIndex = (message: string): UsageError =>
  new UsageError('TASK_INDEX', message, {
    hint: `gondwana worker SUBMISSION INDEX, or one of ${INDEX_NAMES.join(', ')}.`,
  });

/** Processors that the cluster gives; undefined where it does not say. */
export function threadsIn(cpus: number | undefined, env: Environment): number | undefined {
  const given = Number(env.SLURM_CPUS_PER_TASK ?? env.SLURM_CPUS_ON_NODE ?? cpus);
  return Number.isInteger(given) && given > 0 ? given : undefined;
}

/** Whether the cluster counts how often it has begun a task. */
export const isCounted = (env: Environment): boolean => env.SLURM_ARRAY_JOB_ID !== undefined;

/** What records say of the task in which they were made. */
export function jobIn({ folder }: Submission, task: number, env: Environment): RunJob {
  const array = env.SLURM_ARRAY_JOB_ID;
  const other = env.JOB_ID ?? env.LSB_JOBID ?? env.PBS_JOBID?.split(/[.[]/)[0];
  const name = array ?? other?.replaceAll(/[^\w-]/g, '_') ?? `s${path.basename(folder)}`;
  const job = `${name}_${task}`;
  return {
    submission: path.basename(folder),
    ...{ task, job },
    // without a count of the cluster's, the time tells its attempts apart: the first process of a container is always 1
    restart: isCounted(env) ? Number(env.SLURM_RESTART_COUNT ?? 0) : Date.now(),
    node: env.SLURMD_NODENAME ?? hostname(),
    log: `logs/${job}.log`,
  };
}
