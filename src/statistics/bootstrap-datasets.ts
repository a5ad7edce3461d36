import type { Random } from '../random.js';
import { aggregate, aggregateOf, countedCells, type Aggregate, type AggregateName } from './aggregate.js';
import { directionOf, type Resamples } from './bootstrap.js';
import { checkChoice, checkResamples } from './check-options.js';
import type { ScoreMatrix } from './score-matrix.js';

export interface DatasetBootstrapOptions {
  readonly resamples: number;
  readonly random: Random;
  /** Runs of each drawn dataset: `kept` as they are (default), or `drawn` anew as well. */
  readonly runs?: 'kept' | 'drawn';
}

/**
 * Bootstrap over datasets: each resample draws as many datasets as there are, with replacement, the same for every
 * model, so that differences between models stay paired. It asks how far a ranking depends on which datasets were
 * chosen, which seeds cannot tell: on GEO-Bench-2's Core the deviation is 5 to 13 points, that over seeds 0.6 to 1.8.
 * A model that lacks a dataset has no aggregates; of one dataset there is nothing to draw.
 * @throws UsageError STATISTIC_OPTION
 */
export function bootstrapDatasets(
  matrix: ScoreMatrix,
  by: AggregateName | Aggregate,
  options: DatasetBootstrapOptions,
): Resamples {
  const { resamples, random, runs = 'kept' } = options;
  checkResamples(resamples);
  checkChoice('runs', runs, ['kept', 'drawn']);
  const { of } = aggregateOf(by);
  const models = countedCells(matrix);
  const isOne = matrix.datasets.length < 2;
  const values = models.map((cells) => (cells && !isOne ? new Float64Array(resamples) : null));
  for (let i = 0; i < resamples; i++) {
    const columns = matrix.datasets.map(() => random.integer(matrix.datasets.length));
    for (const [row, target] of values.entries()) {
      if (!target) continue;
      const cells = columns.map((column) => {
        const scores = models[row]![column]!.values;
        return runs === 'kept' ? scores : scores.map(() => scores[random.integer(scores.length)]!);
      });
      target[i] = of(cells);
    }
  }
  const higherIsBetter = directionOf(matrix, by);
  return {
    models: matrix.models,
    count: resamples,
    higherIsBetter,
    estimates: aggregate(matrix, by),
    values,
  };
}
