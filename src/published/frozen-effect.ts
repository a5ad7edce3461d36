import { cellStatistics, scoreMatrix, selectDatasets, selectModels } from '../statistics/score-matrix.js';
import { mean, pairedDifference, standardDeviation, type SeedScore } from '../statistics/summary.js';
import { geobench2Scores } from './geobench2.js';

/** What fine-tuning gains over a frozen encoder on one dataset, over the encoders that were run both ways. */
export interface FrozenEffect {
  readonly dataset: string;
  readonly models: number;
  /** Mean over the models of fine-tuned less frozen, in the dataset's metric. */
  readonly difference: number | null;
  /** Two-sided p value of the paired t test over the models' means. */
  readonly pValue: number | null;
  /** Difference over the pooled standard deviation of the models' means: Cohen's d. */
  readonly effectSize: number | null;
}

/**
 * Fine-tuned against frozen encoders of GEO-Bench-2's released runs (section 6.3.2, figure 27). The paper's code is not
 * published; pairs of model means with the pooled deviation give the order of datasets that its text tells.
 */
export function geobench2FrozenEffect(): FrozenEffect[] {
  const frozen = scoreMatrix(geobench2Scores('frozen'));
  const full = selectModels(
    selectDatasets(scoreMatrix(geobench2Scores('full')), frozen.datasets),
    frozen.models,
  );
  const [after, before] = [cellStatistics(full, mean), cellStatistics(frozen, mean)];
  return frozen.datasets.map((dataset, column) => {
    const ofModels = (means: readonly (readonly (number | null)[])[]): SeedScore[] =>
      means.map((row, model) => ({ seed: model, value: row[column] }));
    const { mean: difference, pValue, seeds } = pairedDifference(ofModels(after), ofModels(before));
    const paired = (means: readonly (readonly (number | null)[])[]): (number | null)[] =>
      seeds.map((model) => means[model]![column]!);
    const [a, b] = [standardDeviation(paired(after)), standardDeviation(paired(before))];
    const pooled = a === null || b === null ? null : Math.sqrt((a ** 2 + b ** 2) / 2);
    return {
      dataset,
      models: seeds.length,
      difference,
      pValue,
      effectSize: difference === null || !pooled ? null : difference / pooled,
    };
  });
}
