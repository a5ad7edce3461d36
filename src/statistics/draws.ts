import { numpyRandom } from '../datasets/splits/numpy-random.js';
import type { Random } from '../random.js';
import { wrongOption } from './check-options.js';

/** A cell that runs are drawn from. */
export interface DrawnCell {
  /** Position among the matrix's models and its datasets. */
  readonly row: number;
  readonly column: number;
  readonly model: string;
  readonly dataset: string;
  /** Where its draws begin in the list of all. */
  readonly start: number;
  readonly count: number;
}

/**
 * Draws with replacement for one resample: for each cell as many as it has runs, each the position of a run,
 * 0 … count − 1, written to `picks` from the cell's `start` on. Resamples are asked for in rising order, from 0.
 */
export type Draws = (resample: number, cells: readonly DrawnCell[], picks: Int32Array) => void;

/** Draws from a generator. */
export function randomDraws(random: Random): Draws {
  let words = new Uint32Array(0);
  return (_resample, cells, picks) => {
    if (words.length !== picks.length) words = new Uint32Array(picks.length);
    random.words(words);
    for (const { start, count } of cells) {
      const scale = count / 2 ** 32; // uneven by less than count / 2³²
      for (let i = start; i < start + count; i++) picks[i] = Math.floor(words[i]! * scale);
    }
  };
}

/**
 * Draws as pandas makes them in `groupby([model, dataset]).sample(frac=1, replace=True, random_state=firstSeed + i)`
 * for resample i: NumPy's legacy generator, groups in rising order of their names, one stream through all of them.
 * GEO-Bench-2's leaderboard uses this with first seed 100. Runs must be in the order of its table.
 * @throws UsageError STATISTIC_OPTION for a seed that NumPy does not take
 */
export function pandasDraws({ firstSeed }: { readonly firstSeed: number }): Draws {
  if (!(Number.isInteger(firstSeed) && firstSeed >= 0 && firstSeed < 2 ** 32))
    throw wrongOption('firstSeed', firstSeed, 'a whole number from 0 to 2³² − 1');
  let of: readonly DrawnCell[] | undefined;
  let sorted: readonly DrawnCell[] = [];
  return (resample, cells, picks) => {
    if (of !== cells) {
      of = cells;
      sorted = cells.toSorted((a, b) => byCodePoints(a.model, b.model) || byCodePoints(a.dataset, b.dataset));
    }
    const random = numpyRandom(firstSeed + resample);
    for (const { start, count } of sorted)
      for (let i = start; i < start + count; i++) picks[i] = random.interval(count - 1);
  };
}

/** Python's order of texts. */
const byCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Draws that were recorded: `indexOf(resample, row, column, draw)` is the position of a run. */
export const recordedDraws =
  (indexOf: (resample: number, row: number, column: number, draw: number) => number): Draws =>
  (resample, cells, picks) => {
    for (const { row, column, start, count } of cells)
      for (let i = 0; i < count; i++) picks[start + i] = indexOf(resample, row, column, i);
  };
