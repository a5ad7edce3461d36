import path from 'node:path';
import { groupBy } from '../collections.js';
import { formatSeconds } from '../display/numbers.js';
import { listed } from '../display/words.js';
import { lastAttempt, noteOf, type Attempt } from './attempts.js';
import type { ClusterOptions, TaskDemand } from './cluster-options.js';
import { packTasks, type Chunk, type Limits, type Unit } from './pack-tasks.js';
import type { Submission } from './submission.js';
import { endTold } from './task-log.js';

/** What tasks get over what was asked for. */
export interface RaisedDemand {
  readonly mem?: string | undefined;
  readonly minutes?: number | undefined;
}

export interface RaisedUnit extends Unit {
  readonly raised: RaisedDemand;
}

export interface RaisedChunk extends Chunk {
  readonly raised: RaisedDemand;
}

export interface Past {
  /** Folder of the study. */
  readonly store: string;
  readonly attempts: ReadonlyMap<string, readonly Attempt[]>;
  readonly submissions: readonly Submission[];
}

/**
 * Where Slurm ended the last task of some runs for its memory or its time, twice of that: once, since a run that grows
 * without end is not to take the cluster with it.
 * @param runs that one task computes and that are left
 * @param asked what the user asks for now, which holds
 */
export function raisedDemand(
  runs: readonly string[],
  { store, attempts, submissions }: Past,
  asked: Pick<ClusterOptions, 'mem' | 'time'>,
): RaisedDemand {
  const tries = runs.flatMap((run) => attempts.get(run) ?? []).filter(({ end }) => end !== 'stopped');
  const attempt = lastAttempt(store, tries);
  const last = attempt && noteOf(store, attempt);
  const sent = submissions.find(({ folder }) => path.basename(folder) === last?.submission);
  if (!last || !sent) return {};
  const { raised = {}, demand, limitMinutes } = sent;
  const end = endTold(path.join(store, last.log));
  // where none was asked for, the limit was the cluster's own
  const had = demand.mem ?? (end?.limitBytes === undefined ? undefined : megabytes(end.limitBytes));
  const mem = raised.mem ?? (end?.by === 'memory' && had !== undefined ? twice(had) : undefined);
  const minutes = raised.minutes ?? (end?.by === 'time' ? 2 * limitMinutes : undefined);
  return {
    ...(mem !== undefined && asked.mem === undefined && { mem }),
    ...(minutes !== undefined && asked.time === undefined && { minutes }),
  };
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)}M`;

/** `32G` → `64G`. */
const twice = (mem: string): string => mem.replace(/^\d+/, (count) => String(2 * Number(count)));

/** As `packTasks`; an array holds tasks that get the same. */
export function packRaised(
  units: readonly RaisedUnit[],
  demand: Pick<TaskDemand, 'minutes' | 'pack' | 'arrayLimit'>,
  limits: Limits,
): RaisedChunk[] {
  const groups = groupBy(units, ({ raised: { mem = '', minutes = 0 } }) => `${mem} ${minutes}`);
  return [...groups.values()].flatMap((alike) => {
    const { raised } = alike[0]!;
    const longer = raised.minutes === undefined ? null : Math.min(raised.minutes, limits.maximumMinutes);
    const minutes = longer ?? demand.minutes;
    return packTasks(alike, { ...demand, minutes }, limits).map((chunk) => ({
      ...chunk,
      raised,
    }));
  });
}

/** What is raised, now or before, in words. @param maximumMinutes of the partition */
export function raisedNotices(units: readonly RaisedUnit[], maximumMinutes: number): string[] {
  const told = (lacked: string, given: readonly string[]): string[] =>
    given.length === 0
      ? []
      : [
          `${given.length} of ${units.length} tasks or runs had run out of ${lacked} and get ${listed([...new Set(given)])}.`,
        ];
  const minutes = units.flatMap(({ raised }) => raised.minutes ?? []);
  return [
    ...told(
      'memory',
      units.flatMap(({ raised }) => raised.mem ?? []),
    ),
    ...told(
      'time',
      minutes.map((value) => formatSeconds(60 * Math.min(value, maximumMinutes))),
    ),
  ];
}
