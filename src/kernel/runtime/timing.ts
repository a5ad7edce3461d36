import { performance } from 'node:perf_hooks';
import process from 'node:process';
import type { Magic } from './magics.js';

/** Clock and processor time of a cell's code, its conversion left out. */
export class Stopwatch {
  #started = performance.now();
  #usage = process.cpuUsage();
  elapsedMs = 0;
  cpuMs = 0;

  start(): void {
    this.#started = performance.now();
    this.#usage = process.cpuUsage();
  }

  stop(): void {
    this.elapsedMs = performance.now() - this.#started;
    const { user, system } = process.cpuUsage(this.#usage);
    this.cpuMs = (user + system) / 1000;
  }
}

export const timingText = ({ elapsedMs, cpuMs }: Stopwatch): string =>
  `time: ${formatMs(elapsedMs)}, processor time of all threads: ${formatMs(cpuMs)}\n`;

const MEASURE = Symbol.for('gondwana.timeit');

/** Puts the measuring function where the code of cells finds it, at once: a cell may freeze the global object. */
export function prepareTiming(): void {
  (globalThis as Record<symbol, unknown>)[MEASURE] = measure;
}

/** The code of a cell, for `%timeit` handed to the measuring function as a function. */
export function timedCode(code: string, magics: readonly Magic[]): string {
  const magic = magics.find(({ name }) => name === 'timeit');
  if (magic?.name !== 'timeit') return code;
  const isAsync = /\bawait\b/.test(code);
  // one line more at the end only: lines of the user's code keep their numbers
  return (
    `await (globalThis as any)[Symbol.for('gondwana.timeit')](${isAsync ? 'async ' : ''}() => {${code}\n}, ` +
    `${magic.runs ?? 'undefined'});`
  );
}

/** Milliseconds that all rounds together are to take where the number of runs is not given. */
const BUDGET_MS = 1000;
const ROUNDS = 7;

/** Calls a function in rounds and prints the median and the spread of a call's time. */
async function measure(body: () => unknown, runs?: number): Promise<void> {
  const round = async (count: number): Promise<number> => {
    const started = performance.now();
    for (let at = 0; at < count; at++) {
      const value = body();
      if (value instanceof Promise) await value;
    }
    return (performance.now() - started) / count;
  };
  const first = await round(1);
  const count =
    runs ?? Math.max(1, Math.min(1_000_000, Math.round(BUDGET_MS / ROUNDS / Math.max(first, 1e-4))));
  const times: number[] = [];
  for (let at = 0; at < ROUNDS; at++) times.push(await round(count));
  times.sort((a, b) => a - b);
  process.stdout.write(
    `${formatMs(times[ROUNDS >> 1]!)} a call (median of ${ROUNDS} rounds of ${count}; ` +
      `${formatMs(times[0]!)} to ${formatMs(times.at(-1)!)})\n`,
  );
}

/** `1.23 s`, `45.6 ms`, `7.89 µs`, `12 ns`. */
function formatMs(ms: number): string {
  const [value, unit] =
    ms >= 1000 ? [ms / 1000, 's'] : ms >= 1 ? [ms, 'ms'] : ms >= 1e-3 ? [ms * 1e3, 'µs'] : [ms * 1e6, 'ns'];
  return `${value.toPrecision(3)} ${unit}`;
}
