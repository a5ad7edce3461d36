import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { requireFileSync } from '../io/regular-file.js';

/** What is left of the log of a task whose runs are all finished. */
const KEPT_BYTES = 100_000;
/** Slurm's last word stands at the end. */
const TOLD_BYTES = 16_384;

/**
 * Shortens the log of this process to its last 100 kB, from a whole line on. The file stays the same one: its writers have it
 * open, and append.
 * @param descriptor where the process writes its log, e.g. that of stdout; other than the file's, nothing is done
 */
export function shortenLog(file: string, descriptor: number): void {
  let log: number | undefined;
  try {
    const [own, found] = [fstatSync(descriptor), statSync(file)];
    if (!own.isFile() || own.ino !== found.ino || own.dev !== found.dev || own.size <= KEPT_BYTES) return;
    log = openSync(file, 'r+');
    const end = readEnd(log, KEPT_BYTES);
    const lines = Buffer.from(end.subarray(end.indexOf('\n') + 1));
    writeSync(log, lines, 0, lines.length, 0);
    ftruncateSync(log, lines.length);
  } catch {
    // a log that stays long harms nobody
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

/** For what Slurm ended a task. */
export interface ToldEnd {
  readonly by: 'memory' | 'time';
  /** Of the memory, where Slurm tells it. */
  readonly limitBytes?: number;
}

/**
 * For what Slurm ended a task, by the last that it wrote into its log.
 * @returns undefined where it says nothing of that, or the file cannot be read
 */
export function endTold(file: string): ToldEnd | undefined {
  let log: number | undefined;
  try {
    requireFileSync(file);
    log = openSync(file, 'r');
    const text = readEnd(log, TOLD_BYTES).toString('utf8');
    const [memory, time] = [lastOf(text, OUT_OF_MEMORY), lastOf(text, OUT_OF_TIME)];
    if (memory === time) return undefined;
    if (time > memory) return { by: 'time' };
    const limit = Number([...text.matchAll(MEMORY_LIMIT)].at(-1)?.[1] ?? 0);
    return { by: 'memory', ...(limit >= LEAST_LIMIT && { limitBytes: limit }) };
  } catch {
    return undefined;
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

const OUT_OF_MEMORY = /exceeded (job |step )?memory limit|oom[-_ ]kill|out-of-memory handler/gi;
const MEMORY_LIMIT = /exceeded (?:job |step )?memory limit \(\d+ > (\d+)\)/gi;
/** What is less is told in another unit, by releases of before 2019. */
const LEAST_LIMIT = 2 ** 24;
const OUT_OF_TIME = /DUE TO TIME LIMIT/g;

/** −1 where there is none. */
const lastOf = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].at(-1)?.index ?? -1;

function readEnd(log: number, most: number): Buffer {
  const { size } = fstatSync(log);
  const bytes = Buffer.alloc(Math.min(size, most));
  const count = readSync(log, bytes, 0, bytes.length, size - bytes.length);
  return bytes.subarray(0, count);
}
