import { spawn } from 'node:child_process';
import { RunError, UsageError, nearest } from '../errors.js';
import { systemCode } from '../io/file-errors.js';
import { parseSlurmTime } from './slurm-time.js';

/** Slurm's own clients give up on a controller that does not answer after some ten seconds. */
const TIMEOUT_MS = 30_000;

/** Variables by which a user changes what these programs ask for or print. */
const MISLEADING =
  /^(SQUEUE_|SCANCEL_|SINFO_|SLURM_TIME_FORMAT|SLURM_CLUSTERS|SBATCH_CLUSTERS|SBATCH_WAIT$|SLURM_JSON|SLURM_BITSTR_LEN)/;

interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** No shell is in between. @throws RunError SLURM_MISSING, SLURM_SILENT after 30 s */
function call(program: string, args: readonly string[], input = ''): Promise<Answer> {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !MISLEADING.test(name)));
  // indices of an array are never cut short; a job would take the variable along
  const env = program === 'squeue' ? { ...own, SLURM_BITSTR_LEN: '0' } : own;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: 'pipe', timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    child.stdin.on('error', () => undefined); // it ended before it had read everything
    child.stdin.end(input);
    child.once('error', (cause) =>
      reject(systemCode(cause) === 'ENOENT' ? missing(program, cause) : silent(program, cause.message)),
    );
    child.once('close', (code, by) => {
      if (by === 'SIGKILL') reject(silent(program, `no answer within ${TIMEOUT_MS / 1000} s`));
      else resolve({ code, stdout, stderr });
    });
  });
}

/** @throws RunError SLURM_MISSING, SLURM_SILENT */
async function ask(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await call(program, args);
  if (code !== 0) throw silent(program, stderr.trim() || `exit code ${String(code)}`);
  return stdout;
}

const missing = (program: string, cause: unknown): RunError =>
  new RunError('SLURM_MISSING', `There is no program "${program}" on this machine.`, {
    hint: 'Go to a login node of the cluster, or write the script there and take it along: --on script.',
    cause,
  });

const silent = (program: string, reason: string): RunError =>
  new RunError('SLURM_SILENT', `Slurm does not answer: ${reason.replace(/\.?$/, '.')}`, {
    where: program,
    hint: 'Try again later. Tasks that were submitted go on by themselves, and their records count whatever Slurm says.',
  });

/** What the queue says of one task of an array. */
export interface QueuedTask {
  /** Of the array, e.g. `4711`. */
  readonly job: string;
  /** `PENDING`, `RUNNING`, … */
  readonly state: string;
  /** Why it waits, or how it ended; `None` where there is nothing to say. */
  readonly reason: string;
  readonly node: string;
}

/** States of tasks that have not ended. */
const LIVE: ReadonlySet<string> = new Set([
  ...['PENDING', 'CONFIGURING', 'RUNNING', 'COMPLETING', 'SUSPENDED', 'STOPPED', 'SIGNALING', 'STAGE_OUT'],
  ...['REQUEUED', 'REQUEUE_HOLD', 'REQUEUE_FED', 'RESV_DEL_HOLD', 'RESIZING', 'SPECIAL_EXIT'],
]);
const WAITING: ReadonlySet<string> = new Set([
  ...['PENDING', 'REQUEUED', 'REQUEUE_HOLD', 'REQUEUE_FED', 'RESV_DEL_HOLD', 'SPECIAL_EXIT'],
]);

export const isLive = ({ state }: QueuedTask): boolean => LIVE.has(state);
export const isWaiting = ({ state }: QueuedTask): boolean => WAITING.has(state);

/** Names that one call asks for. */
const NAMES_A_CALL = 100;

/**
 * Tasks by the name of their job and their index; ended ones only for the few minutes that Slurm remembers them.
 * @throws RunError SLURM_MISSING, SLURM_SILENT
 */
export async function queueOf(
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, QueuedTask>>> {
  const queue = new Map<string, Map<number, QueuedTask>>(names.map((name) => [name, new Map()]));
  for (let start = 0; start < names.length; start += NAMES_A_CALL) {
    const part = names.slice(start, start + NAMES_A_CALL).join(',');
    // tasks that wait alike share a line: ten thousand lines take squeue two seconds
    const text = await ask('squeue', ['-h', '-t', 'all', '-n', part, '-o', '%j|%F|%K|%T|%N|%r']);
    for (const line of text.split('\n')) {
      const [name = '', job = '', indices = '', state = '', node = '', reason = ''] = line.split('|');
      const tasks = queue.get(name);
      if (!tasks) continue;
      const task = { job, state, reason, node };
      for (const index of arrayIndices(indices)) tasks.set(index, task);
    }
  }
  return queue;
}

/** Indices of an array as Slurm writes them: `7`, `0-3`, `1,4-6`, `0-8:4`, each with or without a limit `%2` behind. */
export function arrayIndices(text: string): number[] {
  return text
    .replace(/%\d+$/, '')
    .split(',')
    .flatMap((part) => {
      const [, first, last = first, step = '1'] = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part) ?? [];
      if (first === undefined || last === undefined || step === '0') return [];
      const count = Math.floor((Number(last) - Number(first)) / Number(step)) + 1;
      return Array.from({ length: Math.max(0, count) }, (_, at) => Number(first) + at * Number(step));
    });
}

