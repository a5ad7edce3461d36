import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../errors.js';
import { readError } from '../io/file-errors.js';
import { parseSlurmTime } from './slurm-time.js';

/** Where runs are computed: on this machine, on a Slurm cluster, or wherever the user takes a script. */
export type Place = 'local' | 'slurm' | 'script';

/** What a task asks of a cluster, in Slurm's words where it has any. */
export interface ClusterOptions {
  /** Default: the cluster's. */
  readonly partition?: string;
  readonly account?: string;
  /** e.g. `gpu:1`. */
  readonly gres?: string;
  /** Processors of a task, which are its threads. */
  readonly cpus?: number;
  /** Memory of a task, e.g. `32G`. */
  readonly mem?: string;
  /** `auto` tells the limit from runs that were measured; else minutes, or as Slurm takes it, e.g. `4:00:00`. Default `auto`. */
  readonly time?: string | number;
  /** Tasks that run at the same time at most. */
  readonly arrayLimit?: number;
  /** Runs of a task; `auto`: as many as take half an hour to an hour. Default `auto`. */
  readonly pack?: 'auto' | number;
  /** A file of shell lines that a task begins with, e.g. `module load …`. */
  readonly setup?: string;
  /** What `on: 'script'` writes. Default `slurm`. */
  readonly format?: 'slurm' | 'kubernetes';
  /** Container image with this package and its engine, for Kubernetes. */
  readonly image?: string;
  /** `NAME:PATH`: a persistent volume claim and where it is mounted, for Kubernetes; the study's folder lies below PATH. */
  readonly claim?: string;
}

/** The same, looked through: numbers in range, the text of the set-up file. */
export interface TaskDemand {
  readonly partition?: string | undefined;
  readonly account?: string | undefined;
  readonly gres?: string | undefined;
  readonly cpus?: number | undefined;
  readonly mem?: string | undefined;
  /** null: to be told from measured runs. */
  readonly minutes: number | null;
  readonly arrayLimit?: number | undefined;
  /** null: to be told from measured runs. */
  readonly pack: number | null;
  /** Shell lines. */
  readonly setup: string;
}

/** No blank, quote or other character that a shell or Slurm's reader of options takes for something else. */
export const DEMAND_WORDS = {
  partition: /^[\w.-]+(,[\w.-]+)*$/,
  account: /^[\w.-]+$/,
  gres: /^[A-Za-z][\w.:,=-]*$/,
  mem: /^[1-9]\d*[KMGT]?$/i,
} as const;

const EXAMPLES = { partition: 'gpu', account: 'lab-42', gres: 'gpu:1', mem: '32G' } as const;

/** @throws UsageError OPTION_VALUE; what reading the set-up file throws */
export function taskDemand(options: ClusterOptions): TaskDemand {
  const { time = 'auto', pack = 'auto', setup } = options;
  for (const name of ['partition', 'account', 'gres', 'mem'] as const) {
    const value: unknown = options[name];
    if (value !== undefined && !(typeof value === 'string' && DEMAND_WORDS[name].test(value)))
      throw wrong(name, value, `e.g. ${EXAMPLES[name]}`);
  }
  for (const name of ['cpus', 'arrayLimit'] as const) {
    const value: unknown = options[name];
    if (value !== undefined && !isCount(value)) throw wrong(name, value, 'It is a whole number from 1 on.');
  }
  if (pack !== 'auto' && !isCount(pack)) throw wrong('pack', pack, 'It is "auto", or runs of a task.');
  const minutes = time === 'auto' ? null : parseSlurmTime(String(time));
  if (minutes === undefined || minutes === 0 || minutes === Infinity)
    throw wrong('time', time, 'It is "auto", or as Slurm takes it: minutes, H:MM:SS, D-HH:MM:SS.');
  return {
    ...{ partition: options.partition, account: options.account, gres: options.gres },
    ...{ cpus: options.cpus, mem: options.mem, arrayLimit: options.arrayLimit },
    ...{ minutes, pack: pack === 'auto' ? null : pack, setup: setup === undefined ? '' : setupText(setup) },
  };
}

/** What was asked for now goes over what an earlier submission asked for. */
export function demandAfter(demand: TaskDemand | undefined, options: ClusterOptions): TaskDemand {
  const now = taskDemand(options);
  if (!demand) return now;
  return {
    partition: now.partition ?? demand.partition,
    account: now.account ?? demand.account,
    gres: now.gres ?? demand.gres,
    cpus: now.cpus ?? demand.cpus,
    mem: now.mem ?? demand.mem,
    arrayLimit: now.arrayLimit ?? demand.arrayLimit,
    minutes: options.time === undefined ? demand.minutes : now.minutes,
    pack: options.pack === undefined ? demand.pack : now.pack,
    setup: options.setup === undefined ? demand.setup : now.setup,
  };
}

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1_000_000;

function setupText(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    return text.endsWith('\n') ? text : `${text}\n`;
  } catch (cause) {
    throw readError(cause, path.resolve(file));
  }
}

/** `arrayLimit` → `--array-limit`. */
export const optionName = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export const wrong = (name: string, value: unknown, hint: string): UsageError =>
  new UsageError('OPTION_VALUE', `${optionName(name)} cannot be ${JSON.stringify(value)}.`, {
    where: optionName(name),
    hint,
  });
