import { InputError } from '../errors.js';
import { checkChoice } from './check-options.js';
import { cellStatistics, type ScoreMatrix, type ScoreWarning } from './score-matrix.js';
import { mean, type Interval } from './summary.js';

/** What is mapped to 0 and to 1 on each dataset, in the unit of its scores; low is the smaller number. */
export type ScaleLimits = Readonly<Record<string, Interval>>;

export interface ScaleLimitsOptions {
  /**
   * `runs` (default): the lowest and highest run of any model (GEO-Bench, section 4; GEO-Bench-2, section 3.7).
   * `model-means`: the lowest and highest mean over a model's runs, so that the best model is 1 and the worst 0
   * (PANGAEA, figure 1).
   */
  readonly over?: 'runs' | 'model-means';
}

/** Limits of each dataset that has runs, taken from these scores. @throws UsageError STATISTIC_OPTION */
export function scaleLimits(matrix: ScoreMatrix, options: ScaleLimitsOptions = {}): ScaleLimits {
  checkChoice('over', options.over ?? 'runs', ['runs', 'model-means']);
  const means = options.over === 'model-means' ? cellStatistics(matrix, mean) : undefined;
  const limits = matrix.datasets.flatMap((dataset, column): [string, Interval][] => {
    const scores = matrix.models.flatMap((_, row) =>
      means ? (means[row]![column] ?? []) : matrix.cells[row]![column]!.values,
    );
    if (scores.length === 0) return [];
    const interval = {
      low: scores.reduce((a, b) => Math.min(a, b)),
      high: scores.reduce((a, b) => Math.max(a, b)),
    };
    return [[dataset, interval]];
  });
  return Object.fromEntries(limits); // assigning to a dataset called `__proto__` would be lost
}

/**
 * Min–max normalised scores, (score − low) / (high − low), turned round where lower is better, so that higher is
 * better everywhere. Nothing is clipped: scores outside published limits fall below 0 or above 1
 * (GEO-Bench-2, section 3.7). Datasets whose limits are equal are left out and named.
 * @param limits own or published; default: those of the runs themselves
 * @throws InputError LIMITS_MISSING for a dataset that has runs and no limits
 */
export function normalize(matrix: ScoreMatrix, limits: ScaleLimits = scaleLimits(matrix)): ScoreMatrix {
  const warnings: ScoreWarning[] = [];
  const maps = matrix.datasets.map((dataset, column) => {
    const own = Object.hasOwn(limits, dataset) ? limits[dataset] : undefined;
    if (!own) {
      if (matrix.cells.every((row) => row[column]!.values.length === 0)) return (score: number) => score;
      throw new InputError('LIMITS_MISSING', `There are no limits to normalise "${dataset}" by.`, {
        where: dataset,
        hint: `Add them, or leave the dataset out. There are limits for ${Object.keys(limits).join(', ')}.`,
      });
    }
    const { low, high } = own;
    if (high === low) {
      const text = `${dataset} is left out: its lowest and highest score are both ${low}.`;
      warnings.push({ code: 'DATASET_CONSTANT', text, model: null, dataset, seeds: [] });
      return undefined;
    }
    return matrix.higherIsBetter[column]!
      ? (score: number) => (score - low) / (high - low)
      : (score: number) => 1 - (score - low) / (high - low);
  });
  const kept = maps.flatMap((map, column) => (map ? { map, column } : []));
  return {
    models: matrix.models,
    datasets: kept.map(({ column }) => matrix.datasets[column]!),
    cells: matrix.cells.map((row) =>
      kept.map(({ map, column }) => ({ ...row[column]!, values: row[column]!.values.map(map) })),
    ),
    higherIsBetter: kept.map(() => true),
    warnings: [...matrix.warnings, ...warnings],
  };
}