/**
 * Sends a script as a job. What it is told by options holds over lines of the script.
 * @param options `[name, value]`, e.g. `['array', '0-9']`
 * @returns the number of the job
 * @throws RunError SLURM_REFUSED with Slurm's reason; SLURM_SILENT: whether it was taken is not known; SLURM_MISSING
 */
export async function sbatch(
  script: string,
  options: readonly (readonly [string, string])[],
): Promise<string> {
  const args = ['--parsable', ...options.map(([name, value]) => `--${name}${value ? `=${value}` : ''}`)];
  const { code, stdout, stderr } = await call('sbatch', args, script);
  const job = /^(\d+)(;|$)/m.exec(stdout.trim())?.[1];
  if (code === 0 && job !== undefined) return job;
  const reason = stderr.trim().replaceAll('sbatch: ', '') || `exit code ${String(code)}`;
  if (/contact slurm|timed out|communications|connect/i.test(reason)) throw silent('sbatch', reason);
  throw new RunError('SLURM_REFUSED', `Slurm does not take the job: ${reason}`, {
    where: 'sbatch',
    hint: 'Ask for less or for another partition; where a limit of jobs is reached, `gondwana resume STORE` sends the rest later.',
  });
}

/** Ends all tasks of these names. @throws RunError SLURM_SILENT, SLURM_MISSING */
export async function scancel(names: readonly string[]): Promise<void> {
  for (const name of names) await ask('scancel', ['-n', name]);
}

/**
 * Puts the task in which this process runs back into the queue, if it is running: where Slurm ends it for another reason
 * (a cancellation, a preemption), Slurm decides what becomes of it.
 * @param job number of this very task
 * @returns whether it was put back
 */
export async function requeueSelf(job: string): Promise<boolean> {
  try {
    const state = (await ask('squeue', ['-h', '-j', job, '-o', '%T'])).trim();
    if (state !== 'RUNNING') return false;
    await ask('scontrol', ['requeue', job]);
    return true;
  } catch {
    return false; // `resume` finds it
  }
}

/** @throws RunError SLURM_SILENT, SLURM_MISSING */
export async function maximumArraySize(): Promise<number> {
  const size = /^MaxArraySize\s*=\s*(\d+)/m.exec(await ask('scontrol', ['show', 'config']))?.[1];
  return size === undefined ? DEFAULT_ARRAY_SIZE : Number(size);
}

/** Slurm's own default: indices end one below. */
export const DEFAULT_ARRAY_SIZE = 1001;

export interface Partition {
  readonly name: string;
  readonly isDefault: boolean;
  /** Infinity where there is no limit. */
  readonly maximumMinutes: number;
}

/** The partition that a job would go to. @throws UsageError OPTION_VALUE; RunError SLURM_SILENT, SLURM_MISSING */
export async function partitionOf(wanted: string | undefined): Promise<Partition | undefined> {
  const partitions = (await ask('scontrol', ['show', 'partition', '-o'])).split('\n').flatMap((line) => {
    const value = (name: string): string | undefined => new RegExp(`(?:^| )${name}=(\\S+)`).exec(line)?.[1];
    const name = value('PartitionName');
    const maximumMinutes = parseSlurmTime(value('MaxTime') ?? '') ?? Infinity;
    return name === undefined ? [] : [{ name, isDefault: value('Default') === 'YES', maximumMinutes }];
  });
  if (wanted === undefined) return partitions.find(({ isDefault }) => isDefault);
  const names = partitions.map(({ name }) => name);
  // of several, Slurm takes the first that is free: the strictest limit counts
  const asked = wanted.split(',').map((name) => {
    const found = partitions.find((partition) => partition.name === name);
    if (found) return found;
    const guess = nearest(name, names);
    throw new UsageError('OPTION_VALUE', `The cluster has no partition "${name}".`, {
      where: '--partition',
      hint: `${guess ? `Did you mean "${guess}"? ` : ''}It has: ${names.join(', ')}.`,
    });
  });
  return asked.sort((a, b) => a.maximumMinutes - b.maximumMinutes)[0];
}
