import { groupBy } from '../collections.js';
import type { TaskDemand } from './cluster-options.js';

/** What is computed in one go, by one task: a run, or a search with its trials and repeats. */
export interface Unit {
  /** Of the run, or of the first trial. */
  readonly id: string;
  /** Expected; null where nothing like it was measured. */
  readonly seconds: number | null;
}

/** Tasks that are sent as one array. */
export interface Chunk {
  /** Ids by task. */
  readonly tasks: readonly (readonly string[])[];
  readonly limitMinutes: number;
}

/** What a cluster allows. */
export interface Limits {
  /** Of the partition: limits that were not asked for end there. */
  readonly maximumMinutes: number;
  /** Most tasks of an array. */
  readonly arraySize: number;
}

/** A task takes about as long as this, so that Slurm's own second a task counts for nothing. */
const TASK_S = 45 * 60;
/** What a run may take longer than was measured elsewhere. */
const MARGIN = 1.5;
/** Node, engine, data. */
const START_S = 60;
const SHORTEST_MIN = 10;
/** Of a run like which none was measured; it goes on from its checkpoint where that is too short. */
const UNKNOWN_MIN = 240;
/** Runs are spread over at least so many tasks before they are packed. */
const SPREAD = 32;

/**
 * Divides units into tasks and arrays. Long units come first; arrays hold tasks of similar limits, so that short ones need
 * not wait for a long slot.
 */
export function packTasks(
  units: readonly Unit[],
  { minutes, pack, arrayLimit }: Pick<TaskDemand, 'minutes' | 'pack' | 'arrayLimit'>,
  { maximumMinutes, arraySize }: Limits,
): Chunk[] {
  const longestFirst = units.toSorted((a, b) => (b.seconds ?? Infinity) - (a.seconds ?? Infinity) || 0);
  const most = Math.max(1, Math.ceil(units.length / (arrayLimit ?? SPREAD)));
  const tasks: { readonly ids: readonly string[]; readonly minutes: number }[] = [];
  let open: Unit[] = [];
  const limitOf = (members: readonly Unit[]): number =>
    minutes ?? Math.min(maximumMinutes, limitMinutes(members));
  const close = (): void => {
    if (open.length > 0) tasks.push({ ids: open.map(({ id }) => id), minutes: limitOf(open) });
    open = [];
  };
  for (const unit of longestFirst) {
    const isFull =
      pack !== null
        ? open.length >= pack
        : open.length >= most || secondsOf(open) + secondsOf([unit]) > TASK_S;
    if (isFull) close();
    open.push(unit);
  }
  close();
  return [...groupBy(tasks, (task) => limitClass(task.minutes)).values()].flatMap((alike) => {
    const limit = Math.max(...alike.map((task) => task.minutes));
    return chunksOf(alike, arraySize).map((chunk) => ({
      tasks: chunk.map(({ ids }) => ids),
      limitMinutes: limit,
    }));
  });
}

/** Infinity where a unit is unknown: it has a task to itself. */
const secondsOf = (units: readonly Unit[]): number =>
  units.reduce((sum, { seconds }) => sum + (seconds ?? Infinity), 0);

/** Whole steps of ten minutes. */
function limitMinutes(units: readonly Unit[]): number {
  const known = units.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0);
  const unknown = units.filter(({ seconds }) => seconds === null).length;
  const measured = Math.ceil((known * MARGIN + START_S) / 600) * 10;
  return Math.max(SHORTEST_MIN, measured, unknown * UNKNOWN_MIN);
}

/** Limits up to an hour, up to two, up to four, … */
const limitClass = (minutes: number): number => Math.max(0, Math.ceil(Math.log2(minutes / 60)));

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
