import { drawnCells, type BootstrapOptions } from './bootstrap.js';
import { checkResamples } from './check-options.js';
import type { ScoreMatrix } from './score-matrix.js';

/**
 * The matrix with the runs of every cell drawn anew, time after time: for statistics that need all models at once
 * (average ranks, win rates, discriminativity). For one number a model, `bootstrap` is far faster.
 * @throws UsageError STATISTIC_OPTION
 */
export function resampledMatrices(
  matrix: ScoreMatrix,
  options: Pick<BootstrapOptions, 'resamples' | 'draws'>,
): Generator<ScoreMatrix, void, undefined> {
  checkResamples(options.resamples); // now, not when the first one is asked for
  return drawMatrices(matrix, options);
}

function* drawMatrices(
  matrix: ScoreMatrix,
  { resamples, draws }: Pick<BootstrapOptions, 'resamples' | 'draws'>,
): Generator<ScoreMatrix, void, undefined> {
  const cells = drawnCells(matrix);
  const picks = new Int32Array(cells.reduce((sum, { count }) => sum + count, 0));
  for (let i = 0; i < resamples; i++) {
    draws(i, cells, picks);
    const drawn = matrix.cells.map((row) => [...row]);
    for (const { row, column, start, count } of cells) {
      const { values, seeds } = matrix.cells[row]![column]!;
      const runs = Array.from(picks.subarray(start, start + count));
      drawn[row]![column] = {
        values: runs.map((run) => values[run]!),
        seeds: runs.map((run) => seeds[run]!),
      };
    }
    yield { ...matrix, cells: drawn };
  }
}
