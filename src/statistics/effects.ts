import { adjustPValues, type Correction } from './corrections.js';
import { cohensD, pairedTTest, type LevelOption, type TTest } from './paired-tests.js';
import { cellStatistics, type ScoreCell, type ScoreMatrix } from './score-matrix.js';
import { mean } from './summary.js';

/** What a change did on one dataset, over models. */
export interface DatasetEffect extends TTest {
  readonly dataset: string;
  /** Models with runs under both conditions. */
  readonly models: readonly string[];
  /** p value raised for the number of datasets. */
  readonly adjustedPValue: number | null;
  readonly cohensDPaired: number | null;
  readonly cohensDPooled: number | null;
}

/**
 * What differs between two conditions (fine-tuned and frozen, …) on each dataset: paired t test of a − b, pairs are the
 * means over runs of the models that both have (GEO-Bench-2, sections 4.6 and 6.3, which do not say how they pair; this
 * reading gives their order of datasets with the pooled d). Datasets that one of them lacks are left out.
 * @param options.correction of the p values over datasets; default `holm`
 */
export function datasetEffects(
  a: ScoreMatrix,
  b: ScoreMatrix,
  options: LevelOption & { readonly correction?: Correction } = {},
): DatasetEffect[] {
  const [first, second] = [cellStatistics(a, mean), cellStatistics(b, mean)];
  const effects = a.datasets.flatMap((dataset, column) => {
    const other = b.datasets.indexOf(dataset);
    if (other < 0) return [];
    const pairs = a.models.flatMap((model, row) => {
      const x = first[row]![column]!;
      const y = second[b.models.indexOf(model)]?.[other] ?? null;
      return x === null || y === null ? [] : [{ model, x, y }];
    });
    const [x, y] = [pairs.map((pair) => pair.x), pairs.map((pair) => pair.y)];
    return {
      dataset,
      models: pairs.map(({ model }) => model),
      ...pairedTTest(x, y, options),
      cohensDPaired: cohensD(x, y, 'paired'),
      cohensDPooled: cohensD(x, y, 'pooled'),
    };
  });
  const adjusted = adjustPValues(
    effects.map(({ pValue }) => pValue),
    options.correction ?? 'holm',
  );
  return effects.map((effect, i) => ({ ...effect, adjustedPValue: adjusted[i]! }));
}

/** Values of the seeds that two cells share, in the order of the first; runs without a seed have no partner. */
export function pairBySeed(a: ScoreCell, b: ScoreCell): { readonly a: number[]; readonly b: number[] } {
  const partners = new Map(b.seeds.map((seed, i) => [seed, b.values[i]!]));
  const shared = a.seeds.flatMap((seed, i) => (seed !== null && partners.has(seed) ? [{ seed, i }] : []));
  return { a: shared.map(({ i }) => a.values[i]!), b: shared.map(({ seed }) => partners.get(seed)!) };
}
